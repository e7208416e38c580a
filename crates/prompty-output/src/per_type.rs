//! What is made once for each type, such as its schema, and shared from then on.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// A value for each type that was asked for. The number of types in a program bounds how many it keeps.
pub(crate) struct PerType<V> {
    values: RwLock<BTreeMap<TypeId, V>>,
}

impl<V: Clone> PerType<V> {
    pub(crate) const fn new() -> Self {
        Self { values: RwLock::new(BTreeMap::new()) }
    }

    /// The value of a type. It is made when it is first asked for.
    pub(crate) fn get<T: ?Sized>(&self, make: impl FnOnce() -> V) -> V {
        // The types of answers and arguments need not be `'static`, as the key of the standard library demands.
        let key = typeid::of::<T>();
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = values.get(&key) {
            return value.clone();
        }
        drop(values);
        // Code of the user makes it, which may ask for the value of another type: so no lock is held.
        let made = make();
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        values.entry(key).or_insert(made).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::PerType;

    #[test]
    fn a_value_is_made_once_for_each_type() {
        let names: PerType<&str> = PerType::new();
        assert_eq!(names.get::<u8>(|| "first"), "first");
        assert_eq!(names.get::<u8>(|| "second"), "first");
        assert_eq!(names.get::<&u8>(|| "of a reference"), "of a reference");
    }

    #[test]
    fn the_maker_of_a_value_may_ask_for_another() {
        let sizes: PerType<usize> = PerType::new();
        let both = sizes.get::<(u8, u16)>(|| sizes.get::<u8>(|| 1) + sizes.get::<u16>(|| 2));
        assert_eq!((both, sizes.get::<u16>(|| 0)), (3, 2));
    }
}
