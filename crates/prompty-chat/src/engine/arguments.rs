//! The arguments of a call.

use super::budget::Meter;
use super::dict::Dict;
use super::fault::Fault;
use super::heap::ItemList;
use super::text::Text;
use super::value::{Outcome, Val};

/// The arguments of a call.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) positional: ItemList,
    pub(super) named: Dict,
    /// A name that was given twice. Its first value is used.
    pub(super) repeated_name: Option<Text>,
}

impl Arguments {
    /// An argument by its position or its name.
    pub(super) fn get(&self, index: usize, name: &'static str) -> Option<&Val> {
        self.positional.get(index).or_else(|| self.by_name(name))
    }

    pub(super) fn by_name(&self, name: &'static str) -> Option<&Val> {
        self.named.get_literal(name)
    }

    /// A required argument.
    pub(super) fn need(&self, index: usize, name: &'static str) -> Outcome<&Val> {
        self.get(index, name).ok_or_else(|| Fault::render(format!("missing argument `{name}`")))
    }

    /// An argument that is a count; `default` if it is missing.
    pub(super) fn count(&self, index: usize, name: &'static str, default: usize) -> Outcome<usize> {
        match self.get(index, name) {
            None | Some(Val::None) => Ok(default),
            Some(value) => match value.as_integer() {
                Some(number) => Ok(usize::try_from(number.max(0)).unwrap_or(usize::MAX)),
                None => Err(Fault::render(format!("the argument `{name}` must be an integer"))),
            },
        }
    }

    /// Adds a named argument. The caller pays for the memory of many arguments.
    pub(super) fn add_named(&mut self, name: &Text, value: Val, meter: &Meter) -> Outcome<()> {
        match self.named.position(name.read(meter)?, meter)? {
            Some(_) => self.repeated_name = Some(name.clone()),
            None => self.named.push_without_memory(Val::String(name.clone()), value, meter)?,
        }
        Ok(())
    }
}
