//! Compares a result with the expected result of a case.

use serde_json::Value;

/// The difference between a result and the expected one, for the expected keys only. `null` matches
/// a missing or empty value, and `1` equals `1.0`.
pub(crate) fn listed_keys(found: &Value, expected: &Value, path: &str) -> Result<(), String> {
    match expected {
        Value::Null if is_empty(found) => Ok(()),
        Value::Object(keys) => keys.iter().try_for_each(|(key, expected)| {
            listed_keys(&found[key], expected, &format!("{path}.{key}"))
        }),
        Value::Array(items) => {
            let count = found.as_array().map_or(0, Vec::len);
            if count != items.len() {
                return Err(format!("{path}: expected {} items, got {found}", items.len()));
            }
            items.iter().enumerate().try_for_each(|(index, expected)| {
                listed_keys(&found[index], expected, &format!("{path}[{index}]"))
            })
        }
        Value::Number(number) if found.as_f64() == number.as_f64() => Ok(()),
        _ if found == expected => Ok(()),
        _ => Err(format!("{path}: expected {expected}, got {found}")),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(keys) => keys.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}
