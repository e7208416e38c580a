//! What a tool gave, as the text that goes back to the model.

use serde::Serialize;
use serde_json::Value as Json;

use super::{Call, ToolError};
use prompty_core::message::ToolResult;

/// A text as it is, anything else as JSON.
pub(super) fn text_of<T: Serialize + ?Sized>(value: &T) -> Result<String, ToolError> {
    let json = serde_json::to_string(value)
        .map_err(|error| ToolError::failed(format!("the answer cannot be written: {error}")))?;
    if !json.starts_with('"') {
        return Ok(json);
    }
    match serde_json::from_str(&json) {
        Ok(Json::String(text)) => Ok(text),
        _ => Ok(json),
    }
}

/// A text as the answer to a call.
pub(super) fn result<C: Call + ?Sized>(call: &C, text: String) -> ToolResult {
    ToolResult::new(call.id(), text).with_name(call.name())
}
