//! What decides whether the blocks of Handlebars are written, where only rustc knows the type of the
//! value. Rust's method lookup takes the first trait here that fits the value.

use super::Truth;
use super::place::Place;
use prompty_core::value::Value;

/// What the conditions of Handlebars say of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockTruth {
    /// Whether `{{#if}}` holds. Maps are true, also empty ones, and NaN is false.
    pub holds: bool,
    /// Whether `{{#with}}` is entered, as it also is with zero.
    pub is_entered: bool,
}

impl BlockTruth {
    /// A value that both treat alike.
    pub fn of_bool(is_true: bool) -> Self {
        Self { holds: is_true, is_entered: is_true }
    }

    /// A number.
    pub fn of_number(is_true: bool) -> Self {
        Self { holds: is_true, is_entered: true }
    }

    /// A value that a template may have computed.
    pub fn of_value(value: &Value) -> Self {
        match value {
            Value::Object(_) => Self::of_bool(true),
            Value::Integer(_) => Self::of_number(value.is_true()),
            Value::Float(number) => Self::of_number(*number != 0.0 && !number.is_nan()),
            _ => Self::of_bool(value.is_true()),
        }
    }
}

/// A type that can be a condition.
pub trait TruthOfBlock {
    /// What the conditions say.
    fn block_truth(&self) -> BlockTruth;
}

impl<T: Truth + ?Sized> TruthOfBlock for &&&&Place<'_, T> {
    fn block_truth(&self) -> BlockTruth {
        self.0.in_block()
    }
}

/// An `Option` of a type that cannot be a condition.
pub trait PresenceOfBlock {
    /// What the conditions say.
    fn block_truth(&self) -> BlockTruth;
}

impl<T> PresenceOfBlock for &&Place<'_, Option<T>> {
    fn block_truth(&self) -> BlockTruth {
        BlockTruth::of_bool(self.0.is_some())
    }
}

/// Any other type, such as a struct.
pub trait PlainBlock {
    /// What the conditions say.
    fn block_truth(&self) -> BlockTruth {
        BlockTruth::of_bool(true)
    }
}

impl<T: ?Sized> PlainBlock for Place<'_, T> {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::tiers::*;
    use super::*;

    macro_rules! truth {
        ($value:expr) => {{
            let BlockTruth { holds, is_entered } = (&&&&&Place(&$value)).block_truth();
            (holds, is_entered)
        }};
    }

    #[test]
    fn zero_is_entered_and_a_map_is_always_true() {
        struct Opaque;
        assert_eq!(truth!(0), (false, true));
        assert_eq!(truth!(f64::NAN), (false, true));
        assert_eq!(truth!(Some(0.5)), (true, true));
        assert_eq!(truth!(None::<i32>), (false, false));
        assert_eq!(truth!(""), (false, false));
        assert_eq!(truth!(BTreeMap::<String, i32>::new()), (true, true));
        assert_eq!(truth!(Some(&BTreeMap::<String, i32>::new())), (true, true));
        assert_eq!(truth!(Value::Object(Default::default())), (true, true));
        assert_eq!(truth!(Opaque), (true, true));
        assert_eq!(truth!(None::<Opaque>), (false, false));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn data_is_asked_as_what_it_is() {
        use serde_json::json;
        assert_eq!(truth!(json!({})), (true, true));
        assert_eq!(truth!(json!(0)), (false, true));
        assert_eq!(truth!(Some(&json!([]))), (false, false));
    }
}
