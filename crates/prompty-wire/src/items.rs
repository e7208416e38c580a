//! Arrays of an answer whose items are read one after the other.

use serde::de::{Deserialize, SeqAccess};
use serde_json::value::RawValue;

use super::error::WireError;
use super::fields::{Field, JsonType, MAX_ITEMS, StrictField, too_many};

/// The number of items that are read together with their array.
const READ_AT_ONCE: usize = 8;

/// An array; empty if it is missing. Most arrays have one item, and few have more than
/// [`READ_AT_ONCE`]. The others are read one after the other, because an item may need much more
/// memory than its JSON.
#[derive(Debug, Clone)]
pub(super) struct Items<'j, T> {
    first: Option<T>,
    // Events are moved while they are read, so what most of them do not have is boxed.
    others: Option<Box<OtherItems<'j, T>>>,
}

/// The items after the first.
#[derive(Debug, Clone)]
struct OtherItems<'j, T> {
    read: Vec<T>,
    unread: Vec<&'j RawValue>,
}

impl<T> Default for Items<'_, T> {
    fn default() -> Self {
        Self { first: None, others: None }
    }
}

impl<'j, T: Deserialize<'j>> Items<'j, T> {
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Calls a function for each item.
    ///
    /// # Errors
    ///
    /// Returns an error if an item cannot be read, or the function returns one.
    pub(super) fn try_for_each(
        self,
        mut function: impl FnMut(T) -> Result<(), WireError>,
    ) -> Result<(), WireError> {
        self.first.map_or(Ok(()), &mut function)?;
        let Some(others) = self.others else { return Ok(()) };
        others.read.into_iter().try_for_each(&mut function)?;
        others.unread.iter().try_for_each(|json| function(WireError::read_json(json.get())?))
    }

    /// Calls a function that checks each item. Unreadable JSON may be read again, so the first item
    /// must not be reported before the last one is known to be readable.
    ///
    /// # Errors
    ///
    /// Returns an error if an item cannot be read, or the function returns one.
    pub(super) fn check(
        &self,
        mut check: impl FnMut(&T) -> Result<(), WireError>,
    ) -> Result<(), WireError> {
        self.first.iter().try_for_each(&mut check)?;
        let Some(others) = &self.others else { return Ok(()) };
        others.read.iter().try_for_each(&mut check)?;
        others.unread.iter().try_for_each(|json| check(&WireError::read_json(json.get())?))
    }
}

impl<'de: 'j, 'j, T: Deserialize<'de>> OtherItems<'j, T> {
    /// Reads the items after the second.
    #[cold]
    fn read<A: SeqAccess<'de>>(second: T, mut list: A) -> Result<Self, A::Error> {
        let mut items = Self { read: vec![second], unread: Vec::new() };
        for _ in 2..READ_AT_ONCE {
            match list.next_element()? {
                Some(item) => items.read.push(item),
                None => return Ok(items),
            }
        }
        while let Some(item) = list.next_element()? {
            if READ_AT_ONCE + items.unread.len() >= MAX_ITEMS {
                return Err(too_many(MAX_ITEMS, "items in an array"));
            }
            items.unread.push(item);
        }
        Ok(items)
    }
}

impl<'de: 'j, 'j, T: Deserialize<'de>> Field<'de> for Items<'j, T> {
    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let first = list.next_element()?;
        let others = match list.next_element()? {
            Some(second) => Some(Box::new(OtherItems::read(second, list)?)),
            None => None,
        };
        Ok(Self { first, others })
    }
}

impl<'de: 'j, 'j, T: Deserialize<'de>> StrictField<'de> for Items<'j, T> {
    const TYPE: JsonType = JsonType::List;
}
