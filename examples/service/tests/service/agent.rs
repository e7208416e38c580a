//! `/agent` lets the model call tools.

use reqwest::StatusCode;
use scripted_provider::{Answer, chunk};
use serde_json::{Value, json};

use crate::{Case, text};

/// A complete answer that calls tools.
fn calls(calls: &[(&str, &str)]) -> Answer {
    let calls = calls.iter().enumerate().map(|(index, (name, arguments))| {
        let function = json!({"name": name, "arguments": arguments});
        json!({"id": format!("call_{index}"), "type": "function", "function": function})
    });
    let calls: Vec<Value> = calls.collect();
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    Answer::json(200, &chunk::completion(message, "tool_calls"))
}

async fn agent(case: &Case) -> (StatusCode, Value) {
    let response = case.post("/agent", &json!({"question": "Cancel order 17."})).await;
    let status = response.status();
    (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap())
}

#[tokio::test]
async fn tools_are_called_and_their_results_go_back() {
    let script = [
        calls(&[("order", r#"{"number": 17}"#), ("order", r#"{"number": 18}"#)]),
        calls(&[("cancel", r#"{"number": 17, "reason": "too loud"}"#)]),
        Answer::text("It is cancelled."),
    ];
    let case = Case::new(script).await;
    let done = json!({"answer": "It is cancelled.", "calls": ["order", "order", "cancel"]});
    assert_eq!(agent(&case).await, (StatusCode::OK, done));

    let request = case.request(2);
    let messages = request["messages"].as_array().unwrap();
    let roles: Vec<_> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "assistant", "tool"]);
    assert_eq!(messages[4]["tool_call_id"], messages[2]["tool_calls"][1]["id"]);
    assert!(text(&messages[4]).contains("kettle"));
    assert_eq!(text(&messages[6]), "order 17 (blender) is cancelled: too loud");

    let span = case.service.span("execute_tool").await;
    assert_eq!(span["gen_ai.operation.name"], "execute_tool");
    assert_eq!(span["gen_ai.tool.name"], "order");
}

#[tokio::test]
async fn tools_are_offered_with_strict_schemas() {
    let case = Case::new([Answer::text("Hello!")]).await;
    agent(&case).await;
    let request = case.request(0);
    let cancel = &request["tools"][1]["function"];
    assert_eq!((&cancel["name"], &cancel["strict"]), (&json!("cancel"), &json!(true)));
    assert_eq!(cancel["description"], "Cancels an order that was not sent yet.");
    assert_eq!(cancel["parameters"]["additionalProperties"], false);
    assert_eq!(cancel["parameters"]["required"], json!(["number", "reason"]));
}

#[tokio::test]
async fn an_invalid_call_goes_back_to_the_model() {
    let script = [
        calls(&[("order", r#"{"number": "seventeen"}"#), ("ordre", "{}")]),
        calls(&[("cancel", r#"{"number": 18, "reason": null}"#)]),
        Answer::text("I cannot."),
    ];
    let case = Case::new(script).await;
    assert_eq!(agent(&case).await.1["answer"], "I cannot.");
    let request = case.request(2);
    let messages = request["messages"].as_array().unwrap();
    assert!(text(&messages[3]).contains("number: expected u32"), "{}", messages[3]);
    assert!(text(&messages[4]).contains("ordre"), "{}", messages[4]);
    assert!(text(&messages[6]).contains("the kettle is on its way"), "{}", messages[6]);
}

#[tokio::test]
async fn a_cut_call_is_not_executed() {
    let function = json!({"name": "cancel", "arguments": "{\"number\": 17"});
    let call = json!({"id": "call_1", "type": "function", "function": function});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let case = Case::new([Answer::json(200, &chunk::completion(message, "length"))]).await;
    let (status, error) = agent(&case).await;
    assert_eq!((status, &error["error"]["code"]), (StatusCode::BAD_GATEWAY, &json!("cut_off")));
    assert_eq!(case.provider.requests().len(), 1);
}

#[tokio::test]
async fn the_loop_has_an_end() {
    let again = || calls(&[("order", r#"{"number": 17}"#)]);
    let case = Case::new([again(), again(), again(), again(), again(), again()]).await;
    let (status, error) = agent(&case).await;
    assert_eq!(status, StatusCode::BAD_GATEWAY);
    assert_eq!(error["error"]["code"], "too_many_steps");
    assert_eq!(case.provider.requests().len(), 5);
}

/// The answer ended normally, but the arguments of its calls are not JSON.
#[tokio::test]
async fn the_model_gets_an_error_for_a_call_that_cannot_be_parsed() {
    let script = [
        calls(&[("order", r#"{"number": seventeen"#), ("order", r#"{"number": 18}"#)]),
        calls(&[("order", "17")]),
        Answer::text("I cannot."),
    ];
    let case = Case::new(script).await;
    let done = json!({"answer": "I cannot.", "calls": ["order"]});
    assert_eq!(agent(&case).await, (StatusCode::OK, done));
    let request = case.request(2);
    let messages = request["messages"].as_array().unwrap();
    let roles: Vec<_> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "user", "user"]);
    assert!(
        text(&messages[4]).contains("arguments of `order` are not valid JSON"),
        "{}",
        messages[4]
    );
    assert!(text(&messages[5]).contains("expected a JSON object as arguments"), "{}", messages[5]);
}
