//! The Rust types that a template can loop over.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use super::pointers::for_pointers;
use prompty_core::value::Value;

/// A type that `{% for %}` can loop over. `None` has no items; the items of a map are its keys.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list, so `{{% for %}}` cannot loop over it",
    label = "not a list",
    note = "slices, arrays, `Vec`s, sets, and `Option`s of them can be looped over"
)]
pub trait Each {
    /// The type of the loop variable.
    type Item: ?Sized;

    /// The items, in order.
    fn each(&self) -> impl Iterator<Item = &Self::Item>;
}

macro_rules! lists {
    ($($list:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T> Each for $list {
            type Item = T;

            fn each(&self) -> impl Iterator<Item = &T> {
                self.iter()
            }
        }
    )*};
}

lists!([T] Vec<T> VecDeque<T> BTreeSet<T>);

#[diagnostic::do_not_recommend]
impl<T, const N: usize> Each for [T; N] {
    type Item = T;

    fn each(&self) -> impl Iterator<Item = &T> {
        self.iter()
    }
}

for_pointers! { Each {
    type Item = T::Item;

    fn each(&self) -> impl Iterator<Item = &T::Item> {
        (**self).each()
    }
} }

#[diagnostic::do_not_recommend]
impl<T: Each> Each for Option<T> {
    type Item = T::Item;

    fn each(&self) -> impl Iterator<Item = &T::Item> {
        self.iter().flat_map(Each::each)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Ord, S> Each for HashSet<T, S> {
    type Item = T;

    fn each(&self) -> impl Iterator<Item = &T> {
        // Sorted, as the set prints.
        self.iter().collect::<BTreeSet<_>>().into_iter()
    }
}

#[diagnostic::do_not_recommend]
impl<K, V> Each for BTreeMap<K, V> {
    type Item = K;

    fn each(&self) -> impl Iterator<Item = &K> {
        self.keys()
    }
}

#[diagnostic::do_not_recommend]
impl<K: Ord, V, S> Each for HashMap<K, V, S> {
    type Item = K;

    fn each(&self) -> impl Iterator<Item = &K> {
        // Sorted, as the map prints.
        self.keys().collect::<BTreeSet<_>>().into_iter()
    }
}

#[diagnostic::do_not_recommend]
impl Each for Value {
    type Item = Value;

    fn each(&self) -> impl Iterator<Item = &Value> {
        self.as_array().unwrap_or_default().iter()
    }
}
