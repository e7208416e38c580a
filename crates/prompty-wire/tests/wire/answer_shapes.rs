//! Generated bodies of answers: samples with all fields that the readers know, in which one value is
//! replaced by a long one.

use prompty_core::value::{Map, Value};
use prompty_wire::Protocol;

/// Complete answers.
pub(super) const ANSWERS: [(Protocol, &str); 3] = [
    (
        Protocol::OpenAiChat,
        r#"{"id": "c", "model": "m", "object": "chat.completion", "message": "", "detail": "",
        "x_groq": {"usage": {"prompt_tokens": 1}}, "error": null,
        "usage": {"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": 1}},
        "choices": [{"index": 0, "finish_reason": "stop", "text": "", "error": null, "usage": {},
            "logprobs": [], "message": {"content": [{"type": "text", "text": "a"},
                {"type": "thinking", "thinking": [{"type": "text", "text": "b"}]}, {"type": "x"}],
                "reasoning_content": "", "reasoning_details": [{"type": "r", "text": "a"}],
                "refusal": "", "audio": {"id": "a"}, "images": [{"type": "image_url"}],
                "tool_calls": [{"index": 0, "id": "i", "function": {"name": "f", "arguments": "{}"},
                    "extra_content": {"a": 1}, "provider_specific_fields": {"b": 1}},
                    {"id": "j", "custom": {"name": "g", "input": "a"}}]}},
            {"index": 1, "finish_reason": "stop", "message": {"content": "a",
                "function_call": {"name": "f", "arguments": {"a": 1}}}}]}"#,
    ),
    (
        Protocol::OpenAiResponses,
        r#"{"id": "r", "model": "m", "object": "response", "status": "completed", "error": null,
        "output_text": "", "incomplete_details": {"reason": ""}, "usage": {"input_tokens": 1},
        "output": [
            {"type": "reasoning", "id": "a", "summary": [{"type": "summary_text", "text": "a"}],
                "content": [{"type": "reasoning_text", "text": "a"}], "encrypted_content": "a"},
            {"type": "message", "id": "b", "status": "completed", "phase": "final", "content": [
                {"type": "output_text", "text": "a", "annotations": []},
                {"type": "refusal", "refusal": "b"}, {"type": "x", "value": 1}]},
            {"type": "function_call", "id": "c", "call_id": "d", "name": "f", "arguments": "{}",
                "namespace": {"a": 1}, "caller": {"b": 1}},
            {"type": "custom_tool_call", "call_id": "e", "name": "g", "input": "a"},
            {"type": "web_search_call", "id": "g", "action": {"query": "a"}}]}"#,
    ),
    (
        Protocol::AnthropicMessages,
        r#"{"id": "m", "type": "message", "model": "m", "stop_reason": "end_turn", "error": null,
        "stop_sequence": null, "usage": {"input_tokens": 1}, "index": 0, "delta": null, "content": [
            {"type": "thinking", "thinking": "a", "signature": "b"},
            {"type": "text", "text": "a", "citations": []},
            {"type": "tool_use", "id": "a", "name": "f", "input": {"a": 1}, "caller": {"b": 1}},
            {"type": "server_tool_use", "id": "b", "name": "g", "input": {"c": [1]}}]}"#,
    ),
];

