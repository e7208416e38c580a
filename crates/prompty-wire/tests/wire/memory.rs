//! The memory of the readers of answers is at most a multiple of the body, whatever its lists are.

use prompty_reply::Reply;
use prompty_wire::{Protocol, WireError};
use work_counting::count_work;

/// The maximum memory for each byte of a body.
const PER_BYTE: u64 = 8;

/// The memory that a reader may need in addition, for a limited number of items.
const CONSTANT: u64 = 1 << 20;

/// The length of a generated list in bytes.
const LENGTH: usize = 256 << 10;

const ITEMS: [&str; 6] = [
    "0",
    "{}",
    r#"{"id":"a"}"#,
    r#"{"type":"x","a":[0,0]}"#,
    r#"{"type":"function_call","name":"f","arguments":"{}"}"#,
    r#"{"type":"tool_use","name":"f","function":{"name":"f"}}"#,
];

/// Bodies and events with `@` in the place of a list. Parts that only the provider understands are
/// kept as values, which need more memory, so no list is in one.
const BODIES: [(Protocol, &str); 10] = [
    (Protocol::OpenAiChat, r#"{"choices":[@]}"#),
    (Protocol::OpenAiChat, r#"{"choices":[{"finish_reason":"stop","message":{"content":[@]}}]}"#),
    (
        Protocol::OpenAiChat,
        r#"{"choices":[{"finish_reason":"stop","message":{"tool_calls":[@]}}]}"#,
    ),
    (Protocol::OpenAiChat, r#"{"choices":[{"finish_reason":"stop","delta":{"tool_calls":[@]}}]}"#),
    (Protocol::OpenAiResponses, r#"{"status":"completed","output":[@]}"#),
    (
        Protocol::OpenAiResponses,
        r#"{"status":"completed","output":[{"type":"message","content":[@]}]}"#,
    ),
    (Protocol::OpenAiResponses, r#"{"type":"response.completed","response":{"output":[@]}}"#),
    (
        Protocol::OpenAiResponses,
        r#"{"type":"response.output_item.added","item":{"type":"message","content":[@]}}"#,
    ),
    (Protocol::AnthropicMessages, r#"{"type":"message","stop_reason":"end_turn","content":[@]}"#),
    (Protocol::AnthropicMessages, r#"{"type":"message_start","message":{"content":[@]}}"#),
];

/// Fails if reading any of the bodies needs more memory than its length allows.
#[track_caller]
fn check(length: usize, repeat: usize, read: fn(Protocol, &[u8]) -> Result<Reply, WireError>) {
    let mut failures = String::new();
    for item in ITEMS {
        let list = vec![item; length / (item.len() + 1)].join(",");
        for (protocol, template) in BODIES {
            let event = format!("data: {}\n\n", template.replace('@', &list)).repeat(repeat);
            let body = if repeat == 1 { template.replace('@', &list) } else { event };
            let (_reply, work) = count_work(|| read(protocol, body.as_bytes()));
            let length = body.len() as u64;
            if work.held > length * PER_BYTE + CONSTANT {
                failures += &format!("{template} {item}: {} times\n", work.held / length);
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn a_complete_answer_needs_at_most_a_multiple_of_its_length() {
    check(LENGTH, 1, |protocol, body| protocol.read(200, body));
}

#[test]
fn many_events_need_at_most_a_multiple_of_their_length() {
    check(LENGTH / 64, 64, |protocol, body| {
        let mut stream = protocol.reader();
        body.chunks(4 << 10).for_each(|piece| _ = stream.push_bytes(piece));
        stream.finish()
    });
}
