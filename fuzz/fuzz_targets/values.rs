//! Values and JSON text: conversions in both directions lose nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prompty_core::message::{Media, Message, thread_from_value};
use prompty_core::trace::redact;
use prompty_core::value::Value;

fuzz_target!(|text: &str| {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
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
});
