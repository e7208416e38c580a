//! Recorded streams of providers: the replies that we read from them, which must not depend on the
//! chunks.

use serde_json::Value as Json;
use typed_prompty::reply::{Event, Reply};
use typed_prompty::wire::{WireError, WireErrorKind};

use crate::frame::{Area, Case, Outcome};
use crate::wire::{ArgumentComparison, differences, error_differences, family, outcome, protocol};

/// The areas of the streams.
pub(crate) const AREAS: [Area; 8] = [
    by_events("openai-chat", "wire/openai-chat/stream"),
    by_bytes("openai-chat", "wire/openai-chat/stream, cut"),
    by_events("openai-compatible", "wire/openai-compatible/stream"),
    by_bytes("openai-compatible", "wire/openai-compatible/stream, cut"),
    by_events("openai-responses", "wire/openai-responses/stream"),
    by_bytes("openai-responses", "wire/openai-responses/stream, cut"),
    by_events("anthropic", "wire/anthropic/stream"),
    by_bytes("anthropic", "wire/anthropic/stream, cut"),
];

const fn by_events(file: &'static str, name: &'static str) -> Area {
    Area { run: events, only: is_stream, ..family(file, name) }
}

const fn by_bytes(file: &'static str, name: &'static str) -> Area {
    Area { run: cuts, only: is_stream, ..family(file, name) }
}

/// Bodies of at most this many bytes are split in two at every byte. All bodies are also read byte
/// by byte.
const SMALL: usize = 2048;

fn is_stream(case: &Json) -> bool {
    case["kind"] == "stream"
}

/// The data of the events.
fn data(case: &Json) -> impl Iterator<Item = &str> {
    case["input"].as_array().unwrap().iter().map(|data| data.as_str().unwrap())
}

fn events(case: &Case<'_>) -> Outcome {
    let (mut stream, mut joined) = (protocol(case.json).reader(), JoinedEvents::default());
    data(case.json).for_each(|data| stream.push(data).for_each(|event| joined.add(event)));
    let so_far = stream.reply().clone();
    let ended = stream.finish();
    let mut found = as_expected(&ended, case.json);
    let reply = reply_of(&ended);
    found.extend(joined.differences(&so_far));
    if reply.content() != so_far.content() || reply.reasoning() != so_far.reasoning() {
        found.push("no event reported the texts at the end".to_owned());
    }
    outcome(&found)
}

/// The differences between the end of a stream and the expected end.
fn as_expected(ended: &Result<Reply, WireError>, case: &Json) -> Vec<String> {
    let expected = &case["expected"];
    let mut found = Vec::new();
    match (ended, expected.get("error"), expected["truncated"] == true) {
        (Err(error), Some(wanted), _) if !wanted.is_null() => {
            found.extend(error_differences(error, wanted));
        }
        (Err(error), _, true) if error.kind() == WireErrorKind::CutOff => {}
        (Err(error), _, _) => found.push(format!("{error:#}")),
        (Ok(_), None, false) => {}
        (Ok(_), ..) => found.push("expected an error".to_owned()),
    }
    let reply = reply_of(ended);
    let differing = differences(reply, expected, ArgumentComparison::AsText);
    let Some(last) = expected["final_item"].as_object().filter(|_| !differing.is_empty()) else {
        found.extend(differing);
        return found;
    };
    // The recording was shortened, so the values of the last event are accepted, too.
    let mut expected = expected.clone();
    last.iter().for_each(|(key, value)| expected[key] = value.clone());
    if !differences(reply, &expected, ArgumentComparison::AsText).is_empty() {
        found.extend(differing);
    }
    found
}

/// The reply, or the part of it that arrived before an error.
fn reply_of(ended: &Result<Reply, WireError>) -> &Reply {
    match ended {
        Ok(reply) => reply,
        Err(error) => error.partial().unwrap(),
    }
}

/// The events of a stream. Adjacent events with text of the same kind are joined.
#[derive(Debug, Default, PartialEq)]
struct JoinedEvents {
    events: Vec<String>,
    texts: [String; 3],
    ended: usize,
}

