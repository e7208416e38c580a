//! The methods of lists, maps and loops.

use super::arguments::{Arguments, any_names, positional};
use super::dict::Dict;
use super::fault::{Fault, shorten};
use super::heap::ItemList;
use super::indexes;
use super::keys::{SortKey, sort_items};
use super::run::Run;
use super::table::Table;
use super::value::{Outcome, Val};

/// A method of a list, map and so on. Its arguments are the number of the container, the name of
/// the method, and the arguments of the call.
pub(super) type ContainerMethod = fn(&mut Run<'_>, u32, &str, &Arguments) -> Outcome;

/// The methods of a map.
pub(super) const OF_MAPS: &Table<ContainerMethod> = &[
    (&["get"], positional(2), |run, id, _, arguments| {
        let found = run.entry(id, arguments.need(0, "key")?)?;
        let default = arguments.get(1, "default").cloned();
        Ok(found.or(default).unwrap_or(Val::None))
    }),
    (&["items"], positional(0), |run, id, _, _| run.pairs(id)),
    (&["keys"], positional(0), |run, id, _, _| {
        let keys = run.all_items(&Val::Dict(id))?;
        run.list(keys)
    }),
    (&["values"], positional(0), |run, id, _, _| {
        let mut values = ItemList::default();
        for entry in run.heap.dict(id).iter_paid(&run.meter) {
            let (_, value) = entry?;
            values.push(value.clone(), &run.meter)?;
        }
        run.list(values)
    }),
    (&["copy"], positional(0), |run, id, _, _| {
        let copy = run.heap.dict(id).copied(&run.meter)?;
        run.dict(copy)
    }),
    (&["update"], any_names(1), |run, id, _, arguments| {
        if let Some(source) = arguments.positional.get(0) {
            for (name, value) in run.entries_of(source)? {
                run.put(id, name, value)?;
            }
        }
        for index in 0..arguments.named.len() {
            let Some((name, value)) = arguments.named.entry(index) else { break };
            run.put(id, name.clone(), value.clone())?;
        }
        Ok(Val::None)
    }),
    (&["setdefault"], positional(2), |run, id, _, arguments| {
        let key = arguments.need(0, "key")?.clone();
        if let Some(found) = run.entry(id, &key)? {
            return Ok(found);
        }
        let value = arguments.get(1, "default").cloned().unwrap_or(Val::None);
        run.put(id, key, value.clone())?;
        Ok(value)
    }),
    (&["pop"], positional(2), |run, id, _, arguments| {
        let position = run.position_of(run.heap.dict(id), arguments.need(0, "key")?)?;
        match (run.take_entry(id, position)?, arguments.get(1, "default")) {
            (Some((_, value)), _) => Ok(value),
            (None, Some(default)) => Ok(default.clone()),
            (None, None) => {
                let key = shown(arguments.need(0, "key")?, run)?;
                Err(Fault::render(format!("the map has no key {key}"))
                    .with_help("give `pop` a default: `pop(key, none)`"))
            }
        }
    }),
    (&["popitem"], positional(0), |run, id, _, _| {
        let last = run.heap.dict(id).len().checked_sub(1);
        match run.take_entry(id, last)? {
            Some((name, value)) => run.tuple_of([name, value]),
            None => Err(Fault::render("`popitem` of an empty map")
                .with_help("test it first: `{% if map %}`")),
        }
    }),
    (&["clear"], positional(0), |run, id, _, _| {
        *run.heap.dict_mut(id) = Dict::default();
        Ok(Val::None)
    }),
    (&["fromkeys"], any_names(usize::MAX), |_, _, name, _| Err(Fault::unavailable(name))),
];

/// The methods of a tuple.
pub(super) const OF_TUPLES: &Table<ContainerMethod> = &[
    (&["count"], positional(1), |run, id, _, arguments| {
        let wanted = arguments.need(0, "value")?;
        let mut count = 0usize;
        for item in run.heap.list(id).iter_paid(&run.meter) {
            count += usize::from(run.is_equal(item?, wanted, 0)?);
        }
        Ok(Val::from(count))
    }),
    (&["index"], positional(3), |run, id, _, arguments| {
        run.position_in_list(id, arguments).map(Val::from)
    }),
];

/// The methods of a list that tuples do not have.
pub(super) const OF_LISTS: &Table<ContainerMethod> = &[
    (&["append"], positional(1), |run, id, _, arguments| {
        let item = arguments.need(0, "object")?.clone();
        run.heap.list_mut(id).push(item, &run.meter)?;
        Ok(Val::None)
    }),
    (&["extend"], positional(1), |run, id, _, arguments| {
        let mut items = run.items(arguments.need(0, "iterable")?)?;
        while let Some(item) = items.next(run)? {
            run.heap.list_mut(id).push(item, &run.meter)?;
        }
        Ok(Val::None)
    }),
    (&["insert"], positional(2), |run, id, _, arguments| {
        let index = arguments.need_integer(0, "index")?;
        let item = arguments.need(1, "object")?.clone();
        let index = indexes::clamp_index(index, run.heap.list(id).len());
        run.heap.list_mut(id).insert(index, item, &run.meter)?;
        Ok(Val::None)
    }),
    (&["pop"], positional(1), |run, id, _, arguments| {
        let index = arguments.integer(0, "index")?.unwrap_or(-1);
        let removed = match indexes::resolve_index(index, run.heap.list(id).len()) {
            Some(position) => run.heap.list_mut(id).remove(position, &run.meter)?,
            None => None,
        };
        removed.ok_or_else(|| {
            Fault::render(format!("the list has no item {index} for `pop`"))
                .with_help("test its length first: `{% if list | length > 0 %}`")
        })
    }),
    (&["remove"], positional(1), |run, id, _, arguments| {
        let position = run.position_in_list(id, arguments)?;
        run.heap.list_mut(id).remove(position, &run.meter)?;
        Ok(Val::None)
    }),
    (&["copy"], positional(0), |run, id, _, _| {
        let copy = run.all_items(&Val::List(id))?;
        run.list(copy)
    }),
    (&["clear"], positional(0), |run, id, _, _| {
        *run.heap.list_mut(id) = ItemList::default();
        Ok(Val::None)
    }),
    (&["reverse"], positional(0), |run, id, _, _| {
        let list = run.heap.list_mut(id);
        run.meter.pay_items(list.len())?;
        list.reverse();
        Ok(Val::None)
    }),
    (&["sort"], positional(0).with_names(&["reverse"]), |run, id, _, arguments| {
        let reverse = arguments.boolean(0, "reverse")?;
        let key = SortKey::new(run, None, true)?;
        let sorted = sort_items(run, &Val::List(id), &key, reverse)?;
        *run.heap.list_mut(id) = sorted;
        Ok(Val::None)
    }),
];

/// The methods of a loop.
pub(super) const OF_LOOPS: &Table<ContainerMethod> = &[
    (&["cycle"], positional(usize::MAX), |run, id, _, arguments| {
        let given = &arguments.positional;
        let Some(running) = run.heap.loop_state(id) else { return Ok(Val::Undefined) };
        let index = running.index.checked_rem(given.len()).unwrap_or_default();
        given
            .get(index)
            .cloned()
            .ok_or_else(|| Fault::render("`loop.cycle` needs at least 1 argument"))
    }),
    (&["changed"], positional(usize::MAX), |run, id, _, arguments| {
        let given = &arguments.positional;
        let known = run.heap.loop_state(id).and_then(|running| running.last.as_ref());
        let is_same = match known {
            Some(known) => run.are_equal(known, given, 0)?,
            None => false,
        };
        let mut last = ItemList::default();
        last.extend(given.as_slice(), &run.meter)?;
        if let Some(running) = run.heap.loop_state_mut(id) {
            running.last = Some(last);
        }
        Ok(Val::Bool(!is_same))
    }),
];

/// The methods of a cycler. Its first item is the index of the next one.
pub(super) const OF_CYCLERS: &Table<ContainerMethod> = &[
    (&["next"], positional(0), |run, id, _, _| {
        let cycler = run.heap.list_mut(id);
        let index = cycler.get(0).and_then(Val::as_integer).unwrap_or_default();
        let index = usize::try_from(index).unwrap_or_default() + 1;
        let item = cycler.get(index).cloned().unwrap_or(Val::Undefined);
        let next = index.checked_rem(cycler.len().saturating_sub(1)).unwrap_or_default();
        cycler.set(0, Val::from(next));
        Ok(item)
    }),
    (&["reset"], positional(0), |run, id, _, _| {
        run.heap.list_mut(id).set(0, Val::from(0));
        Ok(Val::None)
    }),
];

/// A value in an error message: a string or a number itself, otherwise its type.
fn shown(value: &Val, run: &Run<'_>) -> Outcome<String> {
    Ok(match (value.as_text(), value) {
        (Some(text), _) => format!("`{}`", shorten(text.read(&run.meter)?)),
        (None, Val::Integer(number)) => format!("`{number}`"),
        _ => format!("this value of type {}", value.type_name()),
    })
}

impl Run<'_> {
    /// Sets an entry of a map in the heap.
    fn put(&mut self, id: u32, key: Val, value: Val) -> Outcome<()> {
        let position = self.position_of(self.heap.dict(id), &key)?;
        let dict = self.heap.dict_mut(id);
        match position {
            Some(position) => dict.set_value(position, value),
            None => dict.push(key, value, &self.meter)?,
        }
        Ok(())
    }

    /// Removes the entry at an index from a map.
    fn take_entry(&mut self, id: u32, position: Option<usize>) -> Outcome<Option<(Val, Val)>> {
        let Some(position) = position else { return Ok(None) };
        self.heap.dict_mut(id).remove(position, &self.meter)
    }

    /// The index of the wanted item in a list.
    fn position_in_list(&self, id: u32, arguments: &Arguments) -> Outcome<usize> {
        let wanted = arguments.need(0, "value")?;
        let list = self.heap.list(id);
        let bound = |index, name, default: usize| match arguments.integer(index, name)? {
            Some(bound) => Ok::<_, Fault>(indexes::clamp_index(bound, list.len())),
            None => Ok(default),
        };
        let (start, end) = (bound(1, "start", 0)?, bound(2, "stop", list.len())?);
        for (position, item) in list.iter_paid(&self.meter).enumerate().take(end) {
            let item = item?;
            if position >= start && self.is_equal(item, wanted, 0)? {
                return Ok(position);
            }
        }
        let wanted = shown(wanted, self)?;
        Err(Fault::render(format!("the list does not contain {wanted}"))
            .with_help("test it before: `{% if item in list %}`"))
    }
}
