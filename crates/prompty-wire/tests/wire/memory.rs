//! The memory of the readers of answers is at most a multiple of the body, whatever its lists are.

use prompty_reply::Reply;
use prompty_wire::{Protocol, WireError, WireErrorKind};
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

/// Bodies and events with `@` in the place of a list. No list is in a part that only the provider
/// understands.
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

/// The memory that values may need in addition, which only the provider understands.
const VALUES: u64 = 14 << 20;

/// Bodies and events with `@` in the place of a value that only the provider understands.
const VALUE_BODIES: [(Protocol, &str); 8] = [
    (
        Protocol::OpenAiChat,
        r#"{"choices":[{"finish_reason":"stop","message":{"reasoning_details":[@]}}]}"#,
    ),
    (Protocol::OpenAiChat, r#"{"choices":[{"finish_reason":"stop","message":{"audio":[@]}}]}"#),
    (Protocol::OpenAiChat, r#"{"choices":[{"finish_reason":"stop","message":{"content":[[@]]}}]}"#),
    (
        Protocol::OpenAiChat,
        r#"{"choices":[{"finish_reason":"stop","message":{"tool_calls":[{"id":"a","function":{"name":"f"},"extra_content":[@]}]}}]}"#,
    ),
    (Protocol::OpenAiResponses, r#"{"status":"completed","output":[{"type":"x","values":[@]}]}"#),
    (
        Protocol::OpenAiResponses,
        r#"{"status":"completed","output":[{"type":"message","content":[{"type":"x","values":[@]}]}]}"#,
    ),
    (
        Protocol::AnthropicMessages,
        r#"{"type":"message","stop_reason":"end_turn","content":[{"type":"x","values":[@]}]}"#,
    ),
    (
        Protocol::AnthropicMessages,
        r#"{"type":"message","stop_reason":"tool_use","content":[{"type":"tool_use","id":"a","name":"f","input":{},"caller":[@]}]}"#,
    ),
];

#[test]
fn values_that_only_the_provider_understands_need_at_most_a_multiple_and_a_constant() {
    const LENGTH: usize = 1 << 20;
    for (protocol, template) in VALUE_BODIES {
        for item in ["0", r#"{"a":0}"#, "[[]]", r#""a""#] {
            let list = vec![item; LENGTH / (item.len() + 1)].join(",");
            let body = template.replace('@', &list);
            let (read, work) = count_work(|| protocol.read(200, body.as_bytes()));
            let length = body.len() as u64;
            let times = work.held / length;
            assert!(work.held <= length * PER_BYTE + VALUES, "{template} {item}: {times} times");
            let error = read.unwrap_err();
            assert_eq!(error.kind(), WireErrorKind::Unreadable, "{template} {item}");
            assert!(error.to_string().contains("too many small values"), "{error}");
        }
    }
}

/// Schemas have many small values.
#[test]
fn a_long_list_of_tools_of_the_provider_is_kept() {
    let tool = r#"{"name":"look_up","input_schema":{"type":"object","properties":{"city":{"type":"string"},"n":{"type":"integer"}},"required":["city"]}}"#;
    let tools = vec![tool; 2000].join(",");
    let item = format!(r#"{{"type":"mcp_list_tools","id":"m","tools":[{tools}]}}"#);
    let body = format!(r#"{{"status":"completed","output":[{item}]}}"#);
    let reply = Protocol::OpenAiResponses.read(200, body.as_bytes()).unwrap();
    assert_eq!(reply.others()[0].kind(), Some("mcp_list_tools"));
}

/// A complete answer has one detail for each chunk of the model's thinking.
#[test]
fn the_details_of_a_long_thinking_are_kept() {
    let detail = r#"{"type":"reasoning.text","text":" token","format":"unknown","index":0}"#;
    let details = vec![detail; 15_000].join(",");
    let message = format!(r#"{{"content":"a","reasoning_details":[{details}]}}"#);
    let body = format!(r#"{{"choices":[{{"finish_reason":"stop","message":{message}}}]}}"#);
    let reply = Protocol::OpenAiCompatible.read(200, body.as_bytes()).unwrap();
    assert_eq!(reply.content(), "a");
}

/// The stream ends with an error, and its text is not lost.
#[test]
fn text_after_too_many_values_is_still_reported() {
    let list = vec!["0"; 300_000].join(",");
    let mut reader = Protocol::OpenAiResponses.reader();
    reader.push(&format!(
        r#"{{"type":"response.output_item.done","item":{{"type":"x","values":[{list}]}}}}"#
    ));
    let delta = r#"{"type":"response.output_text.delta","item_id":"m","output_index":1,"content_index":0,"delta":"hello"}"#;
    assert_eq!(reader.push(delta).content().collect::<String>(), "hello");
    let error = reader.finish().unwrap_err();
    assert!(error.to_string().contains("too many small values"), "{error}");
    assert_eq!(error.partial().unwrap().content(), "hello");
}

/// A budget for each choice would allow as many values as there are choices.
#[test]
fn all_choices_share_the_memory_of_values() {
    let list = vec!["0"; 30_000].join(",");
    let choice = |index| {
        format!(r#"{{"index":{index},"finish_reason":"stop","message":{{"content":[[{list}]]}}}}"#)
    };
    let choices: Vec<String> = (0..30).map(choice).collect();
    let body = format!(r#"{{"choices":[{}]}}"#, choices.join(","));
    let (read, work) = count_work(|| Protocol::OpenAiChat.read(200, body.as_bytes()));
    assert!(work.held <= body.len() as u64 * PER_BYTE + VALUES, "{work}");
    assert!(read.unwrap_err().to_string().contains("too many small values"));
}
