//! Runs the chat as a process, with a scripted provider.

mod process;

use process::Chat;
use scripted_provider::{Answer, Gate, Provider, chunk};
use serde_json::{Value, json};

/// A stream with these pieces of text.
fn says(pieces: &[&str]) -> Answer {
    let pieces = pieces.iter().map(|piece| chunk::text(piece));
    Answer::stream(pieces.chain([chunk::end("stop"), chunk::usage(11, 7)]))
}

/// A stream that calls a tool, in pieces.
fn calls(name: &str, arguments: [&str; 2]) -> Answer {
    let pieces = arguments.map(|piece| chunk::arguments(0, piece));
    let events = [chunk::call(0, "call_1", name)].into_iter().chain(pieces);
    Answer::stream(events.chain([chunk::end("tool_calls")]))
}

#[tokio::test]
async fn a_question_is_answered() {
    let ended = Chat::new([says(&["In ", "Bonn."])]).await.ask(&["Where?"]).await;
    assert_eq!((ended.output.as_str(), ended.errors.as_str()), ("In Bonn.\n", ""));
    let request = ended.request(0);
    assert_eq!(request["model"], "scripted");
    assert_eq!(request["stream"], true);
    assert_eq!(ended.said(0), json!([["user", "Where?"]]));
}

#[tokio::test]
async fn the_key_goes_with_the_request() {
    let mut chat = Chat::new([says(&["Yes."])]).await;
    chat.enter("Why?").await;
    chat.wait_for_output("Yes.").await;
    assert_eq!(chat.provider.requests()[0].headers["authorization"], "Bearer sk-secret");
}

#[tokio::test]
async fn the_next_question_includes_the_conversation() {
    let chat = Chat::new([says(&["In Bonn."]), says(&["Since 1770."])]).await;
    let ended = chat.ask(&["Where?", "Since when?"]).await;
    assert_eq!(ended.output, "In Bonn.\nSince 1770.\n");
    let said = json!([["user", "Where?"], ["assistant", "In Bonn."], ["user", "Since when?"]]);
    assert_eq!(ended.said(1), said);
}

#[tokio::test]
async fn text_is_shown_before_the_provider_sends_more() {
    let gate = Gate::closed();
    let mut chat = Chat::new([says(&["first", " second"]).wait_after(1, &gate)]).await;
    chat.enter("Why?").await;
    chat.wait_for_output("first").await;
    gate.open();
    assert_eq!(chat.end().await.output, "first second\n");
}

#[tokio::test]
async fn events_characters_and_line_ends_are_cut_anywhere() {
    for size in [1, 2, 3, 7, 64] {
        let answer = says(&["Größe: ", "5 €", " 🦀", "日本"]).framed().cut(size);
        let ended = Chat::new([answer]).await.ask(&["How large?"]).await;
        assert_eq!(ended.output, "Größe: 5 € 🦀日本\n", "{size}");
    }
}

#[tokio::test]
async fn reasoning_is_not_part_of_the_answer() {
    let thought = |text: &str| chunk::delta(json!({ "reasoning_content": text }));
    let events =
        [thought("A city"), thought(" on a river."), chunk::text("Bonn."), chunk::end("stop")];
    let ended = Chat::new([Answer::stream(events)]).await.ask(&["Where?"]).await;
    assert_eq!((&*ended.output, &*ended.errors), ("Bonn.\n", "A city on a river.\n"));
}