impl JoinedEvents {
    fn add(&mut self, event: Event<'_>) {
        let (kind, text) = match event {
            Event::Content { text } => ("content", text),
            Event::Reasoning { text } => ("reasoning", text),
            Event::Refusal { text } => ("refusal", text),
            Event::Arguments { text, .. } => ("arguments", text),
            other => {
                self.ended += usize::from(matches!(other, Event::CallEnded { .. }));
                return self.events.push(format!("{other:?}"));
            }
        };
        let at = ["content", "reasoning", "refusal"].iter().position(|it| *it == kind);
        if let Some(at) = at {
            self.texts[at].push_str(text);
        }
        match self.events.last_mut().filter(|last| last.starts_with(kind)) {
            Some(last) => last.push_str(text),
            None => self.events.push(format!("{kind}: {text}")),
        }
    }

    /// The differences between the texts of the events and the reply.
    fn differences(&self, reply: &Reply) -> Vec<String> {
        let texts = [reply.content(), reply.reasoning(), reply.refusal().unwrap_or_default()];
        let mut found = Vec::new();
        if self.texts.iter().ne(texts) {
            found.push(format!("the events have {:?}, the reply has {texts:?}", self.texts));
        }
        found
    }
}

fn cuts(case: &Case<'_>) -> Outcome {
    let mut stream = protocol(case.json).reader();
    let mut joined = JoinedEvents::default();
    data(case.json).for_each(|data| stream.push(data).for_each(|event| joined.add(event)));
    let expected = StreamResult::new(joined, &stream.finish());
    let bodies = match case.json["sse"].as_str() {
        Some(text) => vec![text.to_owned()],
        None => framed_bodies(case.json),
    };
    let result = bodies.iter().try_for_each(|body| body_in_chunks(case.json, body, &expected));
    match result {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why.chars().take(600).collect()),
    }
}

/// Reads a body in chunks of different sizes.
fn body_in_chunks(case: &Json, body: &str, expected: &StreamResult) -> Result<(), String> {
    let is_open = !body.ends_with(['\n', '\r']);
    let body = body.as_bytes();
    let check = |chunks: &mut dyn Iterator<Item = &[u8]>, how: String| {
        let (mut stream, mut joined) = (protocol(case).reader(), JoinedEvents::default());
        chunks.for_each(|chunk| stream.push_bytes(chunk).for_each(|event| joined.add(event)));
        match StreamResult::new(joined, &stream.finish()) {
            found if found == *expected => Ok(()),
            // `finish` read the last event. It returns the reply, but reports no events.
            found if is_open && found.error == expected.error && found.reply == expected.reply => {
                Ok(())
            }
            found => Err(format!("{how}: expected {expected:?}, got {found:?}")),
        }
    };
    for size in [1, 3, 7, body.len().max(1)] {
        check(&mut body.chunks(size), format!("chunks of {size}"))?;
    }
    let cuts = if body.len() > SMALL { 1..1 } else { 1..body.len() };
    cuts.into_iter().try_for_each(|at| {
        let (head, tail) = body.split_at(at);
        check(&mut [head, tail].into_iter(), format!("cut at {at}"))
    })
}

/// The events, the error and the reply of a stream.
#[derive(Debug, PartialEq)]
struct StreamResult {
    events: JoinedEvents,
    error: Option<String>,
    reply: Reply,
}

impl StreamResult {
    fn new(events: JoinedEvents, ended: &Result<Reply, WireError>) -> Self {
        let error = ended.as_ref().err().map(|error| format!("{error:?}"));
        Self { events, error, reply: reply_of(ended).clone() }
    }
}

/// The events as servers frame them: with both line endings, with other lines between events, and
/// without an empty line after the last event.
fn framed_bodies(case: &Json) -> Vec<String> {
    let plain: String = data(case).map(framed).collect();
    let crlf = plain.replace('\n', "\r\n");
    let other: String =
        data(case).map(|data| format!(": wait\nid: 7\nretry: 10\n{}", framed(data))).collect();
    let open = plain.trim_end().to_owned();
    vec![plain, crlf, other, open]
}

/// An event as servers frame it.
fn framed(data: &str) -> String {
    let lines: String = data.split('\n').map(|line| format!("data: {line}\n")).collect();
    format!("{lines}\n")
}
