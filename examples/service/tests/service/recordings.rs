//! Streams that real providers sent come through the service as they are. The recordings lie outside of the
//! repository: `PROMPTY_CONFORMANCE` says where.

use std::collections::BTreeMap;
use std::fs;

use scripted_provider::{Answer, Provider};
use serde_json::{Value, json};

use crate::{Running, Told, client};

#[tokio::test]
async fn recorded_streams_are_told_as_their_providers_meant_them() {
    let Some(folder) = std::env::var_os("PROMPTY_CONFORMANCE") else {
        println!("not tested: PROMPTY_CONFORMANCE does not say where the recordings are");
        return;
    };
    let mut cases = Vec::new();
    for name in ["openai-chat", "openai-compatible"] {
        let path = std::path::Path::new(&folder).join(format!("wire/{name}.jsonl"));
        let lines = fs::read_to_string(path).expect("the recordings can be read");
        cases.extend(lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
    cases.retain(|case| case["kind"] == "stream" && case["expected"]["content"].is_string());

    // Pieces of a length that cuts events and characters.
    let answers: Vec<_> = cases.iter().map(|case| Answer::pieces([body(case)]).cut(97)).collect();
    let provider = Provider::start(answers).await;
    let service = Running::start(&provider.base_url()).await;
    let mut counts = BTreeMap::new();
    for case in &cases {
        let post =
            client().post(service.url("/support")).body(json!({"question": "?"}).to_string());
        let response = post.header("content-type", "application/json").send().await.unwrap();
        let told = Told::read(response).await;
        assert_eq!(told.text, case["expected"]["content"], "{}", case["id"]);
        let is_whole = ["stop", "tool_calls"]
            .contains(&case["expected"]["finish_reason"].as_str().unwrap_or(""));
        if is_whole && case["expected"]["refusal"].is_null() {
            assert_eq!(told.end.0, "done", "{}: {:?}", case["id"], told.end);
        }
        *counts.entry(case["vendor"].as_str().unwrap_or_default()).or_insert(0) += 1;
    }
    println!("recorded streams by provider: {counts:?}");
    assert!(!counts.is_empty());
}

/// The body as it came, or its events in plain framing.
fn body(case: &Value) -> String {
    if let Some(body) = case["sse"].as_str() {
        return body.to_owned();
    }
    let events = case["input"].as_array().expect("a stream is a list of data");
    events.iter().map(|data| format!("data: {}\n\n", data.as_str().expect("a text"))).collect()
}
