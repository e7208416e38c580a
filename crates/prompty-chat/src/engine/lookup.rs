//! Access to values: attributes, items, entries, slices, and truth values.

use std::sync::Arc;

use super::arguments::Arguments;
use super::dict::Dict;
use super::fault::Fault;
use super::heap::ItemList;
use super::indexes::{SliceIndexes, resolve_index};
use super::methods::Method;
use super::run::Run;
use super::text::Text;
use super::value::{Outcome, VALUE_BYTES, Val};
use prompty_core::work::add_steps;

impl Run<'_> {
    /// `value.name`: a Python attribute, or else an entry with that name.
    pub(super) fn attribute(&mut self, value: &Val, name: &Arc<str>) -> Outcome {
        if Method::of(value, name).is_some() {
            return self.heap.new_method(value.clone(), name.clone(), &self.meter);
        }
        Ok(match value {
            Val::Dict(id) | Val::Namespace(id) => {
                let found = self.heap.dict(*id).get(name, &self.meter)?;
                found.cloned().unwrap_or(Val::Undefined)
            }
            Val::Loop(id) => self.loop_attribute(*id, name)?,
            Val::Macro(id) if &**name == "name" => {
                let made = self.heap.macro_value(*id);
                made.map_or(Val::Undefined, |made| Val::String(Text::shared(&made.name)))
            }
            // The first item is the index of the current one among the others.
            Val::Cycler(id) if &**name == "current" => {
                let index = self.heap.list(*id).get(0).and_then(Val::as_integer);
                let index = usize::try_from(index.unwrap_or_default()).unwrap_or_default();
                self.heap.list(*id).get(index + 1).cloned().unwrap_or(Val::Undefined)
            }
            _ => Val::Undefined,
        })
    }

    /// An attribute of the variable `loop`.
    fn loop_attribute(&mut self, id: u32, name: &str) -> Outcome {
        let Some(running) = self.heap.loop_state(id) else { return Ok(Val::Undefined) };
        let (index, count) = (running.index, running.items.len());
        let neighbour = |index: Option<usize>| {
            let item = index.and_then(|index| running.items.get(index));
            item.cloned().unwrap_or(Val::Undefined)
        };
        Ok(match name {
            "index" => Val::from(index + 1),
            "index0" => Val::from(index),
            "revindex" => Val::from(count.saturating_sub(index)),
            "revindex0" => Val::from(count.saturating_sub(index + 1)),
            "first" => Val::Bool(index == 0),
            "last" => Val::Bool(index + 1 == count),
            "length" => Val::from(count),
            "depth" => Val::from(running.depth + 1),
            "depth0" => Val::from(running.depth),
            "previtem" => neighbour(index.checked_sub(1)),
            "nextitem" => neighbour(index.checked_add(1)),
            _ => Val::Undefined,
        })
    }

    /// `value[index]`: an entry, or else an attribute with that name.
    pub(super) fn item(&mut self, value: &Val, index: &Val) -> Outcome {
        let found = match value {
            Val::Dict(id) | Val::Namespace(id) => self.entry(*id, index)?,
            Val::List(id) | Val::Tuple(id) => index.as_integer().and_then(|index| {
                let position = resolve_index(index, self.heap.list(*id).len())?;
                self.heap.list(*id).get(position).cloned()
            }),
            Val::String(text) | Val::Safe(text) => match index.as_integer() {
                Some(index) => self.character(text, index)?,
                None => None,
            },
            _ => None,
        };
        match (found, index.as_text()) {
            (Some(found), _) => Ok(found),
            (None, Some(name)) => self.attribute_named(value, name),
            (None, None) => Ok(Val::Undefined),
        }
    }

    /// The attribute whose name is a value. For a map, only methods are attributes.
    fn attribute_named(&mut self, value: &Val, name: &Text) -> Outcome {
        match (value, name.name()) {
            (Val::Dict(_), Some(name)) if Method::of(value, name).is_none() => Ok(Val::Undefined),
            (Val::Dict(_), None) => Ok(Val::Undefined),
            _ => {
                let name = Arc::clone(name.read_shared(&self.meter)?);
                self.attribute(value, &name)
            }
        }
    }

    /// The character at a position of a string.
    fn character(&self, text: &Text, index: i128) -> Outcome<Option<Val>> {
        let text = text.read(&self.meter)?;
        let count = if text.is_ascii() { text.len() } else { text.chars().count() };
        if count > 1 {
            self.note_rewriting();
        }
        let Some(index) = resolve_index(index, count) else { return Ok(None) };
        let character = match text.is_ascii() {
            true => text.as_bytes().get(index).map(|byte| char::from(*byte)),
            false => text.chars().nth(index),
        };
        let character = character.map(|it| Text::character(it, &self.meter)).transpose()?;
        Ok(character.map(Val::String))
    }

    /// The value of a key in a map.
    pub(super) fn entry(&self, id: u32, key: &Val) -> Outcome<Option<Val>> {
        let dict = self.heap.dict(id);
        let position = self.position_of(dict, key)?;
        Ok(position.and_then(|position| dict.entry(position)).map(|(_, value)| value.clone()))
    }

    /// The position of a key in a map.
    pub(super) fn position_of(&self, dict: &Dict, key: &Val) -> Outcome<Option<usize>> {
        if let Some(key) = key.as_text() {
            return dict.position(key.read(&self.meter)?, &self.meter);
        }
        if matches!(key, Val::List(_) | Val::Dict(_)) {
            return Err(Fault::wrong_type(key, "cannot be a key of a map"));
        }
        for (position, entry) in dict.iter_paid(&self.meter).enumerate() {
            let (name, _) = entry?;
            if name.as_text().is_none() && self.is_equal(name, key, 0)? {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// Sets an entry. An existing key keeps its position and its form.
    pub(super) fn insert(&self, dict: &mut Dict, key: Val, value: Val) -> Outcome<()> {
        match self.position_of(dict, &key)? {
            Some(position) => dict.set_value(position, value),
            None => dict.push(key, value, &self.meter)?,
        }
        Ok(())
    }

    /// `value[start:stop:step]`.
    pub(super) fn slice(&mut self, value: &Val, bounds: [Option<i128>; 3]) -> Outcome {
        match value {
            Val::List(id) | Val::Tuple(id) => {
                let positions = SliceIndexes::of_slice(self.heap.list(*id).len(), bounds)?;
                let mut items = ItemList::default();
                for position in positions.iter() {
                    let Some(item) = self.heap.list(*id).get(position) else { break };
                    items.push(item.clone(), &self.meter)?;
                }
                self.list_like(value, items)
            }
            Val::String(original) | Val::Safe(original) => {
                let original = original.read(&self.meter)?;
                // The characters are counted first, and then visited.
                self.meter.pay_units(original.len())?;
                let count = original.chars().count();
                let positions = SliceIndexes::of_slice(count, bounds)?;
                let mut text = self.writer();
                add_steps(2 * original.len());
                let (stride, first) = (positions.step.unsigned_abs(), positions.first);
                let stride = usize::try_from(stride).unwrap_or(usize::MAX);
                if positions.step > 0 {
                    let forwards = original.chars().skip(first).step_by(stride);
                    text.push_all(forwards.take(positions.count))?;
                } else {
                    let skipped = count.saturating_sub(first + 1);
                    let turned = original.chars().rev().skip(skipped).step_by(stride);
                    text.push_all(turned.take(positions.count))?;
                }
                self.note_part(original, text.as_str());
                text.finish().map(Val::String)
            }
            Val::Undefined => Err(Fault::render("an undefined value cannot be sliced")),
            _ => Ok(Val::Undefined),
        }
    }

    /// Whether a value is true in a condition.
    pub(super) fn is_true(&self, value: &Val) -> bool {
        match value {
            Val::Undefined | Val::None => false,
            Val::Bool(value) => *value,
            Val::Integer(number) => *number != 0,
            Val::Float(number) => *number != 0.0,
            Val::String(text) | Val::Safe(text) => !text.is_empty(),
            Val::List(id) | Val::Tuple(id) => !self.heap.list(*id).is_empty(),
            Val::Dict(id) => !self.heap.dict(*id).is_empty(),
            _ => true,
        }
    }

    /// The entry at a position of a map.
    pub(super) fn entry_at(&self, id: u32, position: usize) -> Outcome<Option<(Val, Val)>> {
        self.meter.pay_items(1)?;
        Ok(self.heap.dict(id).entry(position).cloned())
    }

    /// The entries of a map as a list of pairs.
    pub(super) fn pairs(&mut self, id: u32) -> Outcome {
        let mut list = ItemList::default();
        for position in 0..self.heap.dict(id).len() {
            let Some((name, value)) = self.entry_at(id, position)? else { break };
            list.push(self.tuple_of([name, value])?, &self.meter)?;
        }
        self.list(list)
    }

    /// The entries of a map or of a list of pairs.
    pub(super) fn entries_of(&self, source: &Val) -> Outcome<Vec<(Val, Val)>> {
        let mut entries = Vec::new();
        if let Val::Dict(id) | Val::Namespace(id) = source {
            let dict = self.heap.dict(*id);
            for entry in dict.iter_paid(&self.meter) {
                self.meter.pay_memory(2 * VALUE_BYTES)?;
                entries.push(entry?.clone());
            }
            return Ok(entries);
        }
        let mut pairs = self.items(source)?;
        while let Some(pair) = pairs.next(self)? {
            let mut pair = self.items(&pair)?;
            let (name, value) = (pair.next(self)?, pair.next(self)?);
            let (Some(name), Some(value), None) = (name, value, pair.next(self)?) else {
                return Err(Fault::render("expected pairs of a key and a value"));
            };
            self.meter.pay_memory(2 * VALUE_BYTES)?;
            entries.push((name, value));
        }
        Ok(entries)
    }

    /// A boolean argument.
    pub(super) fn flag(
        &self,
        arguments: &Arguments,
        index: usize,
        name: &'static str,
        default: bool,
    ) -> bool {
        arguments.get(index, name).map_or(default, |value| self.is_true(value))
    }
}
