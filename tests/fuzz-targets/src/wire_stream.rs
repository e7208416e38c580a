//! Streams of providers: a body is read the same however it is split, and never causes a panic.

use prompty_core::value::{Map, Value};
use prompty_reply::{Event, Reply};
use prompty_wire::{Protocol, WireError};

const PROTOCOLS: [Protocol; 3] =
    [Protocol::OpenAiChat, Protocol::OpenAiResponses, Protocol::AnthropicMessages];

/// The result of a stream: its events, and its end.
#[derive(Debug, PartialEq)]
struct StreamOutcome {
    events: JoinedEvents,
    reply: Option<Reply>,
    error: Option<String>,
}

/// Events as JSON objects. Consecutive events that differ only in their text are one event, because
/// a text that arrives in several chunks is reported in several events.
#[derive(Debug, Default, PartialEq)]
struct JoinedEvents(Vec<(Map, String)>);

impl JoinedEvents {
    fn add(&mut self, event: Event<'_>) {
        let mut event = Value::from_serialize(&event).unwrap().as_object().unwrap().clone();
        let text = event.remove("text");
        match (self.0.last_mut(), text.as_ref().and_then(Value::as_str)) {
            (Some((last, joined)), Some(text)) if *last == event => joined.push_str(text),
            (_, text) => self.0.push((event, text.unwrap_or_default().to_owned())),
        }
    }
}

fn read(
    protocol: Protocol,
    status: u16,
    pieces: impl Iterator<Item = impl AsRef<[u8]>>,
) -> StreamOutcome {
    let mut stream = protocol.reader().with_status(status);
    let mut events = JoinedEvents::default();
    for piece in pieces {
        stream.push_bytes(piece.as_ref()).for_each(|event| events.add(event));
    }
    // A broken connection loses no reported content. An error without a reply has reported none.
    let so_far = stream.reply().content().to_owned();
    let broken = stream.clone().fail("broken");
    assert!(broken.partial().map_or("", Reply::content).starts_with(&so_far));
    stream.end().for_each(|event| events.add(event));
    let end: Result<Reply, WireError> = stream.finish();
    let error = end.as_ref().err().map(|error| format!("{error:?}"));
    let reply = end.map_or_else(|error| error.partial().cloned(), Some);
    StreamOutcome { events, reply, error }
}

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let [protocol, status, first, second, body @ ..] = data else { return false };
    let protocol = PROTOCOLS[usize::from(*protocol) % PROTOCOLS.len()];
    let status = if *status == 0 { 500 } else { 200 };
    let complete = read(protocol, status, std::iter::once(body));
    // In pieces of one size, and in two pieces.
    let pieces = read(protocol, status, body.chunks(usize::from(*first).max(1)));
    assert_eq!(pieces, complete);
    let (front, back) = body.split_at(usize::from(*second).min(body.len()));
    assert_eq!(read(protocol, status, [front, back].into_iter()), complete);
    complete.reply.is_some()
}
