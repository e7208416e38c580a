//! Implements [`Growable`] for types of the standard library. `do_not_recommend` hides these
//! implementations from rustc's error for a type that does not grow, which would list them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::convert::Infallible;
use std::hash::{BuildHasher, Hash};

use prompty_core::value::{Map, Value};
use serde::de::DeserializeOwned;

use super::growth::{Change, Growable, Growth, Partial};
use super::map::GrowingMap;
use super::value::GrowingValue;
use crate::output::path::Step;

/// Types that are absent or done.
macro_rules! at_once {
    ($($type:ty),* $(,)?) => {
        $(#[diagnostic::do_not_recommend]
        impl Growable for $type {
            type Growing = Infallible;
        })*
    };
}

at_once!(bool, char, f32, f64, ());
at_once!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

/// Types that are read from a string.
macro_rules! texts {
    ($($type:ty),* $(,)?) => {
        $(#[diagnostic::do_not_recommend]
        impl Growable for $type {
            type Growing = String;
        })*
    };
}

texts!(String, Box<str>, Cow<'static, str>);

impl Growth for String {
    fn begin(steps: &[Step]) -> Option<Self> {
        steps.is_empty().then(Self::new)
    }

    fn grow(&mut self, steps: &[Step], change: &Change<'_>) {
        if let ([], Change::Text(delta)) = (steps, change) {
            self.push_str(delta);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Growable> Growable for Option<T> {
    type Growing = T::Growing;
}

// The growing value is also in a box, since a type may contain itself.
#[diagnostic::do_not_recommend]
impl<T: Growable> Growable for Box<T> {
    type Growing = Box<T::Growing>;
}

impl<G: Growth> Growth for Box<G> {
    fn begin(steps: &[Step]) -> Option<Self> {
        G::begin(steps).map(Self::new)
    }

    fn grow(&mut self, steps: &[Step], change: &Change<'_>) {
        (**self).grow(steps, change);
    }
}

#[diagnostic::do_not_recommend]
impl<T: Growable> Growable for Vec<T> {
    type Growing = Vec<Partial<T>>;
}

#[diagnostic::do_not_recommend]
impl<T: Growable> Growable for VecDeque<T> {
    type Growing = Vec<Partial<T>>;
}

#[diagnostic::do_not_recommend]
impl<T: Growable + Ord> Growable for BTreeSet<T> {
    type Growing = Vec<Partial<T>>;
}

#[diagnostic::do_not_recommend]
impl<T: Growable + Eq + Hash, S: BuildHasher + Default> Growable for HashSet<T, S> {
    type Growing = Vec<Partial<T>>;
}

impl<T: Growable> Growth for Vec<Partial<T>> {
    fn begin(steps: &[Step]) -> Option<Self> {
        matches!(steps, [Step::Index(_), ..]).then(Self::new)
    }

    fn grow(&mut self, steps: &[Step], change: &Change<'_>) {
        let Some((Step::Index(index), inside)) = steps.split_first() else { return };
        // An item without an event is absent.
        if *index >= self.len() {
            self.resize_with(index.saturating_add(1), Partial::default);
        }
        if let Some(item) = self.get_mut(*index) {
            item.apply(inside, change);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<K: DeserializeOwned + Ord, V: Growable> Growable for BTreeMap<K, V> {
    type Growing = GrowingMap<V>;
}

#[diagnostic::do_not_recommend]
impl<K: DeserializeOwned + Eq + Hash, V: Growable, S: BuildHasher + Default> Growable
    for HashMap<K, V, S>
{
    type Growing = GrowingMap<V>;
}

#[diagnostic::do_not_recommend]
impl Growable for Map {
    type Growing = GrowingMap<Value>;
}

#[diagnostic::do_not_recommend]
impl Growable for Value {
    type Growing = GrowingValue;
}

/// Tuples are written as arrays, whose items have different types.
macro_rules! tuples {
    ($(($($name:ident),+)),* $(,)?) => {
        $(#[diagnostic::do_not_recommend]
        impl<$($name: DeserializeOwned),+> Growable for ($($name,)+) {
            type Growing = GrowingValue;
        })*
    };
}

tuples!((A, B), (A, B, C), (A, B, C, D), (A, B, C, D, E), (A, B, C, D, E, F));
