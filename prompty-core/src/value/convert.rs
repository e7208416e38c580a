//! Conversions from Rust types to [`Value`].

use std::borrow::Cow;
use std::sync::Arc;

use super::{Map, Value};

macro_rules! from_integer {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Value {
            fn from(value: $integer) -> Self {
                Self::Integer(i128::from(value))
            }
        }
    )*};
}

from_integer!(i8 i16 i32 i64 i128 u8 u16 u32 u64);

macro_rules! from_size {
    ($($size:ty)*) => {$(
        impl From<$size> for Value {
            fn from(value: $size) -> Self {
                // Sizes have at most 64 bits on all platforms.
                Self::Integer(i128::try_from(value).unwrap_or(i128::MAX))
            }
        }
    )*};
}

from_size!(isize usize);

macro_rules! from {
    ($($type:ty: $value:ident => $own:expr;)*) => {$(
        impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $own
            }
        }
    )*};
}

from! {
    bool: value => Self::Bool(value);
    f32: number => Self::Float(f64::from(number));
    f64: number => Self::Float(number);
    &str: text => Self::String(text.into());
    String: text => Self::String(text.into());
    &String: text => Self::String(text.as_str().into());
    Cow<'_, str>: text => Self::String(text.into());
    Arc<str>: text => Self::String(text);
    char: character => Self::String(String::from(character).into());
    Map: map => Self::Object(map);
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(Arc::new(items.into_iter().map(Into::into).collect()))
    }
}
