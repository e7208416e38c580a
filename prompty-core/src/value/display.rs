//! How a value is printed in a prompt.
//!
//! A string is printed without quotes, `null` as nothing, `1.0` as `1`, and booleans in lower case,
//! as the Prompty subset requires. The subset does not define arrays and objects. They are printed
//! as JSON with a space after `,` and `:`, which models read well.

use std::fmt::{self, Display, Formatter};

use super::Value;
use super::json::{JsonStyle, JsonWriter, to_string, write_float};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::String(text) => f.write_str(text),
            Self::Float(number) => write_float(f, *number),
            other => JsonWriter::new(f, JsonStyle::SPACED).value(other),
        }
    }
}

impl Value {
    /// The value as JSON text, with a space after `,` and `:`. Unlike `Display`, it writes strings
    /// in quotes and `null` as `null`.
    pub fn to_json(&self) -> String {
        to_string(self, JsonStyle::SPACED)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Map, Value};

    #[test]
    fn scalars_print_as_the_subset_requires() {
        let printed = [
            Value::Null,
            Value::from(true),
            Value::from(1.0),
            Value::from(1.5),
            Value::from(-0.0),
            Value::from(u64::MAX),
            Value::from("a \"b\""),
        ]
        .map(|value| value.to_string());
        assert_eq!(printed, ["", "true", "1", "1.5", "0", "18446744073709551615", "a \"b\""]);
    }

    #[test]
    fn arrays_and_objects_print_as_json() {
        let value = Value::from(Map::from([
            ("text", Value::from("a\n\"é\"\u{1}")),
            ("list", Value::from(vec![Value::Null, Value::from(2.0), Value::from(f64::NAN)])),
        ]));
        assert_eq!(value.to_string(), r#"{"text": "a\n\"é\"\u0001", "list": [null, 2, null]}"#);
    }
}
