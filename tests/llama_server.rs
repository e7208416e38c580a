//! Tests the example that talks to llama-server with a scripted server.
#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

#[path = "../examples/llama_server.rs"]
mod llama_server;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

const TEMPLATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/prompts/chat_template.jinja");

/// Starts a server that answers one request with these chunks. The thread returns the body of the
/// request.
fn serve(
    pieces: &'static [&'static str],
    stop: &'static str,
) -> (String, thread::JoinHandle<Value>) {
    let mut answer = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                      connection: close\r\n\r\n"
        .to_owned();
    for piece in pieces {
        if piece.starts_with("error: ") {
            answer.push_str(&format!("{piece}\n\n"));
            continue;
        }
        answer.push_str(&format!("data: {}\n\n", json!({ "content": piece, "stop": false })));
    }
    let last = json!({ "content": "", "stop": true, "stop_type": stop });
    answer.push_str(&format!("data: {last}\n\n"));
    answer_with(answer)
}

/// Starts a server that answers one request with this text. The thread returns the body of the
/// request.
fn answer_with(answer: String) -> (String, thread::JoinHandle<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let body = read_request(&mut connection);
        connection.write_all(answer.as_bytes()).unwrap();
        body
    });
    (url, server)
}

fn read_request(connection: &mut TcpStream) -> Value {
    let mut reader = BufReader::new(connection);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert!(line.starts_with("POST /completion "), "{line}");
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[test]
fn a_streamed_completion_becomes_reasoning_content_and_a_call() {
    let (url, server) = serve(
        &[
            "They ask",
            " for Bonn.\n</mu",
            "se>\n\nOne moment.",
            "\n<call>\n{\"name\": \"weath",
            "er\", \"arguments\": {\"city\": \"Bonn\"",
            ", \"days\": 2}}\n</call>",
        ],
        "eos",
    );
    let reply = llama_server::ask(TEMPLATE, &url, "Is it warm in Bonn?").unwrap();
    assert_eq!(reply.reasoning(), "They ask for Bonn.");
    assert_eq!(reply.content(), "One moment.");
    let [call] = reply.calls() else { panic!("{reply:?}") };
    assert_eq!((&*call.name, &*call.arguments), ("weather", r#"{"city": "Bonn", "days": 2}"#));
    assert!(call.complete);

    let body = server.join().unwrap();
    let prompt = body["prompt"].as_str().unwrap();
    assert!(
        prompt.ends_with("Is it warm in Bonn?<|end|>\n<|turn|>assistant\n<muse>\n"),
        "{prompt}"
    );
    assert_eq!(body["stop"], json!(["<|end|>"]));
    assert_eq!(body["grammar_lazy"], true);
    assert_eq!(body["grammar_triggers"], json!([{ "type": 1, "value": "<call>" }]));
    assert!(body["grammar"].as_str().unwrap().contains("weather"));
}

#[test]
fn an_error_in_the_stream_is_an_error() {
    let (url, server) = serve(&["Hm.", "error: {\"code\": 500}"], "eos");
    let error = llama_server::ask(TEMPLATE, &url, "Is it warm in Bonn?").unwrap_err();
    assert!(error.to_string().contains("500"), "{error}");
    server.join().unwrap();
}

#[test]
fn a_call_that_the_limit_cut_off_is_not_complete() {
    let (url, server) = serve(&["Hm.\n</muse>\n\n<call>{\"name\": \"weather\", \"argum"], "limit");
    let reply = llama_server::ask(TEMPLATE, &url, "Is it warm in Bonn?").unwrap();
    assert!(reply.calls().iter().all(|call| !call.complete));
    assert_eq!(reply.malformed().len(), 1);
    server.join().unwrap();
}

#[test]
fn the_reason_of_a_refused_request_is_reported() {
    let body = r#"{"error": {"code": 400, "message": "failed to parse grammar"}}"#;
    let length = body.len();
    let head = format!("HTTP/1.1 400 Bad Request\r\ncontent-length: {length}\r\n\r\n");
    let (url, server) = answer_with(head + body);
    let error = llama_server::ask(TEMPLATE, &url, "Is it warm in Bonn?").unwrap_err();
    assert!(error.to_string().contains("failed to parse grammar"), "{error}");
    server.join().unwrap();
}

#[test]
fn without_a_server_the_error_says_how_to_start_one() {
    let url = "http://127.0.0.1:1";
    let error = llama_server::ask(TEMPLATE, url, "Is it warm in Bonn?").unwrap_err().to_string();
    assert!(error.contains(url) && error.contains("llama-server -m"), "{error}");
}
