//! Recorded streams of providers: what a reply says of them, and that it says the same however they are cut.

use serde_json::Value as Json;
use typed_prompty::reply::{Event, Reply};
use typed_prompty::wire::{Stream, WireError, WireErrorKind};

use crate::frame::{Area, Case, Outcome};
use crate::wire::{Arguments, differences, error_differences, family, outcome, protocol};

/// The areas of the streams.
pub(crate) const AREAS: [Area; 8] = [
    Area { run: events, only: is_stream, ..family("openai-chat", "wire/openai-chat/stream") },
    Area { run: cuts, only: is_stream, ..family("openai-chat", "wire/openai-chat/stream, cut") },
    Area {
        run: events,
        only: is_stream,
        ..family("openai-compatible", "wire/openai-compatible/stream")
    },
    Area {
        run: cuts,
        only: is_stream,
        ..family("openai-compatible", "wire/openai-compatible/stream, cut")
    },
    Area {
        run: events,
        only: is_stream,
        ..family("openai-responses", "wire/openai-responses/stream")
    },
    Area {
        run: cuts,
        only: is_stream,
        ..family("openai-responses", "wire/openai-responses/stream, cut")
    },
    Area { run: events, only: is_stream, ..family("anthropic", "wire/anthropic/stream") },
    Area { run: cuts, only: is_stream, ..family("anthropic", "wire/anthropic/stream, cut") },
];

/// Streams of at most so many bytes are cut at every byte.
const SMALL: usize = 4096;

fn is_stream(case: &Json) -> bool {
    case["kind"] == "stream"
}

/// The data of the events.
fn data(case: &Json) -> impl Iterator<Item = &str> {
    case["input"].as_array().unwrap().iter().map(|data| data.as_str().unwrap())
}

fn events(case: &Case<'_>) -> Outcome {
    let (mut stream, mut told) = (protocol(case.json).stream(), Told::default());
    data(case.json).for_each(|data| stream.push(data).for_each(|event| told.add(event)));
    let so_far = stream.reply().clone();
    let ended = stream.finish();
    let mut found = as_expected(&ended, case.json);
    let reply = reply_of(&ended);
    found.extend(told.differences(&so_far));
    if reply.content() != so_far.content() || reply.reasoning() != so_far.reasoning() {
        found.push("texts came at the end that no event told".to_owned());
    }
    outcome(found)
}

/// What of the end of a stream is not as expected.
fn as_expected(ended: &Result<Reply, WireError>, case: &Json) -> Vec<String> {
    let expected = &case["expected"];
    let mut found = Vec::new();
    match (ended, expected.get("error"), expected["truncated"] == true) {
        (Err(error), Some(wanted), _) if !wanted.is_null() => {
            found.extend(error_differences(error, wanted))
        }
        (Err(error), _, true) if error.kind() == WireErrorKind::CutOff => {}
        (Err(error), _, _) => found.push(format!("{error:#}")),
        (Ok(_), None, false) => {}
        (Ok(_), ..) => found.push("an error was expected".to_owned()),
    }
    let reply = reply_of(ended);
    let differing = differences(reply, expected, Arguments::AsText);
    let Some(last) = expected["final_item"].as_object().filter(|_| !differing.is_empty()) else {
        found.extend(differing);
        return found;
    };
    // The recording was abridged: what the terminal event says may count as well.
    let mut expected = expected.clone();
    last.iter().for_each(|(key, value)| expected[key] = value.clone());
    if !differences(reply, &expected, Arguments::AsText).is_empty() {
        found.extend(differing);
    }
    found
}

/// The reply, also that in front of an error.
fn reply_of(ended: &Result<Reply, WireError>) -> &Reply {
    match ended {
        Ok(reply) => reply,
        Err(error) => error.partial().expect("errors of streams have what came"),
    }
}

/// The events of a stream, joined as far as they belong together.
#[derive(Debug, Default, PartialEq)]
struct Told {
    events: Vec<String>,
    texts: [String; 3],
    ended: usize,
}

impl Told {
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

    /// What the events and the reply disagree about.
    fn differences(&self, reply: &Reply) -> Vec<String> {
        let texts = [reply.content(), reply.reasoning(), reply.refusal().unwrap_or_default()];
        let mut found = Vec::new();
        if self.texts.iter().ne(texts) {
            found.push(format!("the events say {:?}, the reply says {texts:?}", self.texts));
        }
        found
    }
}

fn cuts(case: &Case<'_>) -> Outcome {
    let text = match case.json["sse"].as_str() {
        Some(text) => text.to_owned(),
        None => data(case.json).map(framed).collect(),
    };
    let bytes = text.as_bytes();
    let stream = || protocol(case.json).stream();
    let mut whole = Told::default();
    let mut by_events = stream();
    data(case.json).for_each(|data| by_events.push(data).for_each(|event| whole.add(event)));
    let expected =
        (whole, format!("{:?}", by_events.finish()), format!("{:?}", reply_of_data(case.json)));
    let same = |found: (Told, String, String), how: &str| match found == expected {
        true => Ok(()),
        false => Err(format!("{how}: expected {expected:?}, got {found:?}")),
    };
    let try_all = || {
        for size in [1, 3, 7, bytes.len().max(1)] {
            same(read(stream(), bytes.chunks(size)), &format!("pieces of {size}"))?;
        }
        if bytes.len() > SMALL {
            return Ok(());
        }
        (1..bytes.len()).try_for_each(|cut| {
            let (head, tail) = bytes.split_at(cut);
            same(read(stream(), [head, tail].into_iter()), &format!("cut at {cut}"))
        })
    };
    match try_all() {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why.chars().take(600).collect()),
    }
}

/// An event as servers frame it.
fn framed(data: &str) -> String {
    let lines: String = data.split('\n').map(|line| format!("data: {line}\n")).collect();
    format!("{lines}\n")
}

fn reply_of_data(case: &Json) -> Reply {
    let mut stream = protocol(case).stream();
    data(case).for_each(|data| drop(stream.push(data)));
    reply_of(&stream.finish()).clone()
}

/// The events and the end of a body that comes in pieces.
fn read<'b>(mut stream: Stream, pieces: impl Iterator<Item = &'b [u8]>) -> (Told, String, String) {
    let mut told = Told::default();
    pieces.for_each(|piece| stream.push_bytes(piece).for_each(|event| told.add(event)));
    let ended = stream.finish();
    let reply = format!("{:?}", reply_of(&ended));
    (told, format!("{ended:?}"), reply)
}
