//! Maps of a render, in the order of their entries.

use std::collections::HashMap;
use std::sync::Arc;

use super::budget::{ITEM_COST, Meter};
use super::text::Text;
use super::value::{Outcome, VALUE_BYTES, Val};
use prompty_core::work::add_steps;

/// The maximum number of entries of a map that is searched linearly, without an index.
const MOST_WITHOUT_INDEX: usize = 12;
/// The memory of an entry, including its position in the index, in bytes.
const ENTRY_BYTES: usize = 4 * VALUE_BYTES;

/// A map. Keys are compared like in Python: `1`, `1.0` and `True` are equal. The functions here
/// search only string keys; `Run::position_of` searches all types.
#[derive(Debug, Default)]
pub(super) struct Dict {
    entries: Vec<(Val, Val)>,
    /// The positions of string keys, if there are many entries.
    index: Option<HashMap<Arc<str>, usize>>,
}

impl Dict {
    pub(super) const fn new() -> Self {
        Self { entries: Vec::new(), index: None }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry at a position.
    pub(super) fn entry(&self, position: usize) -> Option<&(Val, Val)> {
        self.entries.get(position)
    }

    /// The entries. Each is paid for when it is visited.
    pub(super) fn iter_paid<'d>(
        &'d self,
        meter: &'d Meter,
    ) -> impl Iterator<Item = Outcome<&'d (Val, Val)>> {
        self.entries.iter().map(|entry| {
            meter.pay_items(1)?;
            add_steps(ITEM_COST);
            Ok(entry)
        })
    }

    /// The value of a key that is a word of the engine, such as the name of a parameter of a
    /// filter. Words are short, so the search is free.
    pub(super) fn get_literal(&self, word: &'static str) -> Option<&Val> {
        let position = match &self.index {
            Some(index) => index.get(word).copied(),
            None => {
                let is_word = |key: &Val| key.as_text().is_some_and(|key| key.is(word));
                self.entries.iter().position(|(key, _)| is_word(key))
            }
        };
        self.entries.get(position?).map(|(_, value)| value)
    }

    /// The value of a string key.
    pub(super) fn get(&self, key: &str, meter: &Meter) -> Outcome<Option<&Val>> {
        let position = self.position(key, meter)?;
        Ok(position.and_then(|position| self.entries.get(position)).map(|(_, value)| value))
    }

    /// The position of a string key.
    pub(super) fn position(&self, key: &str, meter: &Meter) -> Outcome<Option<usize>> {
        if let Some(index) = &self.index {
            meter.pay_units(ITEM_COST.saturating_add(key.len()))?;
            add_steps(ITEM_COST + key.len());
            return Ok(index.get(key).copied());
        }
        for (position, (name, _)) in self.entries.iter().enumerate() {
            if let Some(name) = name.as_text()
                && name.is_equal(key, meter)?
            {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// Sets the value of the entry at a position.
    pub(super) fn set_value(&mut self, position: usize, value: Val) {
        if let Some(entry) = self.entries.get_mut(position) {
            entry.1 = value;
        }
    }

    /// Sets an entry whose key is a string.
    pub(super) fn set(&mut self, key: &Text, value: Val, meter: &Meter) -> Outcome<()> {
        match self.position(key.read(meter)?, meter)? {
            Some(position) => self.set_value(position, value),
            None => self.push(Val::String(key.clone()), value, meter)?,
        }
        Ok(())
    }

    /// Adds an entry whose key is new.
    pub(super) fn push(&mut self, key: Val, value: Val, meter: &Meter) -> Outcome<()> {
        meter.pay_memory(ENTRY_BYTES)?;
        self.add(key, value, meter)
    }

    /// Adds an entry that comes from the template or its inputs. It costs work, but no memory of
    /// the budget: the sizes of both limit the number of such entries.
    pub(super) fn push_without_memory(
        &mut self,
        key: Val,
        value: Val,
        meter: &Meter,
    ) -> Outcome<()> {
        meter.pay_units(ENTRY_BYTES)?;
        self.add(key, value, meter)
    }

    /// Adds an entry that was paid for.
    fn add(&mut self, key: Val, value: Val, meter: &Meter) -> Outcome<()> {
        add_steps(ITEM_COST);
        let position = self.entries.len();
        if let (Some(index), Some(name)) = (&mut self.index, key.as_text()) {
            index.insert(Arc::clone(name.read_shared(meter)?), position);
        }
        self.entries.push((key, value));
        if self.index.is_none() && self.entries.len() > MOST_WITHOUT_INDEX {
            let mut index = HashMap::new();
            for (position, (key, _)) in self.entries.iter().enumerate() {
                if let Some(name) = key.as_text() {
                    index.insert(Arc::clone(name.read_shared(meter)?), position);
                }
            }
            self.index = Some(index);
        }
        Ok(())
    }

    /// Removes the entry at a position. The last entry is removed in constant time; for another
    /// one, all entries after it move.
    pub(super) fn remove(&mut self, position: usize, meter: &Meter) -> Outcome<Option<(Val, Val)>> {
        let Some(after) = self.entries.len().checked_sub(position + 1) else { return Ok(None) };
        if let Some((key, _)) = self.entries.get(position)
            && let (Some(index), Some(name)) = (&mut self.index, key.as_text())
        {
            index.remove(name.read(meter)?);
        }
        if after > 0 {
            meter.pay_items(self.entries.len())?;
            add_steps(after * ITEM_COST);
            if let Some(index) = &mut self.index {
                add_steps(index.len() * ITEM_COST);
                index.values_mut().filter(|it| **it > position).for_each(|it| *it -= 1);
            }
        }
        // A small map is searched linearly. If it grows again, `add` builds a new index.
        if self.entries.len() <= MOST_WITHOUT_INDEX {
            self.index = None;
        }
        Ok(Some(self.entries.remove(position)))
    }

    /// A copy of the map.
    pub(super) fn copied(&self, meter: &Meter) -> Outcome<Self> {
        meter.pay_memory(self.entries.len().saturating_mul(ENTRY_BYTES))?;
        add_steps(self.entries.len() * ITEM_COST);
        Ok(Self { entries: self.entries.clone(), index: self.index.clone() })
    }
}
