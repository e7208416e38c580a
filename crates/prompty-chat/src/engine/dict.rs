//! Maps of a render, in the order of their entries.

use std::collections::HashMap;
use std::sync::Arc;

use super::budget::{ITEM, Meter};
use super::text::Text;
use super::value::{Outcome, VALUE, Val};
use prompty_core::work::add_steps;

/// The maximum number of entries of a map that is searched linearly.
const SMALL: usize = 12;
/// The memory of an entry, including its place in the index.
const ENTRY: usize = 4 * VALUE;

/// A map. Keys are compared like in Python: `1`, `1.0` and `True` are equal.
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
    pub(super) fn entry(&self, place: usize) -> Option<&(Val, Val)> {
        self.entries.get(place)
    }

    /// The entries. Each is paid for when it is visited.
    pub(super) fn each<'d>(
        &'d self,
        meter: &'d Meter,
    ) -> impl Iterator<Item = Outcome<&'d (Val, Val)>> {
        self.entries.iter().map(|entry| {
            meter.pay_items(1)?;
            add_steps(ITEM);
            Ok(entry)
        })
    }

    /// The value of a key that is known to the engine.
    pub(super) fn known(&self, word: &'static str) -> Option<&Val> {
        let place = match &self.index {
            Some(index) => index.get(word).copied(),
            None => {
                let is_word = |key: &Val| key.as_text().is_some_and(|key| key.is(word));
                self.entries.iter().position(|(key, _)| is_word(key))
            }
        };
        self.entries.get(place?).map(|(_, value)| value)
    }

    /// The value of a string key.
    pub(super) fn get(&self, key: &str, meter: &Meter) -> Outcome<Option<&Val>> {
        let place = self.place(key, meter)?;
        Ok(place.and_then(|place| self.entries.get(place)).map(|(_, value)| value))
    }

    /// The position of a string key.
    pub(super) fn place(&self, key: &str, meter: &Meter) -> Outcome<Option<usize>> {
        if let Some(index) = &self.index {
            meter.pay(ITEM.saturating_add(key.len()))?;
            add_steps(ITEM + key.len());
            return Ok(index.get(key).copied());
        }
        for (place, (name, _)) in self.entries.iter().enumerate() {
            if let Some(name) = name.as_text()
                && name.is_equal(key, meter)?
            {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Sets the value of the entry at a position.
    pub(super) fn set_value(&mut self, place: usize, value: Val) {
        if let Some(entry) = self.entries.get_mut(place) {
            entry.1 = value;
        }
    }

    /// Sets an entry whose key is a string.
    pub(super) fn set(&mut self, key: &Text, value: Val, meter: &Meter) -> Outcome<()> {
        match self.place(key.read(meter)?, meter)? {
            Some(place) => self.set_value(place, value),
            None => self.push(Val::String(key.clone()), value, meter)?,
        }
        Ok(())
    }

    /// Adds an entry whose key is new.
    pub(super) fn push(&mut self, key: Val, value: Val, meter: &Meter) -> Outcome<()> {
        meter.pay_built(ENTRY)?;
        self.add(key, value, meter)
    }

    /// Adds an entry that comes from the template or its inputs. The number of such entries is
    /// bounded, so they cost work, but no memory of the budget.
    pub(super) fn push_bounded(&mut self, key: Val, value: Val, meter: &Meter) -> Outcome<()> {
        meter.pay(ENTRY)?;
        self.add(key, value, meter)
    }

    fn add(&mut self, key: Val, value: Val, meter: &Meter) -> Outcome<()> {
        add_steps(ITEM);
        let place = self.entries.len();
        if let (Some(index), Some(name)) = (&mut self.index, key.as_text()) {
            index.insert(Arc::clone(name.read_shared(meter)?), place);
        }
        self.entries.push((key, value));
        if self.index.is_none() && self.entries.len() > SMALL {
            let mut index = HashMap::new();
            for (place, (key, _)) in self.entries.iter().enumerate() {
                if let Some(name) = key.as_text() {
                    index.insert(Arc::clone(name.read_shared(meter)?), place);
                }
            }
            self.index = Some(index);
        }
        Ok(())
    }

    /// Removes the entry at a position. The last entry is removed in constant time; for another
    /// one, all entries after it move.
    pub(super) fn remove(&mut self, place: usize, meter: &Meter) -> Outcome<Option<(Val, Val)>> {
        let Some(after) = self.entries.len().checked_sub(place + 1) else { return Ok(None) };
        if let Some((key, _)) = self.entries.get(place)
            && let (Some(index), Some(name)) = (&mut self.index, key.as_text())
        {
            index.remove(name.read(meter)?);
        }
        if after > 0 {
            meter.pay_items(self.entries.len())?;
            add_steps(after * ITEM);
            if let Some(index) = &mut self.index {
                add_steps(index.len() * ITEM);
                index.values_mut().filter(|it| **it > place).for_each(|it| *it -= 1);
            }
        }
        if self.entries.len() <= SMALL {
            self.index = None;
        }
        Ok(Some(self.entries.remove(place)))
    }

    /// A copy of the map.
    pub(super) fn copied(&self, meter: &Meter) -> Outcome<Self> {
        meter.pay_built(self.entries.len().saturating_mul(ENTRY))?;
        add_steps(self.entries.len() * ITEM);
        Ok(Self { entries: self.entries.clone(), index: self.index.clone() })
    }
}