/// The events of a stream.
pub(super) const STREAMS: [(Protocol, &[&str]); 3] = [
    (
        Protocol::OpenAiChat,
        &[
            r#"{"id": "c", "model": "m", "object": "chat.completion.chunk", "choices": [{"index": 0,
                "delta": {"content": "a", "reasoning": "b", "reasoning_details": [{"type": "r"}],
                "refusal": "c", "audio": {"id": "a"}, "tool_calls": [{"index": 0, "id": "i",
                    "function": {"name": "f", "arguments": "{"}, "extra_content": {"a": 1}}]}},
                {"index": 1, "delta": {"content": [{"type": "x"}],
                    "function_call": {"name": "f", "arguments": "{"}}}]}"#,
            r#"{"choices": [{"index": 0, "message": {"content": "a", "reasoning": "b",
                "reasoning_details": [{"type": "r"}], "images": [{"type": "image_url"}],
                "tool_calls": [{"id": "i", "function": {"name": "f", "arguments": "{}"}}]}}]}"#,
            r#"{"choices": [{"index": 0, "delta": {"tool_calls": [{"id": "i",
                "function": {"name": "f", "arguments": "{}"}}]}}]}"#,
            r#"{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"},
                {"index": 1, "delta": {}, "finish_reason": "stop"}], "usage": {"total_tokens": 1}}"#,
        ],
    ),
    (
        Protocol::OpenAiResponses,
        &[
            r#"{"type": "response.created", "response": {"id": "r", "model": "m", "output": []}}"#,
            r#"{"type": "response.output_item.added", "output_index": 0, "item": {"type": "message",
                "id": "b", "content": [{"type": "output_text", "text": "a"}], "phase": "p"}}"#,
            r#"{"type": "response.output_item.added", "output_index": 1, "item":
                {"type": "function_call", "call_id": "d", "name": "f", "arguments": ""}}"#,
            r#"{"type": "response.output_text.delta", "output_index": 0, "item_id": "b",
                "content_index": 0, "delta": "a"}"#,
            r#"{"type": "response.output_text.done", "output_index": 0, "content_index": 1,
                "text": "b"}"#,
            r#"{"type": "response.refusal.delta", "output_index": 0, "delta": "c"}"#,
            r#"{"type": "response.content_part.done", "output_index": 0, "content_index": 2,
                "part": {"type": "x", "value": [1]}}"#,
            r#"{"type": "response.reasoning_summary_text.delta", "output_index": 2,
                "summary_index": 0, "delta": "d"}"#,
            r#"{"type": "response.reasoning_summary_part.done", "output_index": 2,
                "summary_index": 1, "part": {"type": "summary_text", "text": "e"}}"#,
            r#"{"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{"}"#,
            r#"{"type": "response.function_call_arguments.done", "output_index": 3,
                "arguments": "{}"}"#,
            r#"{"type": "response.output_item.done", "output_index": 1, "item":
                {"type": "function_call", "call_id": "d", "name": "f", "arguments": "{}"}}"#,
            r#"{"type": "response.output_item.done", "output_index": 4, "item":
                {"type": "web_search_call", "id": "g", "action": {"query": "a"}}}"#,
            r#"{"type": "response.completed", "response": {"status": "completed", "output": [
                {"type": "message", "id": "h", "content": [{"type": "output_text", "text": "f"}]},
                {"type": "x", "id": "k", "values": [1]}]}}"#,
        ],
    ),
    (
        Protocol::AnthropicMessages,
        &[
            r#"{"type": "message_start", "message": {"id": "m", "model": "m", "content": [],
                "usage": {"input_tokens": 1}}}"#,
            r#"{"type": "content_block_start", "index": 0, "content_block":
                {"type": "thinking", "thinking": "", "signature": ""}}"#,
            r#"{"type": "content_block_delta", "index": 0, "delta":
                {"type": "thinking_delta", "thinking": "a"}}"#,
            r#"{"type": "content_block_delta", "index": 0, "delta":
                {"type": "signature_delta", "signature": "b"}}"#,
            r#"{"type": "content_block_stop", "index": 0}"#,
            r#"{"type": "content_block_start", "index": 1, "content_block":
                {"type": "server_tool_use", "id": "b", "name": "g", "input": {}}}"#,
            r#"{"type": "content_block_delta", "index": 1, "delta":
                {"type": "input_json_delta", "partial_json": " "}}"#,
            r#"{"type": "content_block_delta", "index": 1, "delta": {"type": "x", "value": "a"}}"#,
            r#"{"type": "content_block_start", "index": 2, "content_block":
                {"type": "tool_use", "id": "a", "name": "f", "input": {}, "caller": {"b": 1}}}"#,
            r#"{"type": "content_block_delta", "index": 2, "delta":
                {"type": "input_json_delta", "partial_json": "{}"}}"#,
            r#"{"type": "content_block_start", "index": 3, "content_block":
                {"type": "text", "text": "a"}}"#,
            r#"{"type": "content_block_delta", "index": 3, "delta":
                {"type": "text_delta", "text": "a"}}"#,
            r#"{"type": "message", "stop_reason": "end_turn", "content": [
                {"type": "text", "text": "aaab"}, {"type": "y", "values": [1]}]}"#,
            r#"{"type": "message_delta", "delta": {"stop_reason": "end_turn"},
                "usage": {"output_tokens": 1}}"#,
            r#"{"type": "message_stop"}"#,
        ],
    ),
];

/// The smallest items of a long list.
const ITEMS: [&str; 6] = [
    "0",
    "{}",
    "\"a\"",
    r#"{"a":0}"#,
    r#"{"type":"x","a":[0,0]}"#,
    r#"{"id":"a","type":"text","text":"b","name":"f"}"#,
];

/// A generated body, or a generated event.
pub(super) struct Shape {
    /// What was replaced by what, for failures.
    pub(super) name: String,
    /// The JSON of about a length.
    pub(super) json: Box<dyn Fn(usize) -> String>,
}

