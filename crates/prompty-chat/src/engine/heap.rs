//! The lists, maps, macros and loops of a render. Values refer to them by number. So a value is
//! small, a list may contain itself, and everything is freed when the render ends.
//!
//! Reading the length of a list, reading one item and replacing one are free. Everything else is
//! paid for here: visiting and moving items (`pay_items`), and adding items or containers
//! (`pay_memory`). Building a byte costs a unit of work, too. For the exceptions, `as_slice` and
//! `reverse`, the caller pays. `add_steps` counts the work for tests, see
//! [`budget`](super::budget).

use std::sync::Arc;

use super::budget::{ITEM_COST, Meter};
use super::dict::Dict;
use super::value::{Outcome, VALUE_BYTES, Val};
use prompty_core::work::add_steps;

/// The memory of a list in addition to its items, in bytes.
const LIST_BYTES: usize = 2 * VALUE_BYTES;
/// The memory of a map in addition to its entries, in bytes.
const DICT_BYTES: usize = 4 * VALUE_BYTES;

/// The items of a list or tuple. Adding, visiting or moving items is paid for.
#[derive(Debug, Default)]
pub(super) struct ItemList(Vec<Val>);

impl ItemList {
    pub(super) fn push(&mut self, item: Val, meter: &Meter) -> Outcome<()> {
        meter.pay_memory(VALUE_BYTES)?;
        add_steps(ITEM_COST);
        self.0.push(item);
        Ok(())
    }

    /// Adds an item that comes from the template or its inputs. It costs work, but no memory of the
    /// budget: the sizes of both limit the number of such items.
    pub(super) fn push_without_memory(&mut self, item: Val, meter: &Meter) -> Outcome<()> {
        meter.pay_units(VALUE_BYTES)?;
        add_steps(ITEM_COST);
        self.0.push(item);
        Ok(())
    }

    /// Adds copies of the items.
    pub(super) fn extend(&mut self, items: &[Val], meter: &Meter) -> Outcome<()> {
        meter.pay_memory(items.len().saturating_mul(VALUE_BYTES))?;
        add_steps(items.len() * ITEM_COST);
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
        meter.pay_memory(length.saturating_mul(VALUE_BYTES))?;
        add_steps(length * ITEM_COST);
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

    /// The items, without payment. The caller pays for its visits, or visits only a few items.
    pub(super) fn as_slice(&self) -> &[Val] {
        &self.0
    }

    /// The items. Visiting all of them is paid for at once.
    pub(super) fn paid_slice(&self, meter: &Meter) -> Outcome<&[Val]> {
        meter.pay_items(self.0.len())?;
        add_steps(self.0.len() * ITEM_COST);
        Ok(&self.0)
    }

    /// The items. Each is paid for when it is visited.
    pub(super) fn iter_paid<'l>(
        &'l self,
        meter: &'l Meter,
    ) -> impl Iterator<Item = Outcome<&'l Val>> {
        self.0.iter().map(|item| {
            meter.pay_items(1)?;
            add_steps(ITEM_COST);
            Ok(item)
        })
    }

    /// Sets the item at a position, if it exists.
    pub(super) fn set(&mut self, position: usize, item: Val) {
        if let Some(current) = self.0.get_mut(position) {
            *current = item;
        }
    }

    /// Inserts an item at a position; the items after it move.
    pub(super) fn insert(&mut self, position: usize, item: Val, meter: &Meter) -> Outcome<()> {
        let moved = self.0.len().saturating_sub(position);
        meter.pay_memory(VALUE_BYTES)?;
        meter.pay_items(moved)?;
        add_steps(moved * ITEM_COST);
        self.0.insert(position.min(self.0.len()), item);
        Ok(())
    }

    /// Removes the item at a position; the items after it move.
    pub(super) fn remove(&mut self, position: usize, meter: &Meter) -> Outcome<Option<Val>> {
        let moved = self.0.len().saturating_sub(position);
        if moved == 0 {
            return Ok(None);
        }
        meter.pay_items(moved)?;
        add_steps(moved * ITEM_COST);
        Ok(Some(self.0.remove(position)))
    }

    /// Reverses the order of the items. The caller pays for them.
    pub(super) fn reverse(&mut self) {
        add_steps(self.0.len() * ITEM_COST);
        self.0.reverse();
    }
}

