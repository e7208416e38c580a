//! A value of no certain type while it grows.

use prompty_core::value::{Map, Value};

use super::growth::{Change, Growth, Partial};
use super::map::GrowingMap;
use crate::output::path::Step;

/// A value of no certain type while it grows, as the model writes it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum GrowingValue {
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Partial<Value>>),
    /// An object.
    Object(GrowingMap<Value>),
}

impl GrowingValue {
    /// What came, as if it ended here. What is absent is `null` in a list, and left out of an object. Making
    /// it takes time in proportion to its size.
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
