//! `Debug`, errors and spans show no secret of a request.

use std::error::Error as _;
use std::fmt::Debug;

use prompty_core::message::{
    Content, ContentPart, GenerationOptions, Message, ProviderFields, ProviderPart, ToolCall,
    ToolResult,
};
use prompty_core::trace::redact;
use prompty_core::value::{Map, Value};
use prompty_reply::Reply;
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

/// Fails if `Debug` shows the secret. `tests/secrets.rs` reads the names of the types that are
/// searched from these calls.
#[track_caller]
fn search<T: Debug>(value: &T) {
    let shown = format!("{value:?} {value:#?}");
    assert!(!shown.contains(SECRET), "{shown}");
}

/// A message with the secret in each place where a provider has a form of its own.
fn message() -> Message {
    let fields = secrets().as_object().cloned().unwrap_or_default();
    let part = ContentPart::Provider(ProviderPart::new("openai-chat", secrets()));
    let mut result = ToolResult::new("c", "a");
    result.content.push(part.clone());
    let call = ToolCall::new("c", "f", "{}").with_provider_fields("openai-chat", fields.clone());
    let mut message = Message::assistant("Hi");
    for part in [part, ContentPart::ToolCall(call), ContentPart::ToolResult(result)] {
        message.content.push(part);
    }
    message.metadata = fields;
    message
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
    let messages = [Message::user("Hi"), message()];
    for protocol in PROTOCOLS {
        let request = Request::new("m", &messages)
            .with_protocol(protocol)
            .with_options(options())
            .with_provider_tool(server());
        search::<Request<'_>>(&request);
        search::<GenerationOptions>(&options());
    }
}

#[test]
fn debug_of_a_message_shows_no_secret() {
    let message = message();
    search::<Message>(&message);
    search::<Content>(&message.content);
    for part in &*message.content {
        search::<ContentPart>(part);
        match part {
            ContentPart::Provider(part) => search::<ProviderPart>(part),
            ContentPart::ToolCall(call) => {
                search::<ToolCall>(call);
                search::<ProviderFields>(call.provider.as_ref().unwrap());
            }
            ContentPart::ToolResult(result) => search::<ToolResult>(result),
            _ => {}
        }
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
            search::<Request<'_>>(&request);
            for other in PROTOCOLS {
                let request = request.clone().with_protocol(other);
                let failed = request.to_json().map_err(|error| texts(&error));
                assert!(!failed.is_err_and(|error| error.contains(SECRET)));
            }
        }
    }
}

#[test]
fn debug_of_messages_with_unknown_fields_shows_no_secret() {
    let mut read = 0;
    for protocol in PROTOCOLS {
        for kind in ["text", "input_text", "x", "function_call", "tool_use"] {
            let text = format!(r#"{{"type": "{kind}", "text": "a", "id": "c", "call_id": "c"}}"#);
            let mut part = Value::from_json(&text).unwrap().as_object().cloned().unwrap();
            part.insert("name", "f");
            part.insert("headers", secrets());
            let part = Value::Object(part);
            let mut message = Map::from([("role", "assistant")]);
            message.insert("content", Value::from(vec![part.clone()]));
            for has_fields in [false, true] {
                if has_fields {
                    message.insert("authorization", SECRET);
                    message.insert("tool_calls", Value::from(vec![part.clone()]));
                }
                let messages = Value::from(vec![Value::Object(message.clone()), part.clone()]);
                let mut body = Map::from([("model", "m")]);
                body.insert("max_tokens", 9);
                // Each protocol reads only one of the two.
                body.insert("messages", messages.clone());
                body.insert("input", messages);
                match Request::from_value(protocol, &Value::Object(body)) {
                    Ok(request) => {
                        read += 1;
                        search::<Request<'_>>(&request);
                    }
                    Err(error) => search::<WireError>(&error),
                }
            }
        }
    }
    assert!(read > 0);
}

#[test]
fn debug_of_a_reply_shows_no_secret() {
    let item = Map::from([("type", "x"), ("authorization", SECRET)]);
    let body = Map::from([("status", Value::from("completed")), ("output", vec![item].into())]);
    let body = Value::Object(body).to_json();
    let reply = Protocol::OpenAiResponses.read(200, body.as_bytes()).unwrap();
    assert_eq!(reply.others().len(), 1);
    search::<Reply>(&reply);
}

#[test]
fn debug_of_other_requests_shows_no_secret() {
    let embedding = EmbeddingRequest::new("m", ["a"]).with_options(options());
    let embedding = embedding.with_extra("api_key", SECRET).with_extra("headers", secrets());
    let image = ImageRequest::new("m", "a cat").with_extra("api_key", SECRET);
    let image = image.with_extra("headers", secrets());
    search::<EmbeddingRequest<'_>>(&embedding);
    search::<ImageRequest<'_>>(&image);
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
                search::<WireError>(&error);
            }
        }
    }
    let key = Protocol::OpenAiChat.headers(Some(SECRET)).last().unwrap();
    assert!(key.1.contains(SECRET), "the header itself has the key");
}
