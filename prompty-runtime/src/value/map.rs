//! The map of values: ordered, shared, cheap to clone.

use std::sync::Arc;

use indexmap::IndexMap;

use super::Value;

/// A map from names to values that keeps the order in which its entries were written.
///
/// Cloning shares the entries; the first change to a shared map copies them.
///
/// ```
/// use prompty_runtime::value::Map;
///
/// let mut inputs = Map::new();
/// inputs.insert("question", "What is a prompt?");
/// inputs.insert("top", 3);
/// assert_eq!(inputs.keys().collect::<Vec<_>>(), ["question", "top"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Map {
    entries: Arc<IndexMap<Arc<str>, Value>>,
}

impl Map {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What stands under a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.get(name)
    }

    /// Whether a name has an entry, even if that is `null`.
    pub fn contains_key(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Sets an entry and gives back what it replaced. A new name comes last.
    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: impl Into<Value>) -> Option<Value> {
        Arc::make_mut(&mut self.entries).insert(name.into(), value.into())
    }

    /// Takes an entry out; the others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        Arc::make_mut(&mut self.entries).shift_remove(name)
    }

    /// A value to change in place.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        Arc::make_mut(&mut self.entries).get_mut(name)
    }

    /// The names, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.keys().map(|name| &**name)
    }

    /// The values, in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.entries.values()
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(name, value)| (&**name, value))
    }

    /// The entry at a position, its name shared.
    #[cfg_attr(not(feature = "jinja2"), expect(dead_code, reason = "the engine walks maps"))]
    pub(crate) fn entry(&self, index: usize) -> Option<(&Arc<str>, &Value)> {
        self.entries.get_index(index)
    }
}

impl<K: Into<Arc<str>>, V: Into<Value>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let entries = entries.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self { entries: Arc::new(entries.collect()) }
    }
}

impl<K: Into<Arc<str>>, V: Into<Value>> Extend<(K, V)> for Map {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        let entries = entries.into_iter().map(|(name, value)| (name.into(), value.into()));
        Arc::make_mut(&mut self.entries).extend(entries);
    }
}

impl<K: Into<Arc<str>>, V: Into<Value>, const N: usize> From<[(K, V); N]> for Map {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}
