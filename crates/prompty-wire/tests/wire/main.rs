//! Tests of requests to providers and of their answers, one behaviour each.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, a panic is a failure"
)]

mod answer_shapes;
mod body_conversion;
mod budget;
mod calls;
mod chunking;
mod complete;
#[cfg(feature = "async-openai")]
mod conversions;
mod headers;
mod limits;
mod memory;
mod odd_answers;
mod refusals;
mod repeated_content;
mod requests;
#[cfg(feature = "output")]
mod schemas;
mod secrets;
mod streams;
mod truncated;
mod turns;
mod understood;
mod unknown_content;

use prompty_core::message::{ContentPart, Media, Message, Role, ToolCall, ToolResult};
use prompty_wire::Protocol;

const PROTOCOLS: [Protocol; 4] = [
    Protocol::OpenAiChat,
    Protocol::OpenAiCompatible,
    Protocol::OpenAiResponses,
    Protocol::AnthropicMessages,
];

/// A conversation with parts that all protocols support: an image, a document, two calls and their
/// results.
fn conversation() -> Vec<Message> {
    let image = Media::from_bytes(b"\x89PNG", "image/png").with_detail("low");
    let document = Media::from_bytes(b"%PDF-1.7", "application/pdf").with_name("b.pdf");
    let parts = [
        ContentPart::from("What is this?"),
        ContentPart::Image(image),
        ContentPart::File(document),
    ];
    let calls = [
        ContentPart::Reasoning("I look it up.".to_owned()),
        ContentPart::from("One moment."),
        ContentPart::ToolCall(ToolCall::new("c1", "look_up", r#"{"what": "cat", "n": 1.50}"#)),
        ContentPart::ToolCall(ToolCall::new("c2", "now", "{}")),
    ];
    vec![
        Message::system("Be brief."),
        Message::developer("Answer in English."),
        Message::new(Role::User, parts),
        Message::new(Role::Assistant, calls),
        Message::from(ToolResult::new("c1", "A cat.").with_name("look_up")),
        Message::from(ToolResult::new("c2", "12:30")),
        Message::assistant("It is a cat."),
        Message::user("Thanks."),
    ]
}
