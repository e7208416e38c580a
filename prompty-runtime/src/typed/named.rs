//! Reads a part of a value by name, if only rustc knows whether the value is a struct or a map.
//! An example is a field of a struct from another crate.
//!
//! Generated code reads a field, such as `&value.city`, in a closure. For a map, the closure is
//! type-checked with a generated struct that has this field and is never constructed. So the same
//! code compiles for both. For `.city`, the macros generate:
//!
//! ```text
//! struct CityField { city: Value }
//! (&&&Place(value)).named("city", &Fields::<CityField>::HERE, |it| &it.city)
//! ```
//!
//! As explained in [`super::tiers`], Rust's method lookup takes the first of these that fits:
//! `&&Place` for a map, `&Place` for data (module `data`), and `Place` for any other type. The
//! first two look the name up, so the entry may be missing, and never call the closure.

use std::marker::PhantomData;

use super::place::{Entries, Place};
use prompty_core::value::Value;

/// Says that the closure reads a field of `D`, the generated struct, if the value is a map.
#[derive(Debug)]
pub struct Fields<D>(PhantomData<fn() -> D>);

impl<D> Fields<D> {
    /// The only value of the type.
    pub const HERE: Self = Self(PhantomData);
}

/// The entries of a map, or of data (see the module `data`).
pub trait NamedEntry<'a> {
    /// The type of the entries.
    type Entry: 'a;

    /// The entry with this name.
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

    use super::*;

    /// The code that the macros generate for `.city`.
    macro_rules! city {
        ($value:expr) => {{
            #[allow(dead_code, reason = "it is never constructed")]
            struct CityField {
                city: Value,
            }
            (&&&Place($value)).named("city", &Fields::<CityField>::HERE, |it| &it.city)
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
    fn data_has_entries_and_a_missing_entry_is_never_indexed() {
        use serde_json::json;
        let (map, other, text) = (json!({"city": [1]}), json!({"town": 1}), json!("city"));
        assert_eq!(city!(&map), Some(&json!([1])));
        assert_eq!(city!(&other), None);
        assert_eq!(city!(&text), None);
    }
}
