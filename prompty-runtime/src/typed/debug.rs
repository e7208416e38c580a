//! The `Debug` output of generated types: shows a field if its type implements `Debug`.
//!
//! The user chooses the types of fields. A type without `Debug` must not be an error in generated
//! code, so Rust's method lookup decides, as in [`super::place`].

use std::fmt;

/// A field that `Debug` shows.
#[derive(Debug)]
pub struct Field<'a, T: ?Sized>(pub &'a T);

/// A field whose type implements `Debug`.
pub trait DebugField<'a> {
    /// The field itself.
    fn shown(&self) -> &'a dyn fmt::Debug;
}

impl<'a, T: fmt::Debug> DebugField<'a> for &Field<'a, T> {
    fn shown(&self) -> &'a dyn fmt::Debug {
        self.0
    }
}

/// A field whose type does not implement `Debug`.
pub trait OpaqueField {
    /// A sign for a value that cannot be shown.
    fn shown(&self) -> &'static dyn fmt::Debug {
        &OpaqueValue
    }
}

impl<T: ?Sized> OpaqueField for Field<'_, T> {}

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
