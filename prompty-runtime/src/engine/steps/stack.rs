//! The values of expressions and blocks during a render.

use std::sync::Arc;

use super::program::Step;
use crate::engine::RichInput;
use prompty_core::value::{Map, Value};

/// A value on the stack.
#[derive(Debug, Clone)]
pub(super) enum StackValue<'a> {
    Value(Value),
    /// A thread or media. It can be printed or be a condition.
    Rich(&'a RichInput),
    /// The value of a name that is not defined.
    Missing,
    /// All inputs.
    Inputs,
}

impl StackValue<'_> {
    /// Whether an `if` takes its branch. Zero and empty strings and lists are false; a map is true.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Value(Value::Object(_)) | Self::Inputs => true,
            Self::Value(Value::Float(number)) => *number != 0.0 && !number.is_nan(),
            Self::Value(value) => value.is_true(),
            Self::Rich(rich) => rich.present,
            Self::Missing => false,
        }
    }

    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Value(value) => value,
            Self::Rich(_) | Self::Missing | Self::Inputs => Value::Null,
        }
    }
}

impl From<Option<Value>> for StackValue<'_> {
    fn from(value: Option<Value>) -> Self {
        value.map_or(Self::Missing, Self::Value)
    }
}

/// The values for which the body of a block is written.
pub(super) enum BlockValues<'a> {
    List(Arc<Vec<Value>>),
    Map(Map),
    One(StackValue<'a>),
}

impl<'a> BlockValues<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::List(items) => items.len(),
            Self::Map(entries) => entries.len(),
            Self::One(_) => 1,
        }
    }

    pub(super) fn value(&self, index: usize) -> StackValue<'a> {
        match self {
            Self::List(items) => items.get(index).cloned().into(),
            Self::Map(entries) => entries.entry(index).map(|(_, value)| value.clone()).into(),
            Self::One(value) => value.clone(),
        }
    }

    /// `@key`. A block that does not loop has none.
    pub(super) fn key(&self, index: usize) -> Option<Value> {
        match self {
            Self::List(_) => Some(Value::from(index)),
            Self::Map(entries) => {
                entries.entry(index).map(|(name, _)| Value::from(Arc::clone(name)))
            }
            Self::One(_) => None,
        }
    }
}

/// A block that is running.
pub(super) struct BlockFrame<'a> {
    pub(super) values: BlockValues<'a>,
    /// The position of the current value.
    pub(super) index: usize,
    /// The current value.
    pub(super) value: StackValue<'a>,
    pub(super) body: &'a [Step],
}