impl Shape {
    /// A template whose place is filled with a value of a length.
    fn new(
        template: &str,
        name: impl std::fmt::Display,
        value: impl Fn(usize) -> String + 'static,
    ) -> Self {
        let name = format!("{name} in {template}");
        let template = template.to_owned();
        Self { name, json: Box::new(move |length| fill(&template, &value(length))) }
    }
}

/// A list of equal items.
fn list(item: &str, length: usize) -> String {
    format!("[{}]", vec![item; length / (item.len() + 1) + 1].join(","))
}

fn object(length: usize, key: impl Fn(usize) -> String) -> String {
    format!("{{{}}}", (0..length / 8).map(key).collect::<Vec<_>>().join(","))
}

type MakeText = fn(usize) -> String;

/// Long values other than lists, each with a name.
const LONG_VALUES: [(&str, MakeText); 8] = [
    ("mixed", |length| list(r#"0,{"a":[]},"b",[[0]],null,{"c":{"d":1}}"#, length)),
    ("objects in objects", |_| format!("{}0{}", r#"{"a":"#.repeat(100), "}".repeat(100))),
    ("arrays in arrays", |length| "[".repeat(length / 2) + &"]".repeat(length / 2)),
    ("lists of lists", |length| list(&list("0", 2000), length)),
    ("keys", |length| object(length, |at| format!("\"k{at}\":0"))),
    ("equal keys", |length| object(length, |_| "\"type\":0".to_owned())),
    ("text", |length| format!("\"{}\"", "a".repeat(length))),
    ("escapes", |length| format!("\"{}\"", r"\n\ud83d".repeat(length / 8))),
];

/// The place of the value that is replaced.
const PLACE: &str = "@";

fn fill(template: &str, value: &str) -> String {
    template.replace(&format!("\"{PLACE}\""), value)
}

/// The JSON with the value of this number replaced by [`PLACE`], and that value.
fn with_place(json: &Value, number: usize) -> Option<(String, Value)> {
    fn replace(value: &Value, left: &mut usize, replaced: &mut Option<Value>) -> Value {
        if *left == 0 && replaced.is_none() {
            *replaced = Some(value.clone());
            return Value::from(PLACE);
        }
        *left = left.saturating_sub(1);
        match value {
            Value::Array(items) => {
                let items = items.iter().map(|item| replace(item, left, replaced));
                Value::from(items.collect::<Vec<_>>())
            }
            Value::Object(map) => {
                let entries =
                    map.iter().map(|(name, value)| (name, replace(value, left, replaced)));
                Value::Object(entries.collect::<Map>())
            }
            other => other.clone(),
        }
    }
    let mut replaced = None;
    let written = replace(json, &mut { number }, &mut replaced).to_json();
    replaced.map(|value| (written, value))
}

/// The places of a sample, each with its JSON and the replaced value.
pub(super) fn places(sample: &str) -> impl Iterator<Item = (String, Value)> {
    let sample = Value::from_json(sample).unwrap();
    (1..).map_while(move |number| with_place(&sample, number))
}

/// The sample with each value replaced by a long one, and with each list made of many equal items,
/// in which each value is replaced by a short list. The next place has the next kind of long value,
/// because all kinds in all places need minutes.
pub(super) fn long_shapes(sample: &str) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for (number, (template, replaced)) in places(sample).enumerate() {
        let lists = ITEMS.map(|item| {
            Shape::new(&template, format!("[{item}, ...]"), move |length| list(item, length))
        });
        let others = LONG_VALUES.map(|(name, value)| Shape::new(&template, name, value));
        let kind = number % (lists.len() + others.len());
        shapes.extend(lists.into_iter().chain(others).nth(kind));
        for item in replaced.as_array().unwrap_or_default() {
            for (number, (inner, _)) in places(&item.to_json()).enumerate() {
                let small = ["0", "{}"][number % 2];
                let item = fill(&inner, &list(small, 2000));
                let name = format!("[{inner} with [{small}, ...], ...]");
                shapes.push(Shape::new(&template, name, move |length| list(&item, length)));
            }
        }
    }
    shapes
}

/// An event with each value replaced by a short list. Returns names and JSON.
pub(super) fn short_shapes(sample: &str) -> Vec<(String, String)> {
    const LENGTH: usize = 150;
    let mut shapes = Vec::new();
    for (number, (template, replaced)) in places(sample).enumerate() {
        let item = replaced.as_array().and_then(|items| items.first()).map(Value::to_json);
        let small = ["0", "{}", "\"a\""][number % 3];
        for item in [Some(small.to_owned()), item].into_iter().flatten() {
            let name = format!("[{item}, ...] in {template}");
            shapes.push((name, fill(&template, &list(&item, LENGTH))));
        }
    }
    shapes
}
