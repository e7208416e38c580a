//! The Rust types that can be written into a prompt.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use super::pointers::for_pointers;
use super::truth::Truth;
use prompty_core::value::{Map, Value};

/// A type whose values can be written into a prompt or passed to a filter.
///
/// Strings, numbers, booleans, and `Option`s, lists and maps of them implement it. For your own
/// struct, `#[derive(ToValue)]` makes a map of its fields. A template that reads only single fields
/// (`{{ passage.title }}`) does not need an implementation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written into a prompt",
    label = "cannot be written or passed to a filter",
    note = "strings, numbers, booleans, and `Option`s, lists and maps of them can be written",
    note = "print one of its fields, or add `#[derive(ToValue)]` to it"
)]
pub trait ToValue {
    /// The value that the template gets.
    fn to_value(&self) -> Value;
}

macro_rules! by_conversion {
    ($($type:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl ToValue for $type {
            fn to_value(&self) -> Value {
                Value::from(*self)
            }
        }
    )*};
}

by_conversion!(bool char i8 i16 i32 i64 i128 isize u8 u16 u32 u64 usize f32 f64);

#[diagnostic::do_not_recommend]
impl ToValue for u128 {
    /// A number that is too large for [`Value::Integer`] loses digits.
    #[expect(clippy::cast_precision_loss, reason = "`Value` has no larger integer")]
    fn to_value(&self) -> Value {
        i128::try_from(*self).map_or(Value::Float(*self as f64), Value::Integer)
    }
}

macro_rules! non_zero {
    ($($type:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl ToValue for std::num::NonZero<$type> {
            fn to_value(&self) -> Value {
                self.get().to_value()
            }
        }
    )*};
}

non_zero!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

for_pointers! { ToValue {
    fn to_value(&self) -> Value {
        (**self).to_value()
    }
} }

macro_rules! as_list {
    ($($list:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: ToValue> ToValue for $list {
            fn to_value(&self) -> Value {
                self.iter().map(ToValue::to_value).collect()
            }
        }
    )*};
}

as_list!([T] Vec<T> VecDeque<T> BTreeSet<T>);

#[diagnostic::do_not_recommend]
impl<T: ToValue, const N: usize> ToValue for [T; N] {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }
}

#[diagnostic::do_not_recommend]
impl<T: ToValue + Ord, S> ToValue for HashSet<T, S> {
    /// Sorted, so that equal sets print the same.
    fn to_value(&self) -> Value {
        self.iter().collect::<BTreeSet<_>>().to_value()
    }
}

#[diagnostic::do_not_recommend]
impl ToValue for str {
    fn to_value(&self) -> Value {
        Value::from(self)
    }
}

#[diagnostic::do_not_recommend]
impl ToValue for String {
    fn to_value(&self) -> Value {
        Value::from(self.as_str())
    }
}

#[diagnostic::do_not_recommend]
impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

#[diagnostic::do_not_recommend]
impl ToValue for Value {
    fn to_value(&self) -> Value {
        self.clone()
    }
}

#[diagnostic::do_not_recommend]
impl ToValue for Map {
    fn to_value(&self) -> Value {
        Value::Object(self.clone())
    }
}

#[diagnostic::do_not_recommend]
impl<K: AsRef<str>, V: ToValue> ToValue for BTreeMap<K, V> {
    fn to_value(&self) -> Value {
        let entries = self.iter().map(|(name, value)| (name.as_ref(), value.to_value()));
        Value::Object(entries.collect())
    }
}

#[diagnostic::do_not_recommend]
impl<K: AsRef<str> + Ord, V: ToValue, S> ToValue for HashMap<K, V, S> {
    /// Sorted by name, so that equal maps print the same.
    fn to_value(&self) -> Value {
        self.iter().collect::<BTreeMap<_, _>>().to_value()
    }
}

/// A tuple whose elements are values.
pub trait Tuple: ToValue {}

macro_rules! as_tuple {
    ($($name:ident)+) => {
        #[diagnostic::do_not_recommend]
        impl<$($name: ToValue),+> ToValue for ($($name,)+) {
            /// A list of the tuple's elements.
            fn to_value(&self) -> Value {
                #[expect(non_snake_case, reason = "an element has the name of its type")]
                let ($($name,)+) = self;
                Value::from(vec![$($name.to_value()),+])
            }
        }

        impl<$($name: ToValue),+> Tuple for ($($name,)+) {}

        #[diagnostic::do_not_recommend]
        impl<$($name),+> Truth for ($($name,)+) {
            /// Always true, since a tuple has elements.
            fn truth(&self) -> bool {
                true
            }
        }
    };
}

as_tuple!(A);
as_tuple!(A B);
as_tuple!(A B C);
as_tuple!(A B C D);
