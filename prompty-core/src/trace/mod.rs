//! Spans of the pipeline through the `tracing` crate, and what must not be recorded (§3.4).

mod hidden;
mod spans;

use crate::value::{Map, Value};

#[doc(hidden)]
pub use hidden::HiddenTexts;
#[doc(hidden)]
pub use spans::*;

/// The text that replaces a secret.
pub const REDACTED: &str = "[REDACTED]";

/// The parts of names that indicate a secret, in any case, and with `-` for `_` (§3.4).
const SECRET_NAMES: [&str; 8] =
    ["secret", "password", "api_key", "apikey", "token", "auth", "credential", "cookie"];

/// The same value with every entry redacted whose name indicates a secret.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::trace::redact;
/// use typed_prompty::value::{Map, Value};
///
/// let inputs = Map::from([("userToken", "abc"), ("key", "b")]);
/// assert_eq!(redact(&Value::from(inputs)).to_string(), r#"{"userToken": "[REDACTED]", "key": "b"}"#);
/// ```
pub fn redact(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(redact).collect(),
        Value::Object(map) => Value::Object(redact_entries(map)),
        other => other.clone(),
    }
}

/// The same entries, redacted like [`redact`].
#[doc(hidden)]
pub fn redact_entries(map: &Map) -> Map {
    let redacted = map.iter().map(|(name, value)| {
        let shown = if is_secret(name) { Value::from(REDACTED) } else { redact(value) };
        (name, shown)
    });
    redacted.collect()
}

/// Whether a name indicates a secret.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    SECRET_NAMES.iter().any(|part| name.contains(part))
}
