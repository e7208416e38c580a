//! A JSON value without a fixed type while it grows.

use prompty_core::value::{Map, Value};

use super::growth::{Change, Growth, Partial};
use super::map::GrowingMap;
use crate::output::path::Step;

/// A JSON value without a fixed type while it grows, as the model writes it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum GrowingValue {
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Partial<Value>>),
    /// An object.
    Object(GrowingMap<Value>),
}

impl GrowingValue {
    /// The value so far, as if the reply ended here. Absent values are `null` in an array and
    /// missing in an object. Creating it takes time in proportion to its size.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let of = |partial: &Partial<Value>| match partial {
            Partial::Absent => None,
            Partial::Growing(growing) => Some(growing.to_value()),
            Partial::Done(value) => Some(value.clone()),
        };
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            Self::List(items) => {
                let items: Vec<Value> = items.iter().map(|it| of(it).unwrap_or_default()).collect();
                Value::from(items)
            }
            Self::Object(entries) => {
                let mut map = Map::new();
                for (key, value) in entries.iter() {
                    if let Some(value) = of(value) {
                        map.insert(key, value);
                    }
                }
                Value::Object(map)
            }
        }
    }
}

impl Growth for GrowingValue {
    fn begin(steps: &[Step]) -> Option<Self> {
        Some(match steps.first() {
            None => Self::Text(String::new()),
            Some(Step::Index(_)) => Self::List(Vec::new()),
            Some(Step::Key(_)) => Self::Object(GrowingMap::default()),
        })
    }

    fn grow(&mut self, steps: &[Step], change: &Change<'_>) {
        match self {
            Self::Text(text) => text.grow(steps, change),
            Self::List(items) => items.grow(steps, change),
            Self::Object(entries) => entries.grow(steps, change),
        }
    }
}
