//! A cache of values that are computed once for each type, such as its schema.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// A cache with one value for each type. The number of types in the program bounds its size.
pub(crate) struct TypeCache<V> {
    values: RwLock<BTreeMap<TypeId, V>>,
}

impl<V: Clone> TypeCache<V> {
    pub(crate) const fn new() -> Self {
        Self { values: RwLock::new(BTreeMap::new()) }
    }

    /// The value of a type. `make` computes it at the first call.
    pub(crate) fn get<T: ?Sized>(&self, make: impl FnOnce() -> V) -> V {
        // `std::any::TypeId::of` requires `'static`, but the types of answers and arguments need
        // not be `'static`.
        let key = typeid::of::<T>();
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = values.get(&key) {
            return value.clone();
        }
        drop(values);
        // No lock is held here, because `make` is user code and may get the value of another type.
        let made = make();
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        values.entry(key).or_insert(made).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::TypeCache;

    #[test]
    fn a_value_is_computed_once_for_each_type() {
        let names: TypeCache<&str> = TypeCache::new();
        assert_eq!(names.get::<u8>(|| "first"), "first");
        assert_eq!(names.get::<u8>(|| "second"), "first");
        assert_eq!(names.get::<&u8>(|| "of a reference"), "of a reference");
    }

    #[test]
    fn computing_a_value_may_get_another_one() {
        let sizes: TypeCache<usize> = TypeCache::new();
        let both = sizes.get::<(u8, u16)>(|| sizes.get::<u8>(|| 1) + sizes.get::<u16>(|| 2));
        assert_eq!((both, sizes.get::<u16>(|| 0)), (3, 2));
    }
}
