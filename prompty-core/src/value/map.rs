//! The map of values, which is ordered and cheap to clone.

use std::sync::Arc;

use super::Value;
use crate::ordered_map::OrderedMap;

/// The entries of a map by key.
pub(super) type Entries = OrderedMap<Arc<str>, Value>;

/// A map from strings to values that keeps the order in which its entries were inserted.
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
    /// `None` if there is no entry, so that an empty map needs no allocation.
    entries: Option<Arc<Entries>>,
}

impl Map {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a map of existing entries.
    pub(super) fn from_entries(entries: Entries) -> Self {
        Self { entries: (!entries.is_empty()).then(|| Arc::new(entries)) }
    }

    /// The entries for a change. Shared entries are copied first.
    fn own(&mut self) -> &mut Entries {
        Arc::make_mut(self.entries.get_or_insert_default())
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.as_ref().map_or(0, |entries| entries.len())
    }

    /// Whether the map is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.as_ref()?.get(name)
    }

    /// Whether a key has an entry, even if its value is `null`.
    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets an entry and returns the value that it replaced. A new key comes last.
    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: impl Into<Value>) -> Option<Value> {
        self.own().insert(name.into(), value.into())
    }

    /// Sets an entry if there is a value.
    pub(crate) fn insert_some(&mut self, name: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.insert(name, value);
        }
    }

    /// Removes an entry. The others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        if !self.contains_key(name) {
            return None;
        }
        self.own().remove(name)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        if !self.contains_key(name) {
            return None;
        }
        self.own().get_mut(name)
    }

    /// The keys, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.iter().map(|(name, _)| name)
    }

    /// The values, in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.iter().map(|(_, value)| value)
    }

    /// The keys and values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        let entries = self.entries.as_ref().map_or(&[][..], |entries| entries.as_slice());
        entries.iter().map(|(name, value)| (&**name, value))
    }

    /// Distinguishes the entries from those of other maps while they are in memory.
    #[doc(hidden)]
    pub fn address(&self) -> Option<usize> {
        self.entries.as_ref().map(|entries| Arc::as_ptr(entries).addr())
    }

    /// The position of a key.
    #[doc(hidden)]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.entries.as_ref()?.position(name)
    }

    /// The entry at a position, with its shared key.
    #[doc(hidden)]
    pub fn entry(&self, index: usize) -> Option<(&Arc<str>, &Value)> {
        self.entries.as_ref()?.get_index(index)
    }
}

impl PartialEq for Map {
    /// Ignores the order of the entries.
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
