//! The events do not depend on how a body is split, and no bytes make a reader panic.

use proptest::prelude::*;

use prompty_reply::{Event, Reply};
use prompty_wire::{Protocol, WireError};

use super::PROTOCOLS;

/// Bodies with every feature of the framing: comments, all line ends, ignored fields, several lines
/// of data, multi-byte characters, and no blank line at the end.
const BODIES: [(Protocol, &str); 3] = [
    (
        Protocol::OpenAiChat,
        "\u{feff}: hello\r\nid: 1\r\nretry: 5\r\ndata: {\"choices\": [{\"delta\":\r\ndata: {\"content\": \"Grüße 🦀\"}}]}\r\n\r\ndata: {\"choices\": [{\"delta\": {\"tool_calls\": [{\"index\": 0, \"id\": \"a\", \"function\": {\"name\": \"f\", \"arguments\": \"{\\\"x\\\": \\\"é\\\"}\"}}]}, \"finish_reason\": \"tool_calls\"}]}\r\n\r\ndata: [DONE]",
    ),
    (
        Protocol::AnthropicMessages,
        "event: message_start\ndata: {\"type\": \"message_start\", \"message\": {\"id\": \"m\", \"content\": []}}\n\nevent: content_block_start\ndata: {\"type\": \"content_block_start\", \"index\": 0, \"content_block\": {\"type\": \"text\", \"text\": \"\"}}\n\ndata: {\"type\": \"content_block_delta\", \"index\": 0, \"delta\": {\"type\": \"text_delta\", \"text\": \"Grüße\"}}\n\ndata: {\"type\": \"message_delta\", \"delta\": {\"stop_reason\": \"end_turn\"}}\n\ndata: {\"type\": \"message_stop\"}\n\n",
    ),
    (
        Protocol::OpenAiResponses,
        "data: {\"type\": \"response.output_text.delta\", \"output_index\": 0, \"delta\": \"Grüße\"}\r\rdata: {\"type\": \"response.completed\", \"response\": {\"status\": \"completed\", \"output\": []}}\r\r",
    ),
];

/// The events of a body in pieces, with the texts of equal events joined, and the reply.
fn read(protocol: Protocol, pieces: &[&[u8]]) -> (Vec<String>, Result<Reply, WireError>) {
    let mut stream = protocol.reader();
    let mut events: Vec<(std::mem::Discriminant<Event<'static>>, String)> = Vec::new();
    for piece in pieces {
        for event in stream.push_bytes(piece) {
            let (kind, text) = match event {
                Event::Content { text }
                | Event::Reasoning { text }
                | Event::Arguments { text, .. } => (kind(&event), text.to_owned()),
                other => (kind(&event), format!("{other:?}")),
            };
            match events.last_mut() {
                Some((last, joined)) if *last == kind => joined.push_str(&text),
                _ => events.push((kind, text)),
            }
        }
    }
    (events.into_iter().map(|it| it.1).collect(), stream.finish())
}

fn kind(event: &Event<'_>) -> std::mem::Discriminant<Event<'static>> {
    std::mem::discriminant(match event {
        Event::Content { .. } => &Event::Content { text: "" },
        Event::Reasoning { .. } => &Event::Reasoning { text: "" },
        Event::Arguments { .. } => &Event::Arguments { index: 0, text: "" },
        Event::CallStarted { .. } => {
            &Event::CallStarted { index: 0, id: "", name: "", known: true, free_text: false }
        }
        Event::CallEnded { .. } => {
            &Event::CallEnded { index: 0, id: "", complete: true, repaired: false }
        }
        _ => &Event::Refusal { text: "" },
    })
}

#[test]
fn a_body_may_be_split_at_any_byte() {
    for (protocol, body) in BODIES {
        let bytes = body.as_bytes();
        let (events, reply) = read(protocol, &[bytes]);
        let reply = reply.unwrap();
        assert!(reply.content().starts_with("Grüße"));
        for at in 0..=bytes.len() {
            let (first, second) = bytes.split_at(at);
            let (split_events, split_reply) = read(protocol, &[first, second]);
            assert_eq!(
                (&split_events, split_reply.unwrap()),
                (&events, reply.clone()),
                "split at {at}"
            );
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read(protocol, &single).1.unwrap(), reply);
    }
}

/// Bytes before the text do not belong to it, however the body is split.
#[test]
fn half_of_a_byte_order_mark_is_read_the_same_in_pieces() {
    let body = b"\xef<\xbf: hello";
    let complete = read(Protocol::OpenAiChat, &[body]).1.unwrap_err().to_string();
    let pieces: Vec<&[u8]> = body.chunks(1).collect();
    assert_eq!(read(Protocol::OpenAiChat, &pieces).1.unwrap_err().to_string(), complete);
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        protocol in proptest::sample::select(&PROTOCOLS[..]),
        status in 100u16..600,
    ) {
        let mut stream = protocol.reader().with_status(status);
        stream.push_bytes(&bytes);
        let _ = stream.finish();
        let _ = protocol.read(status, &bytes);
    }

    /// Bodies with one wrong byte are read the same, complete and in pieces.
    #[test]
    fn damaged_bodies_are_read_the_same_in_pieces(
        body in proptest::sample::select(&BODIES[..]),
        at in any::<proptest::sample::Index>(),
        byte in any::<u8>(),
        size in 1usize..40,
    ) {
        let (protocol, body) = body;
        let mut bytes = body.as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let (events, complete) = read(protocol, &[&bytes]);
        let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
        let (events_in_pieces, in_pieces) = read(protocol, &pieces);
        prop_assert_eq!(events, events_in_pieces);
        let printed = |result: Result<Reply, WireError>| result.map_err(|error| format!("{error:?}"));
        prop_assert_eq!(printed(complete), printed(in_pieces));
    }
}
