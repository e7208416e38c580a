//! What inputs, defaults and metadata are when their type is not known at compile time.
//!
//! A [`Value`] is cheap to clone (texts, lists and maps are shared) and its maps keep the order in
//! which they were written. With the feature `serde` it converts from and to all that serde knows.

mod convert;
mod display;
mod failure;
mod json;
mod map;
#[cfg(feature = "serde")]
mod serde;

use std::sync::Arc;

pub use map::Map;

/// What the other packages of typed-prompty share of this room. It changes as they need it.
#[doc(hidden)]
pub mod internal {
    #[cfg(feature = "serde")]
    pub use super::failure::bounded;
    pub use super::failure::{Failure, Step, excerpt};

    pub use super::json::write_float;

    /// JSON text: its reader, its writer and its escapes.
    pub mod json {
        pub use super::super::json::*;
    }
}

/// How deep lists and maps may lie in each other. Deeper data is refused where it comes in, so that
/// no later walk over a value can exhaust the stack.
pub const MAX_DEPTH: usize = 128;

/// A value of a kind that is only known at run time.
///
/// Integers are kept exact over the whole range of `i64` and `u64`. The kinds are JSON's, which will
/// not grow, so a `match` may name them all.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// Nothing; prints as the empty text.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i128),
    /// A number with a fraction.
    Float(f64),
    /// A text.
    String(Arc<str>),
    /// A list.
    Array(Arc<Vec<Value>>),
    /// A map from names to values, in the order in which they were written.
    Object(Map),
}

impl Value {
    /// Whether this is [`Value::Null`].
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The text, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The whole number, if this is one.
    pub fn as_integer(&self) -> Option<i128> {
        match self {
            Self::Integer(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, whole or not, if this is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "the caller asks for a float")]
            Self::Integer(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The items, if this is a list.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The entries, if this is a map.
    pub fn as_object(&self) -> Option<&Map> {
        match self {
            Self::Object(map) => Some(map),
            _ => None,
        }
    }

    /// What stands under a name, if this is a map that has it.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object()?.get(name)
    }

    /// Whether a condition on this value holds: false are `null`, `false`, zero and whatever is
    /// empty.
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

    /// What kind of value this is, as error messages say it: `text`, `list`, `map` and so on.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Integer(_) => "integer",
            Self::Float(_) => "float",
            Self::String(_) => "text",
            Self::Array(_) => "list",
            Self::Object(_) => "map",
        }
    }
}

impl PartialEq for Value {
    /// `1` and `1.0` are equal, as they are in templates and JSON.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            #[expect(clippy::cast_precision_loss, reason = "a float is compared as a float")]
            (Self::Integer(a), Self::Float(b)) | (Self::Float(b), Self::Integer(a)) => {
                *a as f64 == *b
            }
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => a == b,
            _ => false,
        }
    }
}
