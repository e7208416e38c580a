//! Streams of real providers pass through the service unchanged. The recordings are not in the
//! repository: they are read from the folder `PROMPTY_CONFORMANCE`.

use std::collections::BTreeMap;
use std::fs;

use scripted_provider::{Answer, Provider};
use serde_json::{Value, json};

use crate::{ServiceProcess, SupportAnswer, client};

#[tokio::test]
async fn recorded_streams_have_their_expected_content() {
    let Some(folder) = std::env::var_os("PROMPTY_CONFORMANCE") else {
        println!("skipped: PROMPTY_CONFORMANCE is not set to the folder of the recordings");
        return;
    };
    let mut cases = Vec::new();
    for name in ["openai-chat", "openai-compatible"] {
        let path = std::path::Path::new(&folder).join(format!("wire/{name}.jsonl"));
        let lines = fs::read_to_string(path).expect("the recordings can be read");
        cases.extend(lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
    cases.retain(|case| case["kind"] == "stream" && case["expected"]["content"].is_string());

    // The length of the pieces cuts events and characters.
    let answers: Vec<_> = cases.iter().map(|case| Answer::pieces([body(case)]).cut(97)).collect();
    let provider = Provider::start(answers).await;
    let service = ServiceProcess::start(&provider.base_url()).await;
    let mut counts = BTreeMap::new();
    for case in &cases {
        let post =
            client().post(service.url("/support")).body(json!({"question": "?"}).to_string());
        let response = post.header("content-type", "application/json").send().await.unwrap();
        let answer = SupportAnswer::read(response).await;
        assert_eq!(answer.text, case["expected"]["content"], "{}", case["id"]);
        let is_complete = ["stop", "tool_calls"]
            .contains(&case["expected"]["finish_reason"].as_str().unwrap_or(""));
        if is_complete && case["expected"]["refusal"].is_null() {
            assert_eq!(answer.end.0, "done", "{}: {:?}", case["id"], answer.end);
        }
        *counts.entry(case["vendor"].as_str().unwrap_or_default()).or_insert(0) += 1;
    }
    println!("recorded streams by provider: {counts:?}");
    assert!(!counts.is_empty());
}

/// The recorded body, or its events in plain framing.
fn body(case: &Value) -> String {
    if let Some(body) = case["sse"].as_str() {
        return body.to_owned();
    }
    let events = case["input"].as_array().expect("a stream is a list of data");
    events.iter().map(|data| format!("data: {}\n\n", data.as_str().expect("a text"))).collect()
}
