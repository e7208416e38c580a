//! The items of a value, one after the other. They are not copied, and each is paid for as it comes.

use super::budget::ITEM;
use super::fault::Fault;
use super::heap::NewList;
use super::run::Run;
use super::text::Text;
use super::value::{Outcome, Val};
use prompty_core::work::add_steps;

/// Where the items come from.
#[derive(Debug)]
enum Source {
    Nothing,
    List(u32),
    Keys(u32),
    Characters(Text),
}

/// The items of a value that have not been visited. What is added to a list meanwhile is none of them.
#[derive(Debug)]
pub(super) struct Items {
    source: Source,
    /// The place of the next item, in a text its byte.
    next: usize,
    end: usize,
}

impl Items {
    /// None at all.
    pub(super) const NONE: Self = Self { source: Source::Nothing, next: 0, end: 0 };

    /// The next item.
    pub(super) fn next(&mut self, run: &Run<'_>) -> Outcome<Option<Val>> {
        if self.next >= self.end {
            return Ok(None);
        }
        run.meter.pay_items(1)?;
        add_steps(ITEM);
        let (item, width) = match &self.source {
            Source::Nothing => return Ok(None),
            Source::List(id) => (run.heap.list(*id).get(self.next).cloned(), 1),
            Source::Keys(id) => {
                (run.heap.dict(*id).entry(self.next).map(|(name, _)| name.clone()), 1)
            }
            Source::Characters(text) => {
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
    /// The items that a loop over a value has.
    pub(super) fn items(&self, value: &Val) -> Outcome<Items> {
        let (source, end) = match value {
            Val::Undefined => return Ok(Items::NONE),
            Val::List(id) | Val::Tuple(id) => (Source::List(*id), self.heap.list(*id).len()),
            Val::Dict(id) => (Source::Keys(*id), self.heap.dict(*id).len()),
            Val::String(text) | Val::Safe(text) => {
                if text.has_several() {
                    self.note_rewriting();
                }
                (Source::Characters(text.clone()), text.len())
            }
            _ => {
                let message = format!("a {} has no items", value.type_name());
                return Err(Fault::render(message));
            }
        };
        Ok(Items { source, next: 0, end })
    }

    /// A new list of all items of a value.
    pub(super) fn all_items(&self, value: &Val) -> Outcome<NewList> {
        let mut list = NewList::default();
        if let Val::List(id) | Val::Tuple(id) = value {
            let items = self.heap.list(*id).items(&self.meter)?;
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
            Source::Characters(text) => text.last_character().map_or(0, char::len_utf8),
            _ => 1,
        };
        items.next = items.end.saturating_sub(width);
        Ok(items.next(self)?.unwrap_or(Val::Undefined))
    }

    /// How many items a value has.
    pub(super) fn count_items(&self, value: &Val) -> Outcome<usize> {
        match value.as_text() {
            Some(text) => Ok(text.read(&self.meter)?.chars().count()),
            None => Ok(self.items(value)?.end),
        }
    }
}
