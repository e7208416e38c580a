//! Streams of providers: whatever comes is read alike however it is cut, and nothing of it is a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prompty_reply::Reply;
use prompty_wire::{Protocol, WireError};

const PROTOCOLS: [Protocol; 3] =
    [Protocol::OpenAiChat, Protocol::OpenAiResponses, Protocol::AnthropicMessages];

/// What a stream tells: its events as JSON, and how it ends.
#[derive(Debug, PartialEq)]
struct Told {
    events: Vec<String>,
    reply: Option<Reply>,
    error: Option<String>,
}

fn read(protocol: Protocol, status: u16, pieces: impl Iterator<Item = impl AsRef<[u8]>>) -> Told {
    let mut stream = protocol.reader().with_status(status);
    let mut events = Vec::new();
    for piece in pieces {
        events.extend(
            stream.push_bytes(piece.as_ref()).map(|it| serde_json::to_string(&it).unwrap()),
        );
    }
    // A connection that breaks loses nothing of what was told.
    let so_far = stream.reply().content().to_owned();
    let broken = stream.clone().fail("broken");
    assert!(broken.partial().unwrap().content().starts_with(&so_far));
    let end: Result<Reply, WireError> = stream.finish();
    let error = end.as_ref().err().map(|error| format!("{error:?}"));
    let reply = end.map_or_else(|error| error.partial().cloned(), Some);
    Told { events, reply, error }
}

fuzz_target!(|data: &[u8]| {
    let [protocol, status, first, second, body @ ..] = data else { return };
    let protocol = PROTOCOLS[usize::from(*protocol) % PROTOCOLS.len()];
    let status = if *status == 0 { 500 } else { 200 };
    let whole = read(protocol, status, std::iter::once(body));
    // In pieces of one size, and at one place alone.
    let pieces = read(protocol, status, body.chunks(usize::from(*first).max(1)));
    assert_eq!(pieces, whole);
    let (front, back) = body.split_at(usize::from(*second).min(body.len()));
    assert_eq!(read(protocol, status, [front, back].into_iter()), whole);
});
