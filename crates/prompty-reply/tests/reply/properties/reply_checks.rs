//! Checks of one reply: its events do not depend on the chunks, and no byte is lost.

use prompty_reply::{Channel, Event, FinishReason, Reply, ReplyParser};
use serde_json::Value;

/// Texts up to this length are split at every position.
const SHORT: usize = 160;

/// The events of a stream, with adjacent ones of one kind joined.
#[derive(Debug, Default, PartialEq)]
struct JoinedEvents(Vec<(String, String)>);

impl JoinedEvents {
    fn add(&mut self, event: Event<'_>) {
        let (what, text) = match event {
            Event::Reasoning { text } => ("reasoning".to_owned(), text),
            Event::Content { text } => ("content".to_owned(), text),
            Event::Arguments { index, text } => (format!("arguments {index}"), text),
            other => (format!("{other:?}"), ""),
        };
        match self.0.last_mut() {
            Some((last, all)) if *last == what => all.push_str(text),
            _ => self.0.push((what, text.to_owned())),
        }
    }
}

fn read_stream<'text>(
    parser: &ReplyParser,
    pieces: impl Iterator<Item = &'text str>,
    reason: FinishReason,
) -> (JoinedEvents, Reply) {
    let (mut events, mut reply) = (JoinedEvents::default(), Reply::default());
    let mut stream = parser.stream();
    for piece in pieces {
        for event in stream.push(piece) {
            events.add(event);
            reply.add(event);
        }
    }
    for event in stream.finish(reason) {
        events.add(event);
        reply.add(event);
    }
    (events, reply)
}

/// Splits a text into chunks of the given sizes, which repeat.
fn split_into_chunks<'text>(text: &'text str, sizes: &[u8]) -> Vec<&'text str> {
    let mut sizes = sizes.iter().cycle().map(|size| usize::from(*size));
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let wanted = sizes.next().unwrap_or(rest.len()).clamp(1, rest.len());
        let end = (wanted..=rest.len()).find(|end| rest.is_char_boundary(*end)).unwrap();
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Checks a reply, and returns it.
pub(crate) fn check(parser: &ReplyParser, text: &str, sizes: &[u8], reason: FinishReason) -> Reply {
    let complete = parser.parse_finished(text, reason);
    let (events, reply) = read_stream(parser, [text].into_iter(), reason);
    assert_eq!(reply, complete, "events and parse of {text:?}");

    let mut buffer = Vec::new();
    text.chars().for_each(|character| buffer.push(character.to_string()));
    let (by_characters, _) = read_stream(parser, buffer.iter().map(String::as_str), reason);
    assert_eq!(by_characters, events, "by characters: {text:?}");
    let pieces = split_into_chunks(text, sizes);
    let (by_pieces, _) = read_stream(parser, pieces.iter().copied(), reason);
    assert_eq!(by_pieces, events, "in chunks: {pieces:?}");
    if text.len() <= SHORT {
        for (at, _) in text.char_indices() {
            let (left, right) = text.split_at(at);
            let (by_halves, _) = read_stream(parser, [left, right].into_iter(), reason);
            assert_eq!(by_halves, events, "in halves: {left:?} {right:?}");
        }
    }

    let regions = parser.regions(text);
    let joined: String = regions.iter().map(|(_, piece)| piece.as_str()).collect();
    assert_eq!(joined, text, "every byte is in one channel: {regions:?}");
    check_parts(&complete, text);
    if reason == FinishReason::End {
        check_channels(parser, &complete, &regions);
    }
    complete
}

/// Checks that complete calls contain JSON, and that malformed parts are parts of the text.
fn check_parts(reply: &Reply, text: &str) {
    for call in reply.calls() {
        assert!(!call.name.is_empty(), "a call has a name: {text:?}");
        if call.complete {
            match serde_json::from_str::<Value>(&call.arguments) {
                Ok(_) => {}
                // Numbers are as the model wrote them. JSON has no largest number, but serde_json
                // has one.
                Err(error) if error.to_string().starts_with("number out of range") => {}
                Err(error) => panic!("{error} in the arguments {} of {text:?}", call.arguments),
            }
        }
    }
    for malformed in reply.malformed() {
        assert!(text.contains(&malformed.text), "{malformed:?} is not a part of {text:?}");
    }
}

/// Checks that the reported texts are the texts of their channels.
fn check_channels(parser: &ReplyParser, reply: &Reply, regions: &[(Channel, String)]) {
    let of = |wanted: Channel| -> String {
        regions.iter().filter(|(it, _)| *it == wanted).map(|(_, piece)| piece.as_str()).collect()
    };
    let options = parser.options();
    if options.content_schema.is_some() || options.reasoning_in_content || options.prepend_continued
    {
        return;
    }
    assert_eq!(of(Channel::Reasoning), reply.reasoning(), "{regions:?}");
    assert_eq!(of(Channel::Content), reply.content(), "{regions:?}");
}
