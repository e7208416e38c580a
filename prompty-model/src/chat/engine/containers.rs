//! The methods of lists, maps and loops.

use super::lists;
use super::run::{Arguments, Run};
use super::value::{Fault, Outcome, Val};

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
            Val::Cycler(id) => Ok(self.cycler_method(*id, name)),
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
                let keys = self.items(&Val::Dict(id))?;
                self.list(keys)
            }
            "values" => {
                let entries = &self.heap.dict(id).entries;
                let values = entries.iter().map(|(_, value)| value.clone()).collect();
                self.list(values)
            }
            "copy" => {
                let copy = self.heap.dict(id).clone();
                self.dict(copy)
            }
            "update" => {
                let mut dict = self.heap.dict(id).clone();
                self.pay_built(dict.entries.len() * 2 * size_of::<Val>())?;
                if let Some(source) = arguments.positional.first() {
                    self.extend_dict(&mut dict, source)?;
                }
                for (name, value) in &arguments.named {
                    self.pay_built(2 * size_of::<Val>())?;
                    dict.set(name.clone(), value.clone());
                }
                self.put(id, dict);
                Ok(Val::None)
            }
            "setdefault" => {
                let key = arguments.need(0, "key")?.clone();
                if let Some(found) = self.entry(id, &key)? {
                    return Ok(found);
                }
                let value = arguments.get(1, "default").cloned().unwrap_or(Val::None);
                self.pay_built(2 * size_of::<Val>())?;
                if let Some(dict) = self.heap.dict_mut(id) {
                    dict.push(key, value.clone());
                }
                Ok(value)
            }
            "pop" => {
                let place = self.place_of(self.heap.dict(id), arguments.need(0, "key")?)?;
                self.pay(self.heap.dict(id).entries.len() / 8)?;
                let removed = place.and_then(|place| self.heap.dict_mut(id)?.remove(place));
                match (removed, arguments.get(1, "default")) {
                    (Some((_, value)), _) => Ok(value),
                    (None, Some(default)) => Ok(default.clone()),
                    (None, None) => Err(Fault::render("`pop` of an entry that is not there")),
                }
            }
            "popitem" => {
                let last = self.heap.dict(id).entries.len().checked_sub(1);
                let removed = last.and_then(|last| self.heap.dict_mut(id)?.remove(last));
                match removed {
                    Some((name, value)) => self.tuple(vec![name, value]),
                    None => Err(Fault::render("`popitem` of an empty map")),
                }
            }
            "clear" => {
                if let Some(dict) = self.heap.dict_mut(id) {
                    dict.clear();
                }
                Ok(Val::None)
            }
            _ => Err(Fault::render(format!("the method `{name}` is not available"))),
        }
    }

    fn put(&mut self, id: u32, dict: super::value::Dict) {
        if let Some(found) = self.heap.dict_mut(id) {
            *found = dict;
        }
    }

    fn list_method(&mut self, id: u32, name: &str, arguments: &Arguments) -> Outcome {
        let length = self.heap.list(id).len();
        match name {
            "append" => {
                let item = arguments.need(0, "object")?.clone();
                self.pay_built(2 * size_of::<Val>())?;
                if let Some(list) = self.heap.list_mut(id) {
                    list.push(item);
                }
                Ok(Val::None)
            }
            "extend" => {
                let items = self.items(arguments.need(0, "iterable")?)?;
                self.pay_built(items.len() * size_of::<Val>())?;
                if let Some(list) = self.heap.list_mut(id) {
                    list.extend(items);
                }
                Ok(Val::None)
            }
            "insert" => {
                let index = arguments.need(0, "index")?.as_integer().unwrap_or_default();
                let item = arguments.need(1, "object")?.clone();
                let count = i128::try_from(length).unwrap_or(i128::MAX);
                let index = if index < 0 { index.saturating_add(count) } else { index };
                let index = usize::try_from(index.clamp(0, count)).unwrap_or_default();
                self.pay_built(2 * size_of::<Val>())?;
                self.pay(length / 8)?;
                if let Some(list) = self.heap.list_mut(id) {
                    list.insert(index, item);
                }
                Ok(Val::None)
            }
            "pop" => {
                let index = match arguments.get(0, "index") {
                    Some(index) => index.as_integer().unwrap_or(-1),
                    None => -1,
                };
                self.pay(length / 8)?;
                match (super::eval::place(index, length), self.heap.list_mut(id)) {
                    (Some(place), Some(list)) => Ok(list.remove(place)),
                    _ => Err(Fault::render("`pop` of an item that is not there")),
                }
            }
            "remove" | "index" => {
                let wanted = arguments.need(0, "value")?;
                let mut place = None;
                self.pay(length / 8)?;
                for (index, item) in self.heap.list(id).iter().enumerate() {
                    if self.is_equal(item, wanted, 0)? {
                        place = Some(index);
                        break;
                    }
                }
                match (place, name) {
                    (None, _) => Err(Fault::render("the list does not have this item")),
                    (Some(place), "index") => Ok(Val::from(place)),
                    (Some(place), _) => {
                        if let Some(list) = self.heap.list_mut(id) {
                            list.remove(place);
                        }
                        Ok(Val::None)
                    }
                }
            }
            "count" => {
                let wanted = arguments.need(0, "value")?;
                self.pay(length / 8)?;
                let mut count = 0usize;
                for item in self.heap.list(id) {
                    count += usize::from(self.is_equal(item, wanted, 0)?);
                }
                Ok(Val::from(count))
            }
            "copy" => {
                let copy = self.heap.list(id).to_vec();
                self.list(copy)
            }
            "clear" | "reverse" | "sort" => {
                self.pay(length / 8)?;
                let sorted = match name {
                    "clear" => Vec::new(),
                    "reverse" => self.heap.list(id).iter().rev().cloned().collect(),
                    _ => {
                        let reverse = arguments.by_name("reverse").cloned();
                        let mut named = vec![("case_sensitive".into(), Val::Bool(true))];
                        named.extend(reverse.map(|it| ("reverse".into(), it)));
                        let arguments = Arguments { positional: Vec::new(), named };
                        match super::filters::named("sort") {
                            Some(sort) => {
                                let sorted = sort(self, &Val::List(id), &arguments)?;
                                self.items(&sorted)?
                            }
                            None => Vec::new(),
                        }
                    }
                };
                if let Some(list) = self.heap.list_mut(id) {
                    *list = sorted;
                }
                Ok(Val::None)
            }
            _ => Err(Fault::render(format!("the method `{name}` is not available"))),
        }
    }

    fn loop_method(&mut self, id: u32, name: &str, arguments: &Arguments) -> Outcome {
        let given = &arguments.positional;
        let Some(running) = self.heap.loops.get(id as usize) else { return Ok(Val::Undefined) };
        if name == "cycle" {
            let index = running.index.checked_rem(given.len()).unwrap_or_default();
            let item = given.get(index).cloned();
            return item.ok_or_else(|| Fault::render("`cycle` needs items"));
        }
        let mut is_same = running.last.as_ref().is_some_and(|last| last.len() == given.len());
        if is_same {
            let last = running.last.clone().unwrap_or_default();
            for (before, now) in last.iter().zip(given) {
                is_same = is_same && self.is_equal(before, now, 0)?;
            }
        }
        if let Some(running) = self.heap.loops.get_mut(id as usize) {
            running.last = Some(given.clone());
        }
        Ok(Val::Bool(!is_same))
    }

    fn cycler_method(&mut self, id: u32, name: &str) -> Val {
        let Some(list) = self.heap.list_mut(id) else { return Val::Undefined };
        let count = list.len().saturating_sub(1);
        let index = list.first().and_then(Val::as_integer).unwrap_or_default();
        let index = usize::try_from(index).unwrap_or_default();
        let (next, item) = match name {
            "next" => {
                let item = list.get(index + 1).cloned().unwrap_or(Val::Undefined);
                ((index + 1).checked_rem(count).unwrap_or_default(), item)
            }
            _ => (0, Val::None),
        };
        if let Some(place) = list.first_mut() {
            *place = Val::from(next);
        }
        item
    }
}
