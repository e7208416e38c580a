//! The `Debug` output of generated types: shows a field if its type implements `Debug`.
//!
//! The user chooses the types of fields. A type without `Debug` must not be an error in generated
//! code, so Rust's method lookup decides, as in [`super::tiers`].

use std::fmt;

use super::tiers::tiers;

/// A field that `Debug` shows.
#[derive(Debug)]
pub struct Field<'a, T: ?Sized>(pub &'a T);

tiers! {
    shown {
        /// A field whose type implements `Debug`.
        DebugField: [T: fmt::Debug] &Field<'a, T> => &'a dyn fmt::Debug, |it| it;
        /// A field whose type does not implement `Debug`: a sign for it.
        OpaqueField: [T: ?Sized] Field<'a, T> => &'static dyn fmt::Debug, |_| &OpaqueValue;
    }
}

struct OpaqueValue;

impl fmt::Debug for OpaqueValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

#[cfg(test)]
#[expect(clippy::needless_borrow, reason = "generated code borrows once for each tier")]
mod tests {
    use super::*;

    #[test]
    fn a_field_without_debug_shows_as_an_underscore() {
        struct Own;
        assert_eq!(format!("{:?}", (&&Field(&Some(1))).shown()), "Some(1)");
        assert_eq!(format!("{:?}", (&&Field(&vec![Own])).shown()), "_");
    }
}
