//! Iterates over the items of a value without copies. Each is paid for when it is visited.

use super::budget::ITEM_COST;
use super::fault::Fault;
use super::heap::ItemList;
use super::run::Run;
use super::text::Text;
use super::value::{Outcome, Val};
use prompty_core::work::add_steps;

/// The value that contains the items.
#[derive(Debug)]
enum ItemSource {
    Nothing,
    List(u32),
    Keys(u32),
    Characters(Text),
}

/// The remaining items of a value. Items that are added to a list later are not visited.
#[derive(Debug)]
pub(super) struct Items {
    source: ItemSource,
    /// The position of the next item; for a string, its byte offset.
    next: usize,
    /// The position after the last item, as `next`.
    end: usize,
}

impl Items {
    /// No items.
    pub(super) const NONE: Self = Self { source: ItemSource::Nothing, next: 0, end: 0 };

    /// The next item.
    pub(super) fn next(&mut self, run: &Run<'_>) -> Outcome<Option<Val>> {
        if self.next >= self.end {
            return Ok(None);
        }
        run.meter.pay_items(1)?;
        // The tests compare these steps of work with what the meter charges.
        add_steps(ITEM_COST);
        let (item, width) = match &self.source {
            ItemSource::Nothing => return Ok(None),
            ItemSource::List(id) => (run.heap.list(*id).get(self.next).cloned(), 1),
            ItemSource::Keys(id) => {
                (run.heap.dict(*id).entry(self.next).map(|(name, _)| name.clone()), 1)
            }
            ItemSource::Characters(text) => {
                let Some(character) = text.character_at(self.next) else { return Ok(None) };
                let text = Text::character(character, &run.meter)?;
                (Some(Val::String(text)), character.len_utf8())
            }
        };
        self.next += width;
        Ok(item)
    }
}

impl Run<'_> {
    /// The items that a loop over a value visits.
    pub(super) fn items(&self, value: &Val) -> Outcome<Items> {
        let (source, end) = match value {
            Val::Undefined => return Ok(Items::NONE),
            Val::List(id) | Val::Tuple(id) => (ItemSource::List(*id), self.heap.list(*id).len()),
            Val::Dict(id) => (ItemSource::Keys(*id), self.heap.dict(*id).len()),
            Val::String(text) | Val::Safe(text) => {
                // The template may put the characters together in another order, and so make
                // markup of data. One character of several can also get other neighbours.
                if text.has_several() {
                    self.note_rewriting();
                }
                (ItemSource::Characters(text.clone()), text.len())
            }
            _ => return Err(Fault::wrong_type(value, "cannot be iterated over")),
        };
        Ok(Items { source, next: 0, end })
    }

    /// A new list of all items of a value.
    pub(super) fn all_items(&self, value: &Val) -> Outcome<ItemList> {
        let mut list = ItemList::default();
        if let Val::List(id) | Val::Tuple(id) = value {
            let items = self.heap.list(*id).paid_slice(&self.meter)?;
            list.extend(items, &self.meter)?;
            return Ok(list);
        }
        let mut items = self.items(value)?;
        while let Some(item) = items.next(self)? {
            list.push(item, &self.meter)?;
        }
        Ok(list)
    }

    /// The last item of a value.
    pub(super) fn last_item(&self, value: &Val) -> Outcome {
        let mut items = self.items(value)?;
        let width = match &items.source {
            ItemSource::Characters(text) => text.last_character().map_or(0, char::len_utf8),
            _ => 1,
        };
        items.next = items.end.saturating_sub(width);
        Ok(items.next(self)?.unwrap_or(Val::Undefined))
    }

    /// The number of items of a value.
    pub(super) fn count_items(&self, value: &Val) -> Outcome<usize> {
        match value.as_text() {
            Some(text) => Ok(text.read(&self.meter)?.chars().count()),
            // The positions of all other items count from 0, so the end is the number.
            None => Ok(self.items(value)?.end),
        }
    }
}
