//! Entries in the order in which they were written, found by their names.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// So many entries are searched from end to end, which takes less time than a hash.
const SMALL: usize = 8;

/// Names and what stands under them, in the order of the names' first places.
#[derive(Clone)]
pub(crate) struct Ordered<V> {
    list: Vec<(Arc<str>, V)>,
    /// Where each name stands in the list; empty while there are few.
    places: HashMap<Arc<str>, usize>,
}

impl<V> Ordered<V> {
    /// Room for so many entries.
    #[cfg(feature = "serde")]
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { list: Vec::with_capacity(capacity), places: HashMap::new() }
    }

    /// All entries.
    pub(crate) fn entries(&self) -> &[(Arc<str>, V)] {
        &self.list
    }

    /// Whether there is no entry.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Where a name stands.
    fn place(&self, name: &str) -> Option<usize> {
        if self.list.len() <= SMALL {
            return self.list.iter().position(|(other, _)| &**other == name);
        }
        self.places.get(name).copied()
    }

    /// What stands under a name.
    pub(crate) fn get(&self, name: &str) -> Option<&V> {
        self.list.get(self.place(name)?).map(|(_, value)| value)
    }

    /// What stands under a name, to change it.
    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        let place = self.place(name)?;
        self.list.get_mut(place).map(|(_, value)| value)
    }

    /// Sets an entry and gives back what it replaced. A new name comes last.
    pub(crate) fn insert(&mut self, name: Arc<str>, value: V) -> Option<V> {
        if let Some(held) = self.get_mut(&name) {
            return Some(std::mem::replace(held, value));
        }
        self.list.push((name, value));
        if self.list.len() > SMALL {
            // The first time, all of them.
            let known = self.places.len();
            let unknown = self.list.get(known..).unwrap_or_default().iter();
            self.places.extend(unknown.map(|(name, _)| Arc::clone(name)).zip(known..));
        }
        None
    }

    /// Takes an entry out; the others keep their order.
    pub(crate) fn remove(&mut self, name: &str) -> Option<V> {
        let place = self.place(name)?;
        let (_, value) = self.list.remove(place);
        if self.list.len() <= SMALL {
            self.places.clear();
            return Some(value);
        }
        self.places.remove(name);
        for other in self.places.values_mut().filter(|other| **other > place) {
            *other -= 1;
        }
        Some(value)
    }
}

impl<V> Default for Ordered<V> {
    fn default() -> Self {
        Self { list: Vec::new(), places: HashMap::new() }
    }
}

impl<V> Extend<(Arc<str>, V)> for Ordered<V> {
    fn extend<I: IntoIterator<Item = (Arc<str>, V)>>(&mut self, entries: I) {
        let entries = entries.into_iter();
        self.list.reserve(entries.size_hint().0);
        for (name, value) in entries {
            self.insert(name, value);
        }
    }
}

impl<V> FromIterator<(Arc<str>, V)> for Ordered<V> {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, V)>>(entries: I) -> Self {
        let mut ordered = Self::default();
        ordered.extend(entries);
        ordered
    }
}

impl<V: PartialEq> PartialEq for Ordered<V> {
    /// The order of the entries does not count.
    fn eq(&self, other: &Self) -> bool {
        self.list.len() == other.list.len()
            && self.list.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl<V: fmt::Debug> fmt::Debug for Ordered<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.list.iter().map(|(name, value)| (name, value))).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Ordered;

    proptest! {
        /// Few and many entries, which are found in two ways, behave as a plain list does.
        #[test]
        fn entries_keep_their_order_and_are_found(
            steps in proptest::collection::vec((any::<bool>(), 0..20_u8), 0..60),
        ) {
            let mut ordered = Ordered::default();
            let mut plain: Vec<(String, usize)> = Vec::new();
            for (value, (insert, name)) in steps.into_iter().enumerate() {
                let name = name.to_string();
                let place = plain.iter().position(|(other, _)| *other == name);
                if insert {
                    let expected = place.and_then(|it| plain.get(it)).map(|(_, value)| *value);
                    prop_assert_eq!(ordered.insert(name.as_str().into(), value), expected);
                    match place.and_then(|it| plain.get_mut(it)) {
                        Some(held) => held.1 = value,
                        None => plain.push((name, value)),
                    }
                } else {
                    let expected = place.map(|place| plain.remove(place).1);
                    prop_assert_eq!(ordered.remove(&name), expected);
                }
                let entries = ordered.entries().iter().map(|(name, value)| (name.to_string(), *value));
                prop_assert_eq!(entries.collect::<Vec<_>>(), plain.clone());
                for name in (0..20_u8).map(|name| name.to_string()) {
                    let expected = plain.iter().find(|(other, _)| *other == name);
                    prop_assert_eq!(ordered.get(&name), expected.map(|(_, value)| value));
                }
                let turned = ordered.entries().iter().rev().cloned().collect::<Ordered<_>>();
                prop_assert_eq!(&turned, &ordered);
            }
        }
    }
}
