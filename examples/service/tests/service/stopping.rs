//! When the service is stopped, running answers can finish.
#![cfg(unix)]

use scripted_provider::Gate;
use serde_json::{Value, json};

use crate::{Case, SupportAnswer, client, says};

async fn a_running_answer_ends_first(signal: &str) {
    let gate = Gate::closed();
    let case = Case::new([says(&["first", " second"]).wait_after(1, &gate)]).await;
    let response = case.post("/support", &json!({"question": "Why?"})).await;
    case.service.signal(signal).await;
    let stops = |fields: &Value| fields["message"].as_str().unwrap().starts_with("stopping");
    case.service.logged(stops).await;

    gate.open();
    assert_eq!(SupportAnswer::read(response).await.complete_text(), "first second");
    let health = case.service.url("/health");
    assert!(case.service.ended().await.success());
    assert!(client().get(health).send().await.is_err());
}

#[tokio::test]
async fn a_running_answer_ends_before_sigterm_does() {
    a_running_answer_ends_first("TERM").await;
}

#[tokio::test]
async fn a_running_answer_ends_before_ctrl_c_does() {
    a_running_answer_ends_first("INT").await;
}