/// A running loop.
#[derive(Debug, Default)]
pub(super) struct LoopState {
    pub(super) items: ItemList,
    /// The index of the current item.
    pub(super) index: usize,
    /// The number of recursive loops around this one: 0 for the outermost.
    pub(super) depth: usize,
    /// The arguments of the last call of `changed`.
    pub(super) last: Option<ItemList>,
    /// What `loop(items)` runs, if the loop is recursive.
    pub(super) recursive: Option<RecursiveLoop>,
}

/// A loop that `loop(items)` runs again.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecursiveLoop {
    /// The index in the program.
    pub(super) id: u32,
    /// The scope in which the loop was started.
    pub(super) scope: u32,
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
    lists: Vec<ItemList>,
    /// Maps and namespaces.
    dicts: Vec<Dict>,
    /// Methods as values: the object, and the name of the method.
    methods: Vec<(Val, Arc<str>)>,
    macros: Vec<MacroValue>,
    loops: Vec<LoopState>,
    /// The results of `list_mut` and `dict_mut` for a number that is not from this heap. Values
    /// have no such number; this only avoids a panic.
    no_list: ItemList,
    no_dict: Dict,
}

/// Adds an item to a vector, and returns its number. The budget ends before numbers do.
fn push<T>(items: &mut Vec<T>, item: T) -> u32 {
    items.push(item);
    u32::try_from(items.len() - 1).unwrap_or(u32::MAX)
}

/// Creation. The memory of a list or map in addition to its items is paid for here. The functions
/// `add_…` return the number, and `new_…` the value that contains it.
impl Heap {
    pub(super) fn add_list(&mut self, items: ItemList, meter: &Meter) -> Outcome<u32> {
        meter.pay_memory(LIST_BYTES)?;
        Ok(push(&mut self.lists, items))
    }

    pub(super) fn add_dict(&mut self, dict: Dict, meter: &Meter) -> Outcome<u32> {
        meter.pay_memory(DICT_BYTES)?;
        Ok(push(&mut self.dicts, dict))
    }

    /// Adds a list of the inputs. Like its items, it costs work, but no memory of the budget.
    pub(super) fn add_input_list(&mut self, items: ItemList, meter: &Meter) -> Outcome<u32> {
        meter.pay_units(LIST_BYTES)?;
        Ok(push(&mut self.lists, items))
    }

    /// Adds a map of the inputs.
    pub(super) fn add_input_dict(&mut self, dict: Dict, meter: &Meter) -> Outcome<u32> {
        meter.pay_units(DICT_BYTES)?;
        Ok(push(&mut self.dicts, dict))
    }

    pub(super) fn new_method(&mut self, value: Val, name: Arc<str>, meter: &Meter) -> Outcome {
        meter.pay_memory(2 * VALUE_BYTES)?;
        Ok(Val::Method(push(&mut self.methods, (value, name))))
    }

    pub(super) fn new_macro(&mut self, made: MacroValue, meter: &Meter) -> Outcome {
        meter.pay_memory(VALUE_BYTES)?;
        Ok(Val::Macro(push(&mut self.macros, made)))
    }

    pub(super) fn add_loop(&mut self, state: LoopState, meter: &Meter) -> Outcome<u32> {
        meter.pay_memory(size_of::<LoopState>())?;
        Ok(push(&mut self.loops, state))
    }

    // Access, by the numbers that the functions above returned.

    pub(super) fn list(&self, id: u32) -> &ItemList {
        static NOTHING: ItemList = ItemList(Vec::new());
        self.lists.get(id as usize).unwrap_or(&NOTHING)
    }

    pub(super) fn list_mut(&mut self, id: u32) -> &mut ItemList {
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

    pub(super) fn macro_value(&self, id: u32) -> Option<&MacroValue> {
        self.macros.get(id as usize)
    }

    pub(super) fn loop_state(&self, id: u32) -> Option<&LoopState> {
        self.loops.get(id as usize)
    }

    pub(super) fn loop_state_mut(&mut self, id: u32) -> Option<&mut LoopState> {
        self.loops.get_mut(id as usize)
    }
}
