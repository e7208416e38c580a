//! Streams of providers: a body is read the same however it is split, and never causes a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prompty_reply::Reply;
use prompty_wire::{Protocol, WireError};

const PROTOCOLS: [Protocol; 3] =
    [Protocol::OpenAiChat, Protocol::OpenAiResponses, Protocol::AnthropicMessages];

/// The result of a stream: its events as JSON, and its end.
#[derive(Debug, PartialEq)]
struct StreamOutcome {
    events: Vec<String>,
    reply: Option<Reply>,
    error: Option<String>,
}

fn read(
    protocol: Protocol,
    status: u16,
    pieces: impl Iterator<Item = impl AsRef<[u8]>>,
) -> StreamOutcome {
    let mut stream = protocol.reader().with_status(status);
    let mut events = Vec::new();
    for piece in pieces {
        events.extend(
            stream.push_bytes(piece.as_ref()).map(|it| serde_json::to_string(&it).unwrap()),
        );
    }
    // A broken connection loses no reported content.
    let so_far = stream.reply().content().to_owned();
    let broken = stream.clone().fail("broken");
    assert!(broken.partial().unwrap().content().starts_with(&so_far));
    let end: Result<Reply, WireError> = stream.finish();
    let error = end.as_ref().err().map(|error| format!("{error:?}"));
    let reply = end.map_or_else(|error| error.partial().cloned(), Some);
    StreamOutcome { events, reply, error }
}

fuzz_target!(|data: &[u8]| {
    let [protocol, status, first, second, body @ ..] = data else { return };
    let protocol = PROTOCOLS[usize::from(*protocol) % PROTOCOLS.len()];
    let status = if *status == 0 { 500 } else { 200 };
    let complete = read(protocol, status, std::iter::once(body));
    // In pieces of one size, and in two pieces.
    let pieces = read(protocol, status, body.chunks(usize::from(*first).max(1)));
    assert_eq!(pieces, complete);
    let (front, back) = body.split_at(usize::from(*second).min(body.len()));
    assert_eq!(read(protocol, status, [front, back].into_iter()), complete);
});
