//! Why the arguments of a call cannot be used, in words for the model that wrote them.

use crate::value::Value;

/// Why the arguments of a call are not a JSON object, and how the model can fix them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentsError {
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub help: &'static str,
}

impl ArgumentsError {
    /// Parses arguments as JSON, and returns the error if there is one. `None` if they are an
    /// object.
    pub fn of(tool: &str, json: &str) -> Option<Self> {
        match Value::from_json(json) {
            Ok(Value::Object(_)) => None,
            Ok(other) => Some(Self::not_an_object(tool, &other)),
            Err(error) => Some(Self::invalid_json(tool, &error.to_string())),
        }
    }

    /// The error of arguments that are another value than an object.
    pub fn not_an_object(tool: &str, value: &Value) -> Self {
        let found = value.kind_name();
        let message = format!("expected a JSON object as arguments of `{tool}`, found {found}");
        Self { message, help: "give the arguments by name: {\"name\": value}" }
    }

    /// The error of arguments that a JSON reader rejects.
    pub fn invalid_json(tool: &str, error: &str) -> Self {
        let message = format!("the arguments of `{tool}` are not valid JSON: {error}");
        Self { message, help: "write the arguments as one JSON object" }
    }
}
