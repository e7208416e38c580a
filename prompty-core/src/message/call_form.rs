//! How OpenAI's message form writes tool calls and their arguments.

use super::ToolCall;
use crate::value::internal::json::{JsonStyle, to_string};
use crate::value::{Map, Value};

/// How chat APIs write a call: `{id?, type, function: {name, arguments}}`, or
/// `{id?, type, custom: {name, input}}` for a tool that takes free text.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallForm {
    /// The type of the call, which is also the key of the tool's name and arguments.
    pub kind: &'static str,
    /// The key of the arguments.
    pub arguments: &'static str,
    /// Whether the arguments are free text.
    pub free_text: bool,
}

impl CallForm {
    /// A call of a function with JSON arguments.
    pub const FUNCTION: Self = Self { kind: "function", arguments: "arguments", free_text: false };
    /// A call of a tool that takes free text.
    pub const CUSTOM: Self = Self { kind: "custom", arguments: "input", free_text: true };

    /// The form in which to write a call.
    pub const fn of(call: &ToolCall) -> Self {
        if call.free_text { Self::CUSTOM } else { Self::FUNCTION }
    }

    /// The form of a written call, and the value under the key of its type; `None` for
    /// `{id, name, arguments}`.
    pub fn read(call: &Map) -> Option<(Self, &Value)> {
        let forms = [Self::CUSTOM, Self::FUNCTION].into_iter();
        let mut written = forms.filter_map(|form| Some((form, call.get(form.kind)?)));
        // `{custom: null, function: {…}}` is a call of a function.
        written.find(|(form, called)| !form.free_text || called.as_object().is_some())
    }
}

/// The arguments of a call as text. They are JSON text, or an object that is written as JSON.
/// `None` if the call has none.
///
/// # Errors
///
/// Returns the value if it is neither a string nor an object.
#[doc(hidden)]
pub fn arguments_text<'v>(
    arguments: Option<&'v Value>,
    style: JsonStyle<'_>,
) -> Result<Option<String>, &'v Value> {
    match arguments {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(String::from(&**text))),
        Some(map @ Value::Object(_)) => Ok(Some(to_string(map, style))),
        Some(other) => Err(other),
    }
}

/// A call as chat APIs write it: `{id?, type, function: {name, arguments}}`.
#[doc(hidden)]
pub fn call_to_openai(id: &str, name: &str, arguments: Value) -> Value {
    let CallForm { kind, arguments: of_arguments, .. } = CallForm::FUNCTION;
    let function = Map::from([("name", Value::from(name)), (of_arguments, arguments)]);
    let mut call = Map::new();
    call.insert_some("id", Some(id).filter(|id| !id.is_empty()));
    call.insert("type", kind);
    call.insert(kind, function);
    call.into()
}
