//! Typed tools: their declarations, their calls, and the errors that the model receives.
#![cfg(feature = "tools")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "in a test, a panic is a failure"
)]

mod argument_errors;
mod calls;
mod functions;
mod replies;
mod schemas;
mod toolbox;

use typed_prompty::message::{ToolCall, ToolResult};
use typed_prompty::tools::{Tool, ToolSet, tool};

/// The weather of the next days in a city.
#[derive(Debug, PartialEq, Tool, serde::Deserialize, schemars::JsonSchema)]
struct Weather {
    /// The city's name.
    city: String,
    days: Option<u8>,
}

/// Sends a message.
#[tool(derive(Debug, PartialEq))]
fn send(
    /// Who gets it.
    to: String,
    text: String,
) -> Result<usize, String> {
    match to.as_str() {
        "nobody" => Err("unknown recipient `nobody`".to_owned()),
        _ => Ok(text.len()),
    }
}

#[derive(Debug, PartialEq, ToolSet)]
enum Action {
    Weather(Weather),
    Send(SendArguments),
}

/// A call as a provider returns it.
fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall::new("call_1", name, arguments)
}

fn text(result: &ToolResult) -> &str {
    result.content[0].as_text().unwrap()
}
