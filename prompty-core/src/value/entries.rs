//! The entries of a map, in their order: a list while they are few, which most are, a table beyond.
//!
//! To search a short list takes less time than to hash a name, and a list is made faster than a table: the
//! benchmark `wire` has schemas that are made for each request.

use std::sync::Arc;

use indexmap::IndexMap;

use super::Value;

/// At most so many entries are a list.
const FEW: usize = 8;

#[derive(Debug, Clone)]
pub(super) enum Entries {
    Few(Vec<(Arc<str>, Value)>),
    Many(IndexMap<Arc<str>, Value>),
}

impl Default for Entries {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Entries {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        match capacity <= FEW {
            true => Self::Few(Vec::with_capacity(capacity)),
            false => Self::Many(IndexMap::with_capacity(capacity)),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Few(entries) => entries.len(),
            Self::Many(entries) => entries.len(),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Few(entries) => entries.iter().find(|(it, _)| **it == *name).map(|(_, it)| it),
            Self::Many(entries) => entries.get(name),
        }
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        match self {
            Self::Few(entries) => {
                entries.iter_mut().find(|(it, _)| **it == *name).map(|(_, it)| it)
            }
            Self::Many(entries) => entries.get_mut(name),
        }
    }

    /// The entry at a position.
    pub(super) fn get_index(&self, index: usize) -> Option<(&Arc<str>, &Value)> {
        match self {
            Self::Few(entries) => entries.get(index).map(|(name, value)| (name, value)),
            Self::Many(entries) => entries.get_index(index),
        }
    }

    /// Sets an entry and gives back what it replaced. A new name comes last.
    pub(super) fn insert(&mut self, name: Arc<str>, value: Value) -> Option<Value> {
        let few = match self {
            Self::Many(entries) => return entries.insert(name, value),
            Self::Few(entries) => entries,
        };
        if let Some((_, old)) = few.iter_mut().find(|(it, _)| *it == name) {
            return Some(std::mem::replace(old, value));
        }
        if few.len() < FEW {
            few.push((name, value));
            return None;
        }
        *self = Self::Many(few.drain(..).chain([(name, value)]).collect());
        None
    }

    /// Takes an entry out; the others keep their order.
    pub(super) fn remove(&mut self, name: &str) -> Option<Value> {
        match self {
            Self::Few(entries) => {
                let at = entries.iter().position(|(it, _)| **it == *name)?;
                Some(entries.remove(at).1)
            }
            Self::Many(entries) => entries.shift_remove(name),
        }
    }

    pub(super) fn iter(&self) -> Iter<'_> {
        match self {
            Self::Few(entries) => Iter::Few(entries.iter()),
            Self::Many(entries) => Iter::Many(entries.iter()),
        }
    }
}

impl PartialEq for Entries {
    /// The order of the entries does not count.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

/// Names and values, in order.
pub(super) enum Iter<'e> {
    Few(std::slice::Iter<'e, (Arc<str>, Value)>),
    Many(indexmap::map::Iter<'e, Arc<str>, Value>),
}

impl Default for Iter<'_> {
    fn default() -> Self {
        Self::Few(std::slice::Iter::default())
    }
}

impl<'e> Iterator for Iter<'e> {
    type Item = (&'e Arc<str>, &'e Value);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Few(entries) => entries.next().map(|(name, value)| (name, value)),
            Self::Many(entries) => entries.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Few(entries) => entries.size_hint(),
            Self::Many(entries) => entries.size_hint(),
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(entries: &Entries) -> Vec<&str> {
        entries.iter().map(|(name, _)| &**name).collect()
    }

    #[test]
    fn entries_keep_their_order_when_they_become_many() {
        let mut entries = Entries::default();
        for at in 0..2 * FEW {
            assert_eq!(entries.insert(format!("name {at}").into(), at.into()), None);
            assert_eq!(entries.len(), at + 1);
        }
        assert!(matches!(entries, Entries::Many(_)));
        assert_eq!(entries.remove("name 3"), Some(3.into()));
        assert_eq!(names(&entries)[..5], ["name 0", "name 1", "name 2", "name 4", "name 5"]);
    }

    #[test]
    fn an_entry_that_is_set_again_keeps_its_place() {
        for count in [FEW, FEW + 1] {
            let mut entries = Entries::default();
            for at in 0..count {
                entries.insert(at.to_string().into(), at.into());
            }
            assert_eq!(entries.insert("0".into(), "new".into()), Some(0.into()), "{count}");
            assert_eq!(entries.get_index(0).map(|(_, value)| value), Some(&"new".into()));
            assert_eq!(entries.len(), count);
        }
    }

    #[test]
    fn few_and_many_entries_are_compared_by_name() {
        let list = |names: &[&str]| {
            let mut entries = Entries::with_capacity(names.len());
            for name in names {
                entries.insert((*name).into(), (*name).into());
            }
            entries
        };
        let mut many = Entries::with_capacity(2 * FEW);
        many.insert("b".into(), "b".into());
        many.insert("a".into(), "a".into());
        assert!(list(&["a", "b"]) == many);
        assert!(list(&["a", "c"]) != many);
        assert!(list(&["a"]) != many);
    }
}
