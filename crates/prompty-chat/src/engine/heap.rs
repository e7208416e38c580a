//! The lists, maps, macros and loops of a render. Values refer to them by number. So a value is
//! small, a list may contain itself, and everything is freed when the render ends.
//!
//! Reading the length of a list or one of its items is free. Iterating over items, and creating or
//! changing a list, is paid for here.

use std::sync::Arc;

use super::budget::{ITEM, Meter};
use super::dict::Dict;
use super::value::{Outcome, VALUE, Val};
use prompty_core::work::add_steps;

/// The items of a list or tuple. Adding, visiting or moving items is paid for.
#[derive(Debug, Default)]
pub(super) struct NewList(Vec<Val>);

impl NewList {
    pub(super) fn push(&mut self, item: Val, meter: &Meter) -> Outcome<()> {
        meter.pay_built(VALUE)?;
        add_steps(ITEM);
        self.0.push(item);
        Ok(())
    }

    /// Adds an item that comes from the template or its inputs. The number of such items is
    /// bounded, so they cost work, but no memory of the budget.
    pub(super) fn push_bounded(&mut self, item: Val, meter: &Meter) -> Outcome<()> {
        meter.pay(VALUE)?;
        add_steps(ITEM);
        self.0.push(item);
        Ok(())
    }

    /// Adds copies of the items.
    pub(super) fn extend(&mut self, items: &[Val], meter: &Meter) -> Outcome<()> {
        meter.pay_built(items.len().saturating_mul(VALUE))?;
        add_steps(items.len() * ITEM);
        self.0.extend_from_slice(items);
        Ok(())
    }

    /// Adds copies of the items `count` times.
    pub(super) fn extend_repeated(
        &mut self,
        items: &[Val],
        count: usize,
        meter: &Meter,
    ) -> Outcome<()> {
        let length = items.len().saturating_mul(count);
        meter.pay_built(length.saturating_mul(VALUE))?;
        add_steps(length * ITEM);
        self.0.extend(items.iter().cycle().take(length).cloned());
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn get(&self, index: usize) -> Option<&Val> {
        self.0.get(index)
    }

    /// The items. They were paid for when the list was made.
    pub(super) fn as_slice(&self) -> &[Val] {
        &self.0
    }

    /// All items. Visiting each of them is paid for.
    pub(super) fn items(&self, meter: &Meter) -> Outcome<&[Val]> {
        meter.pay_items(self.0.len())?;
        add_steps(self.0.len() * ITEM);
        Ok(&self.0)
    }

    /// The items. Each is paid for when it is visited.
    pub(super) fn each<'l>(&'l self, meter: &'l Meter) -> impl Iterator<Item = Outcome<&'l Val>> {
        self.0.iter().map(|item| {
            meter.pay_items(1)?;
            add_steps(ITEM);
            Ok(item)
        })
    }

    /// Sets the item at a position, if it exists.
    pub(super) fn set(&mut self, place: usize, item: Val) {
        if let Some(known) = self.0.get_mut(place) {
            *known = item;
        }
    }

    /// Inserts an item at a position; the items after it move.
    pub(super) fn insert(&mut self, place: usize, item: Val, meter: &Meter) -> Outcome<()> {
        let moved = self.0.len().saturating_sub(place);
        meter.pay_built(VALUE)?;
        meter.pay_items(moved)?;
        add_steps(moved * ITEM);
        self.0.insert(place.min(self.0.len()), item);
        Ok(())
    }

    /// Removes the item at a position; the items after it move.
    pub(super) fn remove(&mut self, place: usize, meter: &Meter) -> Outcome<Option<Val>> {
        let moved = self.0.len().saturating_sub(place);
        if moved == 0 {
            return Ok(None);
        }
        meter.pay_items(moved)?;
        add_steps(moved * ITEM);
        Ok(Some(self.0.remove(place)))
    }

    pub(super) fn reverse(&mut self) {
        add_steps(self.0.len() * ITEM);
        self.0.reverse();
    }
}

/// A running loop.
#[derive(Debug, Default)]
pub(super) struct LoopState {
    pub(super) items: NewList,
    pub(super) index: usize,
    pub(super) depth: usize,
    /// The arguments of the last call of `changed`.
    pub(super) last: Option<NewList>,
    /// The loop in the program and its scope, if the loop is recursive.
    pub(super) recursive: Option<(u32, u32)>,
}

/// A macro as a value.
#[derive(Debug)]
pub(super) struct MacroValue {
    /// The index in the program.
    pub(super) definition: u32,
    pub(super) name: Arc<str>,
    /// The scope in which the macro was defined.
    pub(super) scope: u32,
}

/// Everything that the values of a render refer to.
#[derive(Debug, Default)]
pub(super) struct Heap {
    /// Lists and tuples.
    lists: Vec<NewList>,
    /// Maps and namespaces.
    dicts: Vec<Dict>,
    methods: Vec<(Val, Arc<str>)>,
    macros: Vec<MacroValue>,
    loops: Vec<LoopState>,
    /// The list to change if a number refers to no list. It never happens for numbers of this heap.
    no_list: NewList,
    no_dict: Dict,
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Creation. The memory of a list or map in addition to its items is paid for here.
impl Heap {
    pub(super) fn add_list(&mut self, items: NewList, meter: &Meter) -> Outcome<u32> {
        meter.pay_built(2 * VALUE)?;
        self.lists.push(items);
        Ok(number(self.lists.len() - 1))
    }

