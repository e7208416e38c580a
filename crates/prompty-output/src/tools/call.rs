//! The trait of tool calls from any source, and their answers for the model.

use serde::Serialize;

use super::ToolError;
use prompty_core::message::{ToolCall, ToolResult};
use prompty_core::value::Value;

/// A call of a tool: one from a model's text, or one that a provider reported.
///
/// Implement it for the call type of another library to dispatch its calls.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_output::tools; }
/// use typed_prompty::message::ToolCall;
/// use typed_prompty::tools::Call;
///
/// let call = ToolCall::new("call_1", "now", "{}");
/// let result = call.answer(&[9, 30])?;
/// assert_eq!((result.call_id.as_str(), result.name.as_str()), ("call_1", "now"));
/// assert_eq!(result.content[0].as_text(), Some("[9,30]"));
/// # Ok::<(), prompty_output::tools::ToolError>(())
/// ```
pub trait Call {
    /// The id that the answer refers to. It is empty if the model did not give one.
    fn id(&self) -> &str;

    /// The tool's name.
    fn name(&self) -> &str;

    /// The arguments as JSON text.
    fn arguments(&self) -> &str;

    /// Whether the call is complete. An incomplete call is never executed.
    fn is_complete(&self) -> bool {
        true
    }

    /// The answer to this call: a string unchanged, any other value as JSON.
    ///
    /// # Errors
    ///
    /// Returns [`ToolErrorKind::Failed`](super::ToolErrorKind::Failed) if the value cannot be
    /// written as JSON.
    fn answer<T: Serialize + ?Sized>(&self, value: &T) -> Result<ToolResult, ToolError> {
        answer_text(value).map(|text| tool_result(self, text))
    }
}

impl Call for ToolCall {
    fn id(&self) -> &str {
        &self.id
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn arguments(&self) -> &str {
        &self.arguments
    }
}

impl<C: Call + ?Sized> Call for &C {
    fn id(&self) -> &str {
        (**self).id()
    }

    fn name(&self) -> &str {
        (**self).name()
    }

    fn arguments(&self) -> &str {
        (**self).arguments()
    }

    fn is_complete(&self) -> bool {
        (**self).is_complete()
    }
}

impl ToolError {
    /// The error as the answer to a call, for the model to read.
    pub fn to_result(&self, call: &impl Call) -> ToolResult {
        let mut text = format!("error: {self}");
        if let Some(help) = self.help() {
            text.push_str("\nhelp: ");
            text.push_str(help);
        }
        tool_result(call, text).with_error()
    }
}

/// The result of a tool as text: a string unchanged, any other value as JSON.
pub(super) fn answer_text<T: Serialize + ?Sized>(value: &T) -> Result<String, ToolError> {
    let json = serde_json::to_string(value).map_err(|error| {
        ToolError::failed(format!("the result of the tool cannot be serialized: {error}"))
    })?;
    if !json.starts_with('"') {
        return Ok(json);
    }
    match Value::from_json(&json) {
        Ok(Value::String(text)) => Ok(text.to_string()),
        _ => Ok(json),
    }
}

/// A text as the answer to a call.
pub(super) fn tool_result<C: Call + ?Sized>(call: &C, text: String) -> ToolResult {
    ToolResult::new(call.id(), text).with_name(call.name())
}

/// A borrowed call, which is the same type for all types of calls.
#[derive(Debug, Clone, Copy)]
pub(super) struct BorrowedCall<'c> {
    id: &'c str,
    name: &'c str,
    arguments: &'c str,
    is_complete: bool,
}

impl<'c> BorrowedCall<'c> {
    pub(super) fn new(call: &'c impl Call) -> Self {
        let (id, name, arguments) = (call.id(), call.name(), call.arguments());
        Self { id, name, arguments, is_complete: call.is_complete() }
    }
}

impl Call for BorrowedCall<'_> {
    fn id(&self) -> &str {
        self.id
    }

    fn name(&self) -> &str {
        self.name
    }

    fn arguments(&self) -> &str {
        self.arguments
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }
}
