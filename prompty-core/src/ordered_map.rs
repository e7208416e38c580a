//! [`OrderedMap`]: a map that keeps the order in which its keys were inserted.
//!
//! Values, front matter and schemas keep the order of their author. A dependency for this would be
//! built twice for every program of compiled prompts: for the program and for its macros.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// A map with at most this many entries has no table of positions. Most maps are small, and
/// comparing a few keys takes less time than hashing one.
const MAX_WITHOUT_POSITIONS: usize = 8;

/// A map that iterates in the order in which its keys were inserted. Two maps are equal if they
/// have the same entries, in any order.
///
/// ```
/// # use prompty_core::ordered_map::OrderedMap;
/// let mut map = OrderedMap::from([("b", 1), ("a", 2)]);
/// map.insert("c", 3);
/// map.insert("b", 4);
/// assert_eq!(map.iter().collect::<Vec<_>>(), [(&"b", &4), (&"a", &2), (&"c", &3)]);
/// ```
#[derive(Debug, Clone)]
pub struct OrderedMap<K, V> {
    entries: Vec<(K, V)>,
    /// The position of each key in `entries`, if there are more than a few.
    positions: Option<HashMap<K, usize>>,
}

impl<K, V> Default for OrderedMap<K, V> {
    fn default() -> Self {
        Self { entries: Vec::new(), positions: None }
    }
}

impl<K, V> OrderedMap<K, V> {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty map with space for `capacity` entries.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), positions: None }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the map has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry at a position.
    pub fn get_index(&self, index: usize) -> Option<(&K, &V)> {
        self.entries.get(index).map(|(key, value)| (key, value))
    }

    /// The entries in order.
    pub fn iter(&self) -> Iter<'_, K, V> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// The entries in order, as a slice.
    pub fn as_slice(&self) -> &[(K, V)] {
        &self.entries
    }

    /// The keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The values in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The entries in order, with values that can be changed.
    pub fn iter_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = (&K, &mut V)> + ExactSizeIterator {
        self.entries.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// The keys in order, without their values.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.entries.into_iter().map(|(key, _)| key)
    }

    /// The values in order, without their keys.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.entries.into_iter().map(|(_, value)| value)
    }
}

impl<K: Clone + Eq + Hash, V> OrderedMap<K, V> {
    /// The value of a key.
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let at = self.position(key)?;
        self.entries.get(at).map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let at = self.position(key)?;
        self.entries.get_mut(at).map(|(_, value)| value)
    }

    /// Whether there is an entry with this key.
    pub fn contains_key<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.position(key).is_some()
    }

    /// Sets the value of a key and returns the value that it had. A new key is the last one.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        if let Some(old) = self.get_mut(&key) {
            return Some(std::mem::replace(old, value));
        }
        self.push(key, value);
        None
    }

    /// The value of a key. A missing key is first inserted at the end.
    #[expect(clippy::indexing_slicing, reason = "the position is that of an entry")]
    pub fn get_or_insert_with(&mut self, key: K, value: impl FnOnce() -> V) -> &mut V {
        let at = match self.position(&key) {
            Some(at) => at,
            None => {
                self.push(key, value());
                self.entries.len() - 1
            }
        };
        &mut self.entries[at].1
    }

    /// Sets the value of a key and makes it the first one, in linear time.
    pub fn insert_first(&mut self, key: K, value: V) {
        self.remove(&key);
        let rest = std::mem::take(self);
        self.push(key, value);
        self.extend(rest);
    }

    /// Removes an entry in linear time. The others keep their order.
    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let at = self.position(key)?;
        if let Some(positions) = &mut self.positions {
            positions.remove(key);
            positions.values_mut().filter(|it| **it > at).for_each(|it| *it -= 1);
        }
        Some(self.entries.remove(at).1)
    }

    /// The position of a key.
    pub fn position<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        match &self.positions {
            Some(positions) => positions.get(key).copied(),
            None => self.entries.iter().position(|(it, _)| it.borrow() == key),
        }
    }

    /// Appends an entry whose key is new.
    fn push(&mut self, key: K, value: V) {
        if let Some(positions) = &mut self.positions {
            positions.insert(key.clone(), self.entries.len());
        }
        self.entries.push((key, value));
        if self.positions.is_none() && self.entries.len() > MAX_WITHOUT_POSITIONS {
            let keys = self.entries.iter().map(|(key, _)| key.clone());
            let mut positions = HashMap::with_capacity(self.entries.capacity());
            positions.extend(keys.zip(0..));
            self.positions = Some(positions);
        }
    }
}

