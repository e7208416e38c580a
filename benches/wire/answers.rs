//! Complete answers: the body of an HTTP response is read.

use std::hint::black_box;

use async_openai::types::chat::CreateChatCompletionResponse;
use async_openai::types::responses::Response;
use serde_json::{Value as Json, json};
use typed_prompty::reply::Reply;
use typed_prompty::wire::Protocol;

use crate::Work;

pub fn works() -> Vec<Work> {
    let text =
        "The shop takes it back within thirty days, \u{201e}gro\u{df}\u{201c} or \"small\".\n";
    let (short, long) = (text.to_owned(), text.repeat(200));
    let calls: Vec<(String, String)> =
        (0..3).map(|at| (format!("call_{at}"), arguments(at))).collect();
    let chat = |name: &str, body: Json| {
        let read = |body: &[u8]| {
            let answer: CreateChatCompletionResponse =
                serde_json::from_slice(body).expect("the answer is valid");
            let message =
                answer.choices.into_iter().next().expect("the answer has a choice").message;
            message.content.unwrap_or_default()
        };
        work(format!("chat completion, {name}"), Protocol::OpenAiChat, &body, read, |body| {
            drop(black_box(serde_json::from_slice::<CreateChatCompletionResponse>(body)));
        })
    };
    let response = |name: &str, body: Json| {
        let read = |body: &[u8]| {
            let answer: Response = serde_json::from_slice(body).expect("the answer is valid");
            answer.output_text().unwrap_or_default()
        };
        work(format!("response, {name}"), Protocol::OpenAiResponses, &body, read, |body| {
            drop(black_box(serde_json::from_slice::<Response>(body)));
        })
    };
    vec![
        chat("short", completion(json!({"role": "assistant", "content": short}), "stop")),
        chat("12 KB", completion(json!({"role": "assistant", "content": long}), "stop")),
        chat("3 calls", completion(calls_message(&calls), "tool_calls")),
        response("short", self::response(vec![output_message(&short)])),
        response("12 KB", self::response(vec![output_message(&long)])),
        response("3 calls", self::response(calls.iter().map(output_call).collect())),
    ]
}

/// Checks that both read the same text, and returns the work.
fn work(
    name: String,
    protocol: Protocol,
    body: &Json,
    peer_text: impl Fn(&[u8]) -> String,
    peer: impl Fn(&[u8]) + 'static,
) -> Work {
    let body = body.to_string().into_bytes();
    let read =
        move |body: &[u8]| -> Reply { protocol.read(200, body).expect("the answer is valid") };
    assert_eq!(read(&body).content(), peer_text(&body), "{name}");
    let same = body.clone();
    Work::new(name, move || drop(black_box(read(black_box(&body)))), move || peer(black_box(&same)))
}

fn arguments(at: usize) -> String {
    json!({"query": format!("order {at} \"blender\""), "limit": 5, "collection": "orders"})
        .to_string()
}

fn completion(message: Json, reason: &str) -> Json {
    json!({
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "object": "chat.completion",
        "created": 1_741_569_952,
        "model": "gpt-4o-2024-08-06",
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": reason}],
        "usage": {
            "prompt_tokens": 19,
            "completion_tokens": 10,
            "total_tokens": 29,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {
                "reasoning_tokens": 0,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        },
        "service_tier": "default",
        "system_fingerprint": "fp_fc9f1d7035",
    })
}

fn calls_message(calls: &[(String, String)]) -> Json {
    let call = |(id, arguments): &(String, String)| json!({"id": id, "type": "function", "function": {"name": "look_up", "arguments": arguments}});
    let calls: Vec<Json> = calls.iter().map(call).collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls, "refusal": null})
}

fn response(output: Vec<Json>) -> Json {
    json!({
        "id": "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
        "object": "response",
        "created_at": 1_741_476_542,
        "status": "completed",
        "error": null,
        "incomplete_details": null,
        "instructions": null,
        "max_output_tokens": null,
        "model": "gpt-4.1-2025-04-14",
        "output": output,
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "reasoning": {"effort": null, "summary": null},
        "store": true,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": {
            "input_tokens": 36,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 87,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 123,
        },
        "metadata": {},
    })
}

fn output_message(text: &str) -> Json {
    json!({
        "type": "message",
        "id": "msg_67ccd2bf17f0819081ff3bb2cf6508e60bb6a6b452d3795b",
        "status": "completed",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}],
    })
}

fn output_call((id, arguments): &(String, String)) -> Json {
    json!({
        "type": "function_call",
        "id": format!("fc_{id}"),
        "call_id": id,
        "name": "look_up",
        "arguments": arguments,
        "status": "completed",
    })
}
