//! `Debug`, errors and spans show no secret of a request.

use std::error::Error as _;

use prompty_core::message::{GenerationOptions, Message};
use prompty_core::trace::redact;
use prompty_core::value::{Map, Value};
use prompty_wire::{EmbeddingRequest, ImageRequest, Protocol, Request, WireError};

use super::PROTOCOLS;

const SECRET: &str = "sk-marked";

/// The names that hosts give to secrets, with the secret as the value.
fn secrets() -> Value {
    let names = ["api_key", "apiKey", "api-key", "x-api-key", "authorization", "Authorization"];
    let more = ["auth_token", "password", "client_secret", "cookie", "Proxy-Authorization"];
    names.into_iter().chain(more).map(|name| (name, SECRET)).collect::<Map>().into()
}

/// A tool that the provider runs itself, with the headers of its server.
fn server() -> Map {
    let mut tool = Map::from([("type", "mcp"), ("server_label", "a"), ("name", "a")]);
    tool.insert("headers", secrets());
    tool.insert("authorization", SECRET);
    tool.insert("nested", Value::from(vec![secrets()]));
    tool
}

fn options() -> GenerationOptions {
    let mut options = GenerationOptions::default();
    options.set("headers", secrets());
    options.set("api_key", SECRET);
    options
}

/// All texts of an error.
fn texts(error: &WireError) -> String {
    let mut all = format!("{error:?} {error} {error:#} {:?}", error.help());
    let mut source = error.source();
    while let Some(inner) = source {
        all += &format!("{inner:?} {inner}");
        source = inner.source();
    }
    all
}

#[test]
fn debug_of_a_request_shows_no_secret() {
    let messages = [Message::user("Hi")];
    for protocol in PROTOCOLS {
        let request = Request::new("m", &messages)
            .with_protocol(protocol)
            .with_options(options())
            .with_provider_tool(server());
        assert!(!format!("{request:?}").contains(SECRET), "{request:?}");
    }
}

#[test]
fn debug_of_a_request_from_a_body_shows_no_secret() {
    let tools = Value::from(vec![Value::Object(server())]);
    for protocol in PROTOCOLS {
        let function = r#"{"type": "function", "name": "f", "parameters": {}, "input_schema": {}, "function": {"name": "f", "parameters": {}}}"#;
        let mut tool = Value::from_json(function).unwrap().as_object().cloned().unwrap();
        tool.insert("headers", secrets());
        for tools in [tools.clone(), Value::from(vec![Value::Object(tool)])] {
            let text = r#"{"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}], "input": "Hi"}"#;
            let mut body = Value::from_json(text).unwrap().as_object().cloned().unwrap();
            body.insert("tools", tools);
            body.insert("metadata", secrets());
            let request = Request::from_value(protocol, &Value::Object(body)).unwrap();
            assert!(!format!("{request:?}").contains(SECRET), "{request:?}");
            for other in PROTOCOLS {
                let request = request.clone().with_protocol(other);
                let failed = request.to_json().map_err(|error| texts(&error));
                assert!(!failed.is_err_and(|error| error.contains(SECRET)));
            }
        }
    }
}

#[test]
fn debug_of_other_requests_shows_no_secret() {
    let embedding = EmbeddingRequest::new("m", ["a"]).with_options(options());
    let embedding = embedding.with_extra("api_key", SECRET).with_extra("headers", secrets());
    let image = ImageRequest::new("m", "a cat").with_extra("api_key", SECRET);
    let image = image.with_extra("headers", secrets());
    for shown in [format!("{embedding:?}"), format!("{image:?}"), format!("{embedding:#?}")] {
        assert!(!shown.contains(SECRET), "{shown}");
    }
}

#[test]
fn names_of_secrets_are_known_with_hyphens() {
    assert!(!redact(&secrets()).to_string().contains(SECRET), "{}", redact(&secrets()));
}

#[test]
fn an_error_about_a_request_shows_no_secret() {
    for protocol in PROTOCOLS {
        for messages in ["5", "[5]", r#"[{"role": 5}]"#, r#"[{"role": "user"}]"#] {
            let text = format!(r#"{{"model": "m", "messages": {messages}, "input": {messages}}}"#);
            let mut body = Value::from_json(&text).unwrap().as_object().cloned().unwrap();
            body.insert("api_key", SECRET);
            body.insert("headers", secrets());
            if let Err(error) = Request::from_value(protocol, &Value::Object(body)) {
                assert!(!texts(&error).contains(SECRET), "{}", texts(&error));
            }
        }
    }
    let key = Protocol::OpenAiChat.headers(Some(SECRET)).last().unwrap();
    assert!(key.1.contains(SECRET), "the header itself has the key");
}