impl<K: Clone + Eq + Hash, V: PartialEq> PartialEq for OrderedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl<K: Clone + Eq + Hash, V> Extend<(K, V)> for OrderedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Clone + Eq + Hash, V> FromIterator<(K, V)> for OrderedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Clone + Eq + Hash, V, const N: usize> From<[(K, V); N]> for OrderedMap<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K, V> IntoIterator for OrderedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a OrderedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The entries of an [`OrderedMap`], in order.
pub type Iter<'a, K, V> =
    std::iter::Map<std::slice::Iter<'a, (K, V)>, fn(&'a (K, V)) -> (&'a K, &'a V)>;

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [usize; 3] =
        [MAX_WITHOUT_POSITIONS, MAX_WITHOUT_POSITIONS + 1, 4 * MAX_WITHOUT_POSITIONS];

    fn squares(count: usize) -> OrderedMap<String, usize> {
        (0..count).rev().map(|it| (it.to_string(), it * it)).collect()
    }

    /// The entries, after a check that each key is found at its position.
    fn entries(map: &OrderedMap<String, usize>) -> Vec<(String, usize)> {
        for (at, (key, value)) in map.iter().enumerate() {
            assert_eq!(map.position(key), Some(at));
            assert_eq!(map.get(key.as_str()), Some(value));
        }
        map.clone().into_iter().collect()
    }

    #[test]
    fn keys_keep_the_order_in_which_they_were_inserted() {
        for count in SIZES {
            let expected: Vec<_> = (0..count).rev().map(|it| (it.to_string(), it * it)).collect();
            assert_eq!(entries(&squares(count)), expected);
        }
    }

    #[test]
    fn a_key_that_is_inserted_again_keeps_its_position() {
        for count in SIZES {
            let mut map = squares(count);
            assert_eq!(map.insert("2".into(), 7), Some(4));
            assert_eq!(map.get_index(count - 3), Some((&"2".to_owned(), &7)));
            assert_eq!(entries(&map).len(), count);
        }
    }

    #[test]
    fn a_value_is_made_only_for_a_new_key() {
        for count in SIZES {
            let mut map = squares(count);
            *map.get_or_insert_with("1".into(), || unreachable!()) += 1;
            *map.get_or_insert_with("new".into(), || 5) += 1;
            assert_eq!(map.get("1"), Some(&2));
            assert_eq!(entries(&map).last(), Some(&("new".into(), 6)));
        }
    }

    #[test]
    fn the_others_keep_their_order_when_a_key_is_removed() {
        for count in SIZES {
            let mut map = squares(count);
            assert_eq!(map.remove("3"), Some(9));
            assert_eq!(map.remove("3"), None);
            let expected: Vec<_> = (0..count)
                .rev()
                .filter(|it| *it != 3)
                .map(|it| (it.to_string(), it * it))
                .collect();
            assert_eq!(entries(&map), expected);
        }
    }

    #[test]
    fn a_key_is_moved_to_the_front() {
        for count in SIZES {
            let mut map = squares(count);
            map.insert_first("1".into(), 0);
            map.insert_first("first".into(), 0);
            let first: Vec<_> = entries(&map).into_iter().take(3).map(|(key, _)| key).collect();
            assert_eq!(first, ["first".into(), "1".into(), (count - 1).to_string()]);
            assert_eq!(map.len(), count + 1);
        }
    }

    #[test]
    fn maps_are_equal_in_any_order() {
        for count in SIZES {
            let map = squares(count);
            let mut other: OrderedMap<_, _> = entries(&map).into_iter().rev().collect();
            assert!(map == other);
            other.insert("0".into(), 1);
            assert!(map != other);
            other.remove("0");
            assert!(map != other);
        }
    }
}
