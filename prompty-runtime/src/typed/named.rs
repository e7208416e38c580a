//! Reads a part of a value by its name, where only rustc knows whether the value is a struct with fields
//! or a map with entries, such as a field of a struct of another crate.
//!
//! The code that the macros write reads a field, `&value.city`, in a closure. Rust's method lookup takes the
//! first trait here that fits the value. For a map the closure is checked with a struct that has such a
//! field and is never made, so that the same code compiles for both.

use std::marker::PhantomData;

use super::place::{Entries, Place};
use prompty_core::value::Value;

/// Names the type of a struct whose field has the name that is read.
#[derive(Debug)]
pub struct Fields<D>(PhantomData<fn() -> D>);

impl<D> Fields<D> {
    /// The only value of the type.
    pub const HERE: Self = Self(PhantomData);
}

/// The entries of a map.
pub trait NamedEntry<'a> {
    /// The type of the entries.
    type Entry: 'a;

    /// The entry of a name. `None` if there is none.
    fn named<D>(
        &self,
        name: &str,
        fields: &Fields<D>,
        read: impl for<'d> FnOnce(&'d D) -> &'d Value,
    ) -> Option<&'a Self::Entry>;
}

impl<'a, T: Entries<Entry: 'a> + ?Sized> NamedEntry<'a> for &&Place<'a, T> {
    type Entry = T::Entry;

    fn named<D>(
        &self,
        name: &str,
        _fields: &Fields<D>,
        _read: impl for<'d> FnOnce(&'d D) -> &'d Value,
    ) -> Option<&'a T::Entry> {
        self.0.entry(name)
    }
}

/// The fields of a struct.
pub trait NamedField<'a, T: ?Sized + 'a> {
    /// The field that the closure reads.
    fn named<D, R: ?Sized + 'a>(
        &self,
        name: &str,
        fields: &Fields<D>,
        read: impl FnOnce(&'a T) -> &'a R,
    ) -> Option<&'a R>;
}

impl<'a, T: ?Sized + 'a> NamedField<'a, T> for Place<'a, T> {
    #[inline]
    fn named<D, R: ?Sized + 'a>(
        &self,
        _name: &str,
        _fields: &Fields<D>,
        read: impl FnOnce(&'a T) -> &'a R,
    ) -> Option<&'a R> {
        Some(read(self.0))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    #[cfg(feature = "serde")]
    use super::super::tiers::*;
    use super::*;

    /// What the macros write for `.city`.
    macro_rules! city {
        ($value:expr) => {{
            #[allow(dead_code, reason = "it is never made")]
            struct Named {
                city: Value,
            }
            (&&&Place($value)).named("city", &Fields::<Named>::HERE, |it| &it.city)
        }};
    }

    #[test]
    fn structs_have_fields_and_maps_have_entries() {
        struct Home {
            city: &'static str,
        }
        let home = Box::new(Home { city: "Rome" });
        assert_eq!((city!(&*home), city!(&home)), (Some(&"Rome"), Some(&"Rome")));
        let map = BTreeMap::from([("city", 1)]);
        assert_eq!(city!(&map), Some(&1));
        let (map, other) = (HashMap::from([("city", 1)]), HashMap::from([("town", 1)]));
        assert_eq!((city!(&map), city!(&other)), (Some(&1), None));
        let value = Value::Object([("city", Value::from(1))].into());
        assert_eq!(city!(&value), Some(&Value::from(1)));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn data_has_entries_and_is_never_asked_for_one_that_it_lacks() {
        use serde_json::json;
        let (map, other, text) = (json!({"city": [1]}), json!({"town": 1}), json!("city"));
        assert_eq!(city!(&map), Some(&json!([1])));
        assert_eq!(city!(&other), None);
        assert_eq!(city!(&text), None);
    }
}
