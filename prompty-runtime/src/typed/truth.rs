//! The Rust types that can be conditions.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use super::pointers::for_pointers;
use prompty_core::value::{Map, Value};

/// The truth of a value in conditions of Handlebars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockTruth {
    /// Whether `{{#if}}` takes its branch. Maps are true even if they are empty, and NaN is false.
    pub holds: bool,
    /// Whether `{{#with}}` writes its body. It also does so for zero.
    pub is_entered: bool,
}

impl BlockTruth {
    /// The truth of a value that `{{#if}}` and `{{#with}}` treat alike.
    pub fn of_bool(is_true: bool) -> Self {
        Self { holds: is_true, is_entered: is_true }
    }

    /// The truth of a number.
    pub fn of_number(is_true: bool) -> Self {
        Self { holds: is_true, is_entered: true }
    }

    /// The truth of a value whose kind is known at run time.
    pub fn of_value(value: &Value) -> Self {
        match value {
            Value::Object(_) => Self::of_bool(true),
            Value::Integer(_) => Self::of_number(value.is_true()),
            Value::Float(number) => Self::of_number(*number != 0.0 && !number.is_nan()),
            _ => Self::of_bool(value.is_true()),
        }
    }
}

/// A type that can be the condition of `{% if %}`. `false`, zero, `None` and empty values are
/// false.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a condition",
    label = "is neither true nor false",
    note = "booleans, numbers, strings, lists, maps and `Option`s can be conditions",
    note = "use one of its fields as the condition, or make the field an `Option`"
)]
pub trait Truth {
    /// Whether the value is true.
    fn truth(&self) -> bool;

    /// The truth in conditions of Handlebars.
    #[doc(hidden)]
    fn in_block(&self) -> BlockTruth {
        BlockTruth::of_bool(self.truth())
    }
}

#[diagnostic::do_not_recommend]
impl Truth for bool {
    fn truth(&self) -> bool {
        *self
    }
}

#[diagnostic::do_not_recommend]
impl Truth for char {
    /// A character is always true, like any string that is not empty.
    fn truth(&self) -> bool {
        true
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Truth for $number {
            fn truth(&self) -> bool {
                *self != <$number>::default()
            }

            fn in_block(&self) -> BlockTruth {
                // A number that is not comparable is NaN.
                BlockTruth::of_number(self.truth() && self.partial_cmp(self).is_some())
            }
        }
    )*};
}

numbers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);

macro_rules! non_zero {
    ($($number:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Truth for std::num::NonZero<$number> {
            /// Always true.
            fn truth(&self) -> bool {
                true
            }
        }
    )*};
}

non_zero!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

#[diagnostic::do_not_recommend]
impl<T: Truth> Truth for Option<T> {
    fn truth(&self) -> bool {
        self.as_ref().is_some_and(Truth::truth)
    }

    fn in_block(&self) -> BlockTruth {
        self.as_ref().map_or(BlockTruth::of_bool(false), Truth::in_block)
    }
}

macro_rules! collections {
    ($([$($parameters:tt)*] $collection:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($parameters)*> Truth for $collection {
            fn truth(&self) -> bool {
                !self.is_empty()
            }
        }
    )*};
}

collections! {
    [] str;
    [] String;
    [T] [T];
    [T] Vec<T>;
    [T] VecDeque<T>;
    [T] BTreeSet<T>;
    [T, S] HashSet<T, S>;
    [T, const N: usize] [T; N];
}

macro_rules! maps {
    ($([$($parameter:ident)*] $map:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($parameter),*> Truth for $map {
            fn truth(&self) -> bool {
                !self.is_empty()
            }

            fn in_block(&self) -> BlockTruth {
                BlockTruth::of_bool(true)
            }
        }
    )*};
}

maps! {
    [] Map;
    [K V] BTreeMap<K, V>;
    [K V S] HashMap<K, V, S>;
}

for_pointers! { Truth {
    fn truth(&self) -> bool {
        (**self).truth()
    }

    fn in_block(&self) -> BlockTruth {
        (**self).in_block()
    }
} }

#[diagnostic::do_not_recommend]
impl Truth for Value {
    fn truth(&self) -> bool {
        self.is_true()
    }

    fn in_block(&self) -> BlockTruth {
        BlockTruth::of_value(self)
    }
}
