//! `/triage` answers with a typed value.

use reqwest::StatusCode;
use scripted_provider::{Answer, Gate, chunk};
use serde_json::{Value, json};

use crate::{Case, text};

/// The status and the JSON of the response to a complaint.
async fn triage(case: &Case) -> (StatusCode, Value) {
    let response = case.post("/triage", &json!({"complaint": "The printer burns!"})).await;
    let status = response.status();
    (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap())
}

#[tokio::test]
async fn a_ticket_is_requested_with_its_schema() {
    let ticket = json!({"title": "Printer burns", "urgency": 5, "wish": "repair"});
    let case = Case::new([Answer::text(&ticket.to_string())]).await;
    assert_eq!(triage(&case).await, (StatusCode::OK, ticket));

    let request = case.request(0);
    let format = &request["response_format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["json_schema"]["strict"], true);
    assert_eq!(format["json_schema"]["schema"]["additionalProperties"], false);
    assert_eq!(text(&request["messages"][1]), "The printer burns!");
}

#[tokio::test]
async fn a_ticket_with_small_damage_is_read() {
    let case = Case::new([Answer::text("```json\n{'title': 'Fire', urgency: \"5\",}\n```")]).await;
    let ticket = json!({"title": "Fire", "urgency": 5, "wish": null});
    assert_eq!(triage(&case).await, (StatusCode::OK, ticket));
}

#[tokio::test]
async fn an_invalid_ticket_is_requested_once_more() {
    let wrong = r#"{"title": "Fire", "urgency": 9, "wish": null}"#;
    let right = r#"{"title": "Fire", "urgency": 5, "wish": null}"#;
    let case = Case::new([Answer::text(wrong), Answer::text(right)]).await;
    assert_eq!(triage(&case).await.1["urgency"], 5);

    let request = case.request(1);
    let messages = request["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 4);
    assert_eq!((&messages[2]["role"], text(&messages[2])), (&json!("assistant"), wrong));
    assert_eq!(messages[3]["role"], "user");
    assert!(text(&messages[3]).contains("urgency"), "{}", messages[3]);
}

#[tokio::test]
async fn a_ticket_that_stays_invalid_is_an_error() {
    let wrong = || Answer::text(r#"{"title": "Fire"}"#);
    let case = Case::new([wrong(), wrong(), wrong()]).await;
    let (status, error) = triage(&case).await;
    assert_eq!((status, &error["error"]["code"]), (StatusCode::BAD_GATEWAY, &json!("unfit")));
    assert_eq!(case.provider.requests().len(), 2);
}

#[tokio::test]
async fn a_refusal_is_an_error() {
    let message = json!({"role": "assistant", "content": null, "refusal": "I cannot do that."});
    let case = Case::new([Answer::json(200, &chunk::completion(message, "stop"))]).await;
    let (status, error) = triage(&case).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(error["error"]["code"], "refused");
}

#[tokio::test]
async fn an_answer_in_another_format_is_an_error() {
    let page = Answer::body(200, "text/html", "<html>Welcome</html>");
    let case = Case::new([page]).await;
    let (status, error) = triage(&case).await;
    assert_eq!((status, &error["error"]["code"]), (StatusCode::BAD_GATEWAY, &json!("provider")));
}

#[tokio::test]
async fn a_huge_answer_is_an_error() {
    let case = Case::new([Answer::text(&"All of this is text. ".repeat(500_000))]).await;
    let (status, error) = triage(&case).await;
    assert_eq!((status, &error["error"]["code"]), (StatusCode::BAD_GATEWAY, &json!("too_large")));
}

#[tokio::test]
async fn a_client_that_goes_away_ends_the_providers_work() {
    let gate = Gate::closed();
    let case = Case::new([Answer::text("late").wait_after(0, &gate)]).await;
    tokio::select! {
        _ = triage(&case) => panic!("the provider has not answered"),
        () = gate.reached(1) => {}
    }
    case.provider.abandoned(1).await;
}