#[tokio::test]
async fn tools_are_executed_and_the_model_gets_their_results() {
    let call = calls("calculate", [r#"{"left": 6, "operator": "mul"#, r#"tiply", "right": 7}"#]);
    let ended = Chat::new([call, says(&["It is 42."])]).await.ask(&["What is 6 times 7?"]).await;
    assert_eq!(ended.output, "It is 42.\n");
    let shown = r#"calculate {"left": 6, "operator": "multiply", "right": 7}"#;
    assert!(
        ended.errors.starts_with(&format!("{shown}\ncalculate returned 42")),
        "{}",
        ended.errors
    );
    let tools = ended.request(0)["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(names, ["time", "calculate"]);
    let messages = ended.request(1)["messages"].as_array().unwrap();
    assert_eq!(messages[2]["tool_calls"][0]["id"], "call_1");
    assert_eq!(messages[3]["role"], "tool");
    assert_eq!(messages[3]["tool_call_id"], "call_1");
    assert!(messages[3]["content"].as_str().unwrap().starts_with("42"));
}

#[tokio::test]
async fn a_wrong_call_goes_back_to_the_model() {
    let call = calls("time", [r#"{"zone": "#, r#""Mars/Crater"}"#]);
    let unknown = calls("weather", ["{", "}"]);
    let chat = Chat::new([call, unknown, says(&["I do not know."])]).await;
    let ended = chat.ask(&["How late is it on Mars?"]).await;
    assert_eq!(ended.output, "I do not know.\n");
    let result =
        |at: usize| ended.request(2)["messages"][at]["content"].as_str().unwrap().to_owned();
    assert!(result(3).starts_with("error: "), "{}", result(3));
    assert!(result(5).contains("weather"), "{}", result(5));
}

/// The answer ended normally, but the arguments of its call are not JSON.
#[tokio::test]
async fn the_model_gets_an_error_for_a_call_that_cannot_be_parsed() {
    let call = calls("time", [r#"{"zone": "#, "Bonn"]);
    let chat = Chat::new([call, says(&["I do not know."])]).await;
    let ended = chat.ask(&["How late is it?"]).await;
    assert_eq!(ended.output, "I do not know.\n");
    assert!(ended.errors.contains("[cannot parse the call of time]"), "{}", ended.errors);
    let messages = ended.request(1)["messages"].as_array().unwrap();
    let roles: Vec<_> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "user"]);
    let correction = messages[2]["content"].as_str().unwrap();
    assert!(correction.contains("the arguments of `time` are not valid JSON"), "{correction}");
}

#[tokio::test]
async fn a_model_that_always_calls_tools_is_stopped() {
    let call = || calls("calculate", [r#"{"left": 1, "operator": "add", "#, r#""right": 1}"#]);
    let answers = (0..8).map(|_| call()).chain([says(&["Hello."])]);
    let ended = Chat::new(answers).await.ask(&["Count!", "Hello"]).await;
    assert!(ended.errors.contains("the model called tools too many times"));
    assert_eq!((ended.output.as_str(), ended.count()), ("Hello.\n", 9));
    assert_eq!(ended.said(8), json!([["user", "Hello"]]));
}

#[tokio::test]
async fn an_error_is_shown_and_the_chat_continues() {
    let error = Answer::error(400, "The prompt is too long");
    let ended = Chat::new([error, says(&["Yes."])]).await.ask(&["One", "Two"]).await;
    assert!(ended.errors.contains("status 400: The prompt is too long"), "{}", ended.errors);
    assert_eq!(ended.output, "Yes.\n");
    assert_eq!(ended.said(1), json!([["user", "Two"]]));
}

#[tokio::test]
async fn an_error_within_the_answer_is_shown_and_the_chat_continues() {
    let error = json!({"error": {"message": "Overloaded", "type": "overloaded_error"}});
    let broken = Answer::stream([chunk::text("With"), error]);
    let ended = Chat::new([broken, says(&["Yes."])]).await.ask(&["One", "Two"]).await;
    assert!(ended.errors.contains("Overloaded"), "{}", ended.errors);
    assert_eq!(ended.output, "With\nYes.\n");
    assert_eq!(ended.said(1), json!([["user", "Two"]]));
}

#[tokio::test]
async fn malformed_events_are_an_error_and_the_chat_continues() {
    let first = format!("data: {}\n\n", chunk::text("With"));
    let malformed = Answer::pieces([first, "data: {\"choi\n\n".to_owned()]);
    let ended = Chat::new([malformed, says(&["Yes."])]).await.ask(&["One", "Two"]).await;
    assert!(ended.errors.starts_with("error: "), "{}", ended.errors);
    assert_eq!(ended.output, "With\nYes.\n");
}

#[tokio::test]
async fn an_answer_without_an_end_is_an_error_and_the_chat_continues() {
    let cut = says(&["With", "in"]).without_last(3);
    let broken = says(&["With", "in"]).break_after(1);
    let ended = Chat::new([cut, broken, says(&["Yes."])]).await.ask(&["1", "2", "3"]).await;
    assert_eq!(ended.errors.matches("error: ").count(), 2, "{}", ended.errors);
    assert_eq!(ended.output, "Within\nWith\nYes.\n");
    assert_eq!(ended.said(2), json!([["user", "3"]]));
}

#[tokio::test]
async fn too_many_requests_are_sent_again_when_the_provider_says() {
    let busy = |status| Answer::error(status, "Rate limit reached").header("retry-after", "0");
    let ended = Chat::new([busy(429), busy(503), says(&["Yes."])]).await.ask(&["Why?"]).await;
    assert_eq!((ended.output.as_str(), ended.errors.as_str()), ("Yes.\n", ""));
    assert_eq!(ended.request(0), ended.request(2));
}

#[tokio::test]
async fn a_provider_that_always_fails_is_asked_three_times() {
    let fails = || Answer::error(500, "Internal error").header("retry-after", "0");
    let chat = Chat::new([fails(), fails(), fails(), says(&["Yes."])]).await;
    let ended = chat.ask(&["Why?"]).await;
    assert!(ended.errors.contains("status 500: Internal error"));
    assert_eq!((ended.output.as_str(), ended.count()), ("", 3));
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_left_to_the_user() {
    let busy = Answer::error(429, "Rate limit reached").header("retry-after", "3600");
    let ended = Chat::new([busy]).await.ask(&["Why?"]).await;
    assert!(ended.errors.contains("status 429: Rate limit reached"));
    assert_eq!(ended.count(), 1);
}

#[tokio::test]
async fn without_a_server_the_chat_says_what_to_start() {
    // This port was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let provider = Provider::start([]).await;
    let ended = Chat::at(&base_url, provider).ask(&["Why?"]).await;
    assert!(ended.errors.starts_with(&format!("error: no server answers at {base_url}: ")));
    for start in
        ["llama-server -m MODEL.gguf", "ollama serve", "vllm serve MODEL", "OPENAI_BASE_URL="]
    {
        assert!(ended.errors.contains(start), "{start}");
    }
}

#[tokio::test]
async fn a_server_that_keeps_the_connection_open_does_not_hold_the_chat() {
    let gate = Gate::closed();
    let open = |text| says(&[text]).wait_after(4, &gate);
    let ended = Chat::new([open("In Bonn."), open("Yes.")]).await.ask(&["Where?", "Sure?"]).await;
    assert_eq!((&*ended.output, &*ended.errors), ("In Bonn.\nYes.\n", ""));
    assert_eq!(ended.said(1)[1], json!(["assistant", "In Bonn."]));
}

#[tokio::test]
async fn an_empty_answer_is_an_error_and_is_removed() {
    let nothing = Answer::stream([chunk::text(""), chunk::end("stop")]);
    let ended = Chat::new([nothing, says(&["Yes."])]).await.ask(&["One", "Two"]).await;
    let error = "error: the answer of the model is empty\n";
    assert_eq!((&*ended.output, &*ended.errors), ("Yes.\n", error));
    assert_eq!(ended.said(1), json!([["user", "Two"]]));
}

#[tokio::test]
async fn an_answer_stopped_by_a_filter_has_a_note() {
    let filtered = Answer::stream([chunk::text("Take a"), chunk::end("content_filter")]);
    let ended = Chat::new([filtered]).await.ask(&["How?"]).await;
    assert_eq!(ended.output, "Take a\n");
    assert_eq!(ended.errors, "[the answer was stopped by a filter]\n");
}

#[tokio::test]
async fn an_answer_at_the_token_limit_has_a_note() {
    let cut = Answer::stream([chunk::text("Once upon"), chunk::end("length")]);
    let ended = Chat::new([cut]).await.ask(&["Tell!"]).await;
    assert_eq!(ended.output, "Once upon\n");
    assert_eq!(ended.errors, "[the answer reached the token limit]\n");
}

#[tokio::test]
async fn an_invalid_server_is_an_error_at_the_start() {
    let ended = Chat::at("localhost:8080/v1", Provider::start([]).await).end().await;
    assert!(ended.errors.starts_with("error: invalid OPENAI_BASE_URL: "), "{}", ended.errors);
}

#[tokio::test]
async fn ctrl_c_cancels_the_answer_and_keeps_the_chat() {
    let gate = Gate::closed();
    let mut chat =
        Chat::new([says(&["first", " second"]).wait_after(1, &gate), says(&["Yes."])]).await;
    chat.enter("One").await;
    chat.wait_for_output("first").await;
    chat.interrupt().await;
    chat.wait_for_errors("[cancelled]").await;
    chat.enter("Two").await;
    let ended = chat.end().await;
    assert_eq!(ended.output, "first\nYes.\n");
    assert_eq!(ended.said(1), json!([["user", "One"], ["assistant", "first"], ["user", "Two"]]));
}

#[tokio::test]
async fn ctrl_c_cancels_an_answer_that_has_not_begun() {
    let gate = Gate::closed();
    let mut chat = Chat::new([says(&["late"]).wait_after(0, &gate), says(&["Yes."])]).await;
    chat.enter("One").await;
    gate.reached(1).await;
    chat.interrupt().await;
    chat.wait_for_errors("[cancelled]").await;
    chat.enter("Two").await;
    let ended = chat.end().await;
    assert_eq!(ended.output, "Yes.\n");
    assert_eq!(ended.said(1), json!([["user", "Two"]]));
}

#[tokio::test]
async fn the_provider_notices_that_an_answer_is_cancelled() {
    // More text than the system buffers for a reader that is gone.
    let line = "All of this is text. ".repeat(500);
    let pieces = vec![line.as_str(); 2_000];
    let gate = Gate::closed();
    let mut chat = Chat::new([says(&pieces).wait_after(1, &gate)]).await;
    chat.enter("One").await;
    chat.wait_for_output("text").await;
    chat.interrupt().await;
    chat.wait_for_errors("[cancelled]").await;
    gate.open();
    chat.provider.abandoned(1).await;
}

#[tokio::test]
async fn ctrl_c_ends_a_chat_without_a_running_answer() {
    let mut chat = Chat::new([says(&["Yes."])]).await;
    chat.enter("/help").await;
    chat.wait_for_errors("/quit").await;
    chat.interrupt().await;
    assert_eq!(chat.code().await, Some(130));
}

#[tokio::test]
async fn quit_ends_the_chat() {
    let mut chat = Chat::new([]).await;
    chat.enter("/quit").await;
    assert_eq!(chat.code().await, Some(0));
}

#[tokio::test]
async fn clear_removes_the_conversation() {
    let chat = Chat::new([says(&["In Bonn."]), says(&["Yes."])]).await;
    let ended = chat.ask(&["Where?", "/clear", "Why?"]).await;
    assert_eq!(ended.said(1), json!([["user", "Why?"]]));
}

#[tokio::test]
async fn a_conversation_is_saved_and_another_chat_continues_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chat.json");
    let path = path.to_str().unwrap();
    let call = calls("calculate", [r#"{"left": 6, "operator": "mul"#, r#"tiply", "right": 7}"#]);
    let chat = Chat::new([call, says(&["It is 42."])]).await;
    let first = chat.ask(&["What is 6 times 7?", &format!("/save {path}")]).await;
    assert_eq!(first.count(), 2);
    let saved: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(saved.as_array().unwrap().len(), 5);

    let chat = Chat::new([says(&["Yes."])]).await;
    let second = chat.ask(&[&format!("/load {path}"), "Sure?"]).await;
    // The second chat sends the same messages again, then the answer and the new question.
    let (before, after) = (first.request(1), second.request(0));
    let before = before["messages"].as_array().unwrap();
    let after = after["messages"].as_array().unwrap();
    assert_eq!(after[..before.len()], before[..]);
    assert_eq!(after.len(), before.len() + 2);
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_an_error_and_the_chat_continues() {
    let ended = Chat::new([says(&["Yes."])]).await.ask(&["/load nothing.json", "Why?"]).await;
    assert!(ended.errors.starts_with("error: nothing.json: "), "{}", ended.errors);
    assert_eq!(ended.output, "Yes.\n");
}

#[tokio::test]
async fn control_characters_are_not_shown() {
    let ended = Chat::new([says(&["a\u{1b}[2Jb\tc\nd\u{7}"])]).await.ask(&["Why?"]).await;
    assert_eq!(ended.output, "a[2Jb\tc\nd\n");
    let ended = Chat::new([says(&["txt.\u{202e}gpj.exe \u{2067}שלום"])]).await.ask(&["Why?"]).await;
    assert_eq!(ended.output, "txt.gpj.exe שלום\n");
}
