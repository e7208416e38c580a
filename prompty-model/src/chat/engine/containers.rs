//! The methods of lists, maps and loops.

use super::arguments::Arguments;
use super::dict::Dict;
use super::fault::Fault;
use super::heap::NewList;
use super::keys::Key;
use super::lists;
use super::run::Run;
use super::value::{Outcome, Val};

/// The names of a map's methods.
pub(super) const OF_MAPS: &[&str] = &[
    "clear",
    "copy",
    "fromkeys",
    "get",
    "items",
    "keys",
    "pop",
    "popitem",
    "setdefault",
    "update",
    "values",
];
/// The names of a list's methods.
pub(super) const OF_LISTS: &[&str] = &[
    "append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse",
    "sort",
];
/// The names of a tuple's methods.
pub(super) const OF_TUPLES: &[&str] = &["count", "index"];
/// The names of a loop's methods.
pub(super) const OF_LOOPS: &[&str] = &["cycle", "changed"];
/// The names of a cycler's methods.
pub(super) const OF_CYCLERS: &[&str] = &["next", "reset"];

impl Run<'_> {
    pub(super) fn container_method(
        &mut self,
        value: &Val,
        name: &str,
        arguments: &Arguments,
    ) -> Outcome {
        match value {
            Val::Dict(id) => self.dict_method(*id, name, arguments),
            Val::List(id) | Val::Tuple(id) => self.list_method(*id, name, arguments),
            Val::Loop(id) => self.loop_method(*id, name, arguments),
            Val::Cycler(id) => self.cycler_method(*id, name),
            _ => Err(Fault::render(format!("a {} has no `{name}`", value.type_name()))),
        }
    }

    fn dict_method(&mut self, id: u32, name: &str, arguments: &Arguments) -> Outcome {
        match name {
            "get" => {
                let found = self.entry(id, arguments.need(0, "key")?)?;
                let default = arguments.get(1, "default").cloned();
                Ok(found.or(default).unwrap_or(Val::None))
            }
            "items" => lists::pairs(self, id),
            "keys" => {
                let keys = self.all_items(&Val::Dict(id))?;
                self.list(keys)
            }
            "values" => {
                let mut values = NewList::default();
                for entry in self.heap.dict(id).each(&self.meter) {
                    let (_, value) = entry?;
                    values.push(value.clone(), &self.meter)?;
                }
                self.list(values)
            }
            "copy" => {
                let copy = self.heap.dict(id).copied(&self.meter)?;
                self.dict(copy)
            }
            "update" => {
                if let Some(source) = arguments.positional.get(0) {
                    for (name, value) in self.entries_of(source)? {
                        self.put(id, name, value)?;
                    }
                }
                for index in 0..arguments.named.len() {
                    let Some((name, value)) = arguments.named.entry(index) else { break };
                    self.put(id, name.clone(), value.clone())?;
                }
                Ok(Val::None)
            }
            "setdefault" => {
                let key = arguments.need(0, "key")?.clone();
                if let Some(found) = self.entry(id, &key)? {
                    return Ok(found);
                }
                let value = arguments.get(1, "default").cloned().unwrap_or(Val::None);
                self.put(id, key, value.clone())?;
                Ok(value)
            }
            "pop" => {
                let place = self.place_of(self.heap.dict(id), arguments.need(0, "key")?)?;
                let removed = self.take_entry(id, place)?;
                match (removed, arguments.get(1, "default")) {
                    (Some((_, value)), _) => Ok(value),
                    (None, Some(default)) => Ok(default.clone()),
                    (None, None) => Err(Fault::render("`pop` of an entry that is not there")),
                }
            }
            "popitem" => {
                let last = self.heap.dict(id).len().checked_sub(1);
                match self.take_entry(id, last)? {
                    Some((name, value)) => self.tuple_of([name, value]),
                    None => Err(Fault::render("`popitem` of an empty map")),
                }
            }
            "clear" => {
                if let Some(dict) = self.heap.dict_mut(id) {
                    *dict = Dict::default();
                }
                Ok(Val::None)
            }
            _ => Err(Fault::render(format!("the method `{name}` is not available"))),
        }
    }

    /// Sets an entry of a map.
    fn put(&mut self, id: u32, key: Val, value: Val) -> Outcome<()> {
        let place = self.place_of(self.heap.dict(id), &key)?;
        let Some(dict) = self.heap.dict_mut(id) else { return Ok(()) };
        match place {
            Some(place) => dict.set_value(place, value),
            None => dict.push(key, value, &self.meter)?,
        }
        Ok(())
    }

    /// Takes the entry at a place out of a map.
    fn take_entry(&mut self, id: u32, place: Option<usize>) -> Outcome<Option<(Val, Val)>> {
        match (place, self.heap.dict_mut(id)) {
            (Some(place), Some(dict)) => dict.remove(place, &self.meter),
            _ => Ok(None),
        }
    }

    fn list_method(&mut self, id: u32, name: &str, arguments: &Arguments) -> Outcome {
        let length = self.heap.list_len(id);
        match name {
            "append" => {
                let item = arguments.need(0, "object")?.clone();
                self.heap.push_item(id, item, &self.meter)?;
                Ok(Val::None)
            }
            "extend" => {
                let mut items = self.items(arguments.need(0, "iterable")?)?;
                while let Some(item) = items.next(self)? {
                    self.heap.push_item(id, item, &self.meter)?;
                }
                Ok(Val::None)
            }
            "insert" => {
                let index = arguments.need(0, "index")?.as_integer().unwrap_or_default();
                let item = arguments.need(1, "object")?.clone();
                let count = i128::try_from(length).unwrap_or(i128::MAX);
                let index = if index < 0 { index.saturating_add(count) } else { index };
                let index = usize::try_from(index.clamp(0, count)).unwrap_or_default();
                self.heap.insert_item(id, index, item, &self.meter)?;
                Ok(Val::None)
            }
            "pop" => {
                let index = match arguments.get(0, "index") {
                    Some(index) => index.as_integer().unwrap_or(-1),
                    None => -1,
                };
                let removed = match super::eval::place(index, length) {
                    Some(place) => self.heap.remove_item(id, place, &self.meter)?,
                    None => None,
                };
                removed.ok_or_else(|| Fault::render("`pop` of an item that is not there"))
            }
            "remove" | "index" => {
                let wanted = arguments.need(0, "value")?;
                let mut place = None;
                for (index, item) in self.heap.each_item(id, &self.meter).enumerate() {
                    if self.is_equal(item?, wanted, 0)? {
                        place = Some(index);
                        break;
                    }
                }
                match (place, name) {
                    (None, _) => Err(Fault::render("the list does not have this item")),
                    (Some(place), "index") => Ok(Val::from(place)),
                    (Some(place), _) => {
                        self.heap.remove_item(id, place, &self.meter)?;
                        Ok(Val::None)
                    }
                }
            }
            "count" => {
                let wanted = arguments.need(0, "value")?;
                let mut count = 0usize;
                for item in self.heap.each_item(id, &self.meter) {
                    count += usize::from(self.is_equal(item?, wanted, 0)?);
                }
                Ok(Val::from(count))
            }
            "copy" => {
                let copy = self.all_items(&Val::List(id))?;
                self.list(copy)
            }
            "clear" => {
                self.heap.replace_items(id, NewList::default());
                Ok(Val::None)
            }
            "reverse" => {
                self.heap.reverse_items(id, &self.meter)?;
                Ok(Val::None)
            }
            "sort" => {
                let reverse = arguments.by_name("reverse").is_some_and(|it| self.is_true(it));
                let key = Key::new(self, None, true)?;
                let sorted = lists::sorted_items(self, &Val::List(id), &key, reverse)?;
                self.heap.replace_items(id, sorted);
                Ok(Val::None)
            }
            _ => Err(Fault::render(format!("the method `{name}` is not available"))),
        }
    }

    fn loop_method(&mut self, id: u32, name: &str, arguments: &Arguments) -> Outcome {
        let given = &arguments.positional;
        let Some(running) = self.heap.loop_state(id) else { return Ok(Val::Undefined) };
        if name == "cycle" {
            let index = running.index.checked_rem(given.len()).unwrap_or_default();
            let item = given.get(index).cloned();
            return item.ok_or_else(|| Fault::render("`cycle` needs items"));
        }
        let is_same = match &running.last {
            Some(last) => self.are_equal(last, given)?,
            None => false,
        };
        let mut last = NewList::default();
        last.extend(given.behind(0), &self.meter)?;
        if let Some(running) = self.heap.loop_state_mut(id) {
            running.last = Some(last);
        }
        Ok(Val::Bool(!is_same))
    }

    fn are_equal(&self, left: &NewList, right: &NewList) -> Outcome<bool> {
        if left.len() != right.len() {
            return Ok(false);
        }
        for (left, right) in left.behind(0).iter().zip(right.behind(0)) {
            if !self.is_equal(left, right, 0)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn cycler_method(&mut self, id: u32, name: &str) -> Outcome {
        // The first item is the place of the next one.
        let count = self.heap.list_len(id).saturating_sub(1);
        let index = self.heap.list_item(id, 0).and_then(Val::as_integer).unwrap_or_default();
        let index = usize::try_from(index).unwrap_or_default();
        let (next, item) = match name {
            "next" => {
                let item = self.heap.list_item(id, index + 1).cloned().unwrap_or(Val::Undefined);
                ((index + 1).checked_rem(count).unwrap_or_default(), item)
            }
            _ => (0, Val::None),
        };
        self.heap.set_item(id, 0, Val::from(next));
        Ok(item)
    }
}
