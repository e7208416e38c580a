//! Why the arguments of a call are no JSON object, in words for the model that wrote them.

use prompty_core::value::Value;

/// What is wrong with arguments, and how to mend them.
pub(crate) type NoObject = (String, &'static str);

/// What is wrong with arguments; nothing where they are an object.
#[cfg(feature = "wire")]
pub(crate) fn why(tool: &str, json: &str) -> Option<NoObject> {
    match Value::from_json(json) {
        Ok(Value::Object(_)) => None,
        Ok(other) => Some(not_an_object(tool, &other)),
        Err(error) => Some(no_json(tool, &error.to_string())),
    }
}

/// Arguments that are another value.
pub(crate) fn not_an_object(tool: &str, value: &Value) -> NoObject {
    let found = value.kind_name();
    let message = format!("the arguments of `{tool}` are no JSON object, but of kind {found}");
    (message, "give the arguments by name: {\"name\": value}")
}

/// Arguments that a reader of JSON refuses.
pub(crate) fn no_json(tool: &str, error: &str) -> NoObject {
    let message = format!("the arguments of `{tool}` are no JSON: {error}");
    (message, "write the arguments as one JSON object")
}
