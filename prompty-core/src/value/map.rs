//! The map of values: ordered, shared, cheap to clone.

use std::sync::Arc;

use super::Value;
use crate::ordered_map::OrderedMap;

/// The entries of a map by name.
pub(super) type Entries = OrderedMap<Arc<str>, Value>;

/// A map from names to values that keeps the order in which its entries were written.
///
/// Cloning shares the entries; the first change to a shared map copies them.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::value::Map;
///
/// let mut inputs = Map::new();
/// inputs.insert("question", "What is a prompt?");
/// inputs.insert("top", 3);
/// assert_eq!(inputs.keys().collect::<Vec<_>>(), ["question", "top"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Map {
    /// Nothing where there is no entry: an empty map costs no allocation.
    entries: Option<Arc<Entries>>,
}

impl Map {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// A map of entries that are already there.
    pub(super) fn from_entries(entries: Entries) -> Self {
        Self { entries: (!entries.is_empty()).then(|| Arc::new(entries)) }
    }

    /// The entries to change, no longer shared.
    fn own(&mut self) -> &mut Entries {
        Arc::make_mut(self.entries.get_or_insert_default())
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.as_ref().map_or(0, |entries| entries.len())
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What stands under a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.as_ref()?.get(name)
    }

    /// Whether a name has an entry, even if that is `null`.
    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets an entry and gives back what it replaced. A new name comes last.
    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: impl Into<Value>) -> Option<Value> {
        self.own().insert(name.into(), value.into())
    }

    /// Takes an entry out; the others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        if !self.contains_key(name) {
            return None;
        }
        self.own().remove(name)
    }

    /// A value to change in place.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        if !self.contains_key(name) {
            return None;
        }
        self.own().get_mut(name)
    }

    /// The names, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.iter().map(|(name, _)| name)
    }

    /// The values, in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.iter().map(|(_, value)| value)
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        let entries = self.entries.as_ref().map(|entries| entries.iter()).unwrap_or_default();
        entries.map(|(name, value)| (&**name, value))
    }

    /// What tells its entries from those of all other maps, for as long as they are held.
    #[doc(hidden)]
    pub fn address(&self) -> Option<usize> {
        self.entries.as_ref().map(|entries| Arc::as_ptr(entries).addr())
    }

    /// The entry at a position, its name shared.
    #[doc(hidden)]
    pub fn entry(&self, index: usize) -> Option<(&Arc<str>, &Value)> {
        self.entries.as_ref()?.get_index(index)
    }
}

impl PartialEq for Map {
    /// The order of the entries does not count.
    fn eq(&self, other: &Self) -> bool {
        match (&self.entries, &other.entries) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => self.is_empty() && other.is_empty(),
        }
    }
}

impl<K: Into<Arc<str>>, V: Into<Value>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let entries = entries.into_iter();
        let mut map = Entries::with_capacity(entries.size_hint().0);
        for (name, value) in entries {
            map.insert(name.into(), value.into());
        }
        Self::from_entries(map)
    }
}

impl<K: Into<Arc<str>>, V: Into<Value>> Extend<(K, V)> for Map {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (name, value) in entries {
            self.insert(name, value);
        }
    }
}

impl<K: Into<Arc<str>>, V: Into<Value>, const N: usize> From<[(K, V); N]> for Map {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}
