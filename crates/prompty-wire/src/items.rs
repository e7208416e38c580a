//! Arrays of an answer whose items are read one after the other.

use serde::de::{Deserialize, SeqAccess};
use serde_json::value::RawValue;

use super::error::WireError;
use super::fields::{Field, JsonType, List, StrictField};

/// An array; empty if it is missing. Most arrays have one item. The others are read one after the
/// other, because an item may need much more memory than its JSON.
#[derive(Debug, Clone)]
pub(super) struct Items<'j, T> {
    first: Option<T>,
    others: Vec<&'j RawValue>,
}

impl<T> Default for Items<'_, T> {
    fn default() -> Self {
        Self { first: None, others: Vec::new() }
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
        self.others.iter().try_for_each(|json| function(WireError::read_json(json.get())?))
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
        self.others.iter().try_for_each(|json| check(&WireError::read_json(json.get())?))
    }
}

impl<'de: 'j, 'j, T: Deserialize<'de>> Field<'de> for Items<'j, T> {
    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let Some(first) = list.next_element()? else { return Ok(Self::default()) };
        let others: List<&'j RawValue> = List::from_list(list)?;
        Ok(Self { first: Some(first), others: others.0 })
    }
}

impl<'de: 'j, 'j, T: Deserialize<'de>> StrictField<'de> for Items<'j, T> {
    const TYPE: JsonType = JsonType::List;
}
