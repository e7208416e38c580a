//! Values of inputs, defaults and metadata whose type is not known at compile time.
//!
//! A [`Value`] is cheap to clone, because strings, arrays and objects are shared. Objects keep the
//! order of their entries. With the feature `serde`, values convert from and to all serde types.

mod convert;
mod display;
mod failure;
mod json;
mod map;
#[cfg(feature = "serde")]
mod serde;

use std::sync::Arc;

pub use map::Map;

/// Items for the other packages of typed-prompty, without a stable interface.
#[doc(hidden)]
pub mod internal {
    #[cfg(feature = "serde")]
    pub use super::failure::bounded;
    pub use super::failure::{Failure, PathStep, excerpt, json_excerpt};

    pub use super::json::write_float;

    /// The reader, the writer and the escapes of JSON text.
    pub mod json {
        pub use super::super::json::*;
    }
}

/// The maximum nesting of arrays and objects. Deeper data is an error when it is read, so that
/// later recursion over a value cannot exhaust the stack.
pub const MAX_DEPTH: usize = 128;

/// A value whose kind is known only at run time.
///
/// Integers are exact in the complete range of `i64` and `u64`. The kinds are those of JSON, which
/// will not change, so a `match` may list them all.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// `null`, which is printed as an empty string.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
    /// A string.
    String(Arc<str>),
    /// An array.
    Array(Arc<Vec<Value>>),
    /// An object, which keeps the order of its entries.
    Object(Map),
}

impl Value {
    /// Whether this is [`Value::Null`].
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The string, if the value is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean, if the value is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer, if the value is one.
    pub fn as_integer(&self) -> Option<i128> {
        match self {
            Self::Integer(value) => Some(*value),
            _ => None,
        }
    }

    /// The number as a float, if the value is an integer or a float.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "the caller wants a float")]
            Self::Integer(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The items, if the value is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The entries, if the value is an object.
    pub fn as_object(&self) -> Option<&Map> {
        match self {
            Self::Object(map) => Some(map),
            _ => None,
        }
    }

    /// The value of a key, if the value is an object that has the key.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object()?.get(name)
    }

    /// Whether a condition on this value is true. `null`, `false`, zero and empty values are false.
    pub fn is_true(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Integer(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::String(text) => !text.is_empty(),
            Self::Array(items) => !items.is_empty(),
            Self::Object(map) => !map.is_empty(),
        }
    }

    /// The kind of the value, as error messages name it: `string`, `array`, `object` and so on.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Integer(_) => "integer",
            Self::Float(_) => "float",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

impl PartialEq for Value {
    /// `1` and `1.0` are equal, as in templates and JSON. Integers are compared by all digits, also
    /// with floats.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::Integer(a), Self::Float(b)) | (Self::Float(b), Self::Integer(a)) => {
                is_same_number(*a, *b)
            }
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => a == b,
            _ => false,
        }
    }
}

/// Whether an integer and a float are equal. Neighbouring integers may have the same nearest float,
/// so both numbers are compared as integers, too.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "checked")]
fn is_same_number(integer: i128, float: f64) -> bool {
    // The cast of 2 to the power of 127 saturates, so it must not equal `i128::MAX`.
    integer as f64 == float && float as i128 == integer && float < i128::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn integers_and_floats_are_compared_by_all_digits() {
        let float = Value::Float(9_007_199_254_740_992.0);
        assert_eq!(Value::Integer(9_007_199_254_740_992), float);
        assert_ne!(Value::Integer(9_007_199_254_740_993), float);
        assert_ne!(Value::Integer(i128::MAX), Value::Float(2.0_f64.powi(127)));
        assert_eq!(Value::Integer(i128::MIN), Value::Float(-2.0_f64.powi(127)));
    }
}
