//! A map while it grows.

use std::fmt;
use std::sync::Arc;

use super::growth::{Change, Growable, Growth, Partial};
use crate::output::path::Step;

/// A map while it grows: its entries, in the order of the reply.
pub struct GrowingMap<V: Growable> {
    entries: Vec<(Arc<str>, Partial<V>)>,
}

impl<V: Growable> GrowingMap<V> {
    /// The entries so far, in the order of the reply.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Partial<V>)> {
        self.entries.iter().map(|(key, value)| (&**key, value))
    }

    /// The value of a key so far. This searches the entries linearly.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Partial<V>> {
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// The number of entries so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has no entries yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl<V: Growable> Growth for GrowingMap<V> {
    fn begin(steps: &[Step]) -> Option<Self> {
        matches!(steps, [Step::Key(_), ..]).then(Self::default)
    }

    fn grow(&mut self, steps: &[Step], change: &Change<'_>) {
        let Some((Step::Key(key), inside)) = steps.split_first() else { return };
        // A stream reports each key once, one after the other.
        if self.entries.last().is_none_or(|(last, _)| last != key) {
            self.entries.push((key.clone(), Partial::Absent));
        }
        if let Some((_, value)) = self.entries.last_mut() {
            value.apply(inside, change);
        }
    }
}

impl<V: Growable> Default for GrowingMap<V> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<V: Growable> Clone for GrowingMap<V>
where
    Partial<V>: Clone,
{
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone() }
    }
}

impl<V: Growable> PartialEq for GrowingMap<V>
where
    Partial<V>: PartialEq,
{
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<V: Growable> fmt::Debug for GrowingMap<V>
where
    Partial<V>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