    pub(super) fn add_dict(&mut self, dict: Dict, meter: &Meter) -> Outcome<u32> {
        meter.pay_built(4 * VALUE)?;
        self.dicts.push(dict);
        Ok(number(self.dicts.len() - 1))
    }

    /// Adds a list of the inputs. It costs work, but the caller has already paid for its memory.
    pub(super) fn add_input_list(&mut self, items: NewList, meter: &Meter) -> Outcome<u32> {
        meter.pay(2 * VALUE)?;
        self.lists.push(items);
        Ok(number(self.lists.len() - 1))
    }

    /// A map of the inputs.
    pub(super) fn add_input_dict(&mut self, dict: Dict, meter: &Meter) -> Outcome<u32> {
        meter.pay(4 * VALUE)?;
        self.dicts.push(dict);
        Ok(number(self.dicts.len() - 1))
    }

    pub(super) fn add_method(&mut self, value: Val, name: Arc<str>, meter: &Meter) -> Outcome {
        meter.pay_built(2 * VALUE)?;
        self.methods.push((value, name));
        Ok(Val::Method(number(self.methods.len() - 1)))
    }

    pub(super) fn add_macro(&mut self, made: MacroValue, meter: &Meter) -> Outcome {
        meter.pay_built(VALUE)?;
        self.macros.push(made);
        Ok(Val::Macro(number(self.macros.len() - 1)))
    }

    pub(super) fn add_loop(&mut self, state: LoopState, meter: &Meter) -> Outcome<u32> {
        meter.pay_built(size_of::<LoopState>())?;
        self.loops.push(state);
        Ok(number(self.loops.len() - 1))
    }
}

/// Access.
impl Heap {
    pub(super) fn list(&self, id: u32) -> &NewList {
        static NOTHING: NewList = NewList(Vec::new());
        self.lists.get(id as usize).unwrap_or(&NOTHING)
    }

    pub(super) fn list_mut(&mut self, id: u32) -> &mut NewList {
        self.lists.get_mut(id as usize).unwrap_or(&mut self.no_list)
    }

    pub(super) fn dict(&self, id: u32) -> &Dict {
        static NOTHING: Dict = Dict::new();
        self.dicts.get(id as usize).unwrap_or(&NOTHING)
    }

    pub(super) fn dict_mut(&mut self, id: u32) -> &mut Dict {
        self.dicts.get_mut(id as usize).unwrap_or(&mut self.no_dict)
    }

    pub(super) fn method(&self, id: u32) -> Option<&(Val, Arc<str>)> {
        self.methods.get(id as usize)
    }

    /// The name of a macro.
    pub(super) fn macro_name(&self, id: u32) -> Option<&Arc<str>> {
        self.macros.get(id as usize).map(|it| &it.name)
    }

    /// The definition of a macro, and the scope that it was made in.
    pub(super) fn macro_parts(&self, id: u32) -> Option<(u32, u32)> {
        self.macros.get(id as usize).map(|it| (it.definition, it.scope))
    }

    pub(super) fn loop_state(&self, id: u32) -> Option<&LoopState> {
        self.loops.get(id as usize)
    }

    pub(super) fn loop_state_mut(&mut self, id: u32) -> Option<&mut LoopState> {
        self.loops.get_mut(id as usize)
    }
}
