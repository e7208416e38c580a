//! Values and JSON text: conversions in both directions lose nothing.

use prompty_core::message::{Media, Message, thread_from_value};
use prompty_core::trace::redact;
use prompty_core::value::Value;

use crate::inputs::read_data;

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    let Ok(value) = serde_json::from_str::<Value>(text) else { return false };
    let json = value.to_json();
    let again: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(again.to_json(), json);
    let through: Value = serde_json::from_str(&serde_json::to_string(&value).unwrap()).unwrap();
    assert_eq!(through, value);
    assert_eq!(Value::from_serialize(&value).unwrap(), value);
    let _ = value.to_string();
    let _ = value.deserialize::<serde_json::Value>().unwrap();
    let _ = redact(&value).to_json();
    let _ = thread_from_value(&value);
    let _ = Message::from_value(&value);
    let _ = Media::from_value(&value);
    true
}
