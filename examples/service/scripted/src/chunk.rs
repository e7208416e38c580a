//! Chat completions in OpenAI's format.

use serde_json::{Value, json};

/// A chunk of a stream with this delta.
pub fn delta(delta: Value) -> Value {
    chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]), Value::Null)
}

/// A piece of the text.
pub fn text(text: &str) -> Value {
    delta(json!({ "content": text }))
}

/// The start of a tool call.
pub fn call(index: usize, id: &str, name: &str) -> Value {
    let function = json!({"name": name, "arguments": ""});
    delta(
        json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]}),
    )
}

/// A piece of the arguments of a call.
pub fn arguments(index: usize, json: &str) -> Value {
    delta(json!({"tool_calls": [{"index": index, "function": {"arguments": json}}]}))
}

/// The chunk with the reason why the answer ended.
pub fn end(reason: &str) -> Value {
    chunk(json!([{"index": 0, "delta": {}, "finish_reason": reason}]), Value::Null)
}

/// The chunk with the usage, which has no choices.
pub fn usage(input: u64, output: u64) -> Value {
    chunk(json!([]), counts(input, output))
}

/// A complete completion with this message; its usage is 11 tokens in, 7 out.
pub fn completion(message: Value, reason: &str) -> Value {
    let choice = json!({"index": 0, "message": message, "finish_reason": reason});
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "scripted-1",
        "choices": [choice],
        "usage": counts(11, 7),
    })
}

fn chunk(choices: Value, usage: Value) -> Value {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "scripted-1",
        "choices": choices,
        "usage": usage,
    })
}

fn counts(input: u64, output: u64) -> Value {
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output})
}
