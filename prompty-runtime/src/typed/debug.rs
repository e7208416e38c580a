//! Shows the fields of generated types in their `Debug`, as far as the fields' types implement it.
//!
//! The user declares these fields. That one of them has no `Debug` must not be an error of an
//! implementation that nobody wrote, so Rust's method lookup decides, as in [`super::place`].

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

/// A field whose type does not.
pub trait OpaqueField {
    /// A sign that there is a value.
    fn shown(&self) -> &'static dyn fmt::Debug {
        &Opaque
    }
}

impl<T: ?Sized> OpaqueField for Field<'_, T> {}

struct Opaque;

impl fmt::Debug for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

#[cfg(test)]
#[expect(clippy::needless_borrow, reason = "generated code borrows as often as it may have to")]
mod tests {
    use super::*;

    #[test]
    fn a_field_without_debug_is_a_sign() {
        struct Own;
        assert_eq!(format!("{:?}", (&&Field(&Some(1))).shown()), "Some(1)");
        assert_eq!(format!("{:?}", (&&Field(&vec![Own])).shown()), "_");
    }
}
