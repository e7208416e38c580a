//! Values in loops, if only rustc knows whether they are lists. A tuple is a list of its elements.
//! Rust's method lookup takes the first trait here that fits the value, as explained in
//! [`super::place`].

use super::ToValue;
use super::place::Place;
use prompty_core::value::Value;

/// A tuple whose elements are values.
pub trait Tuple: ToValue {}

macro_rules! tuples {
    ($($($name:ident)+;)+) => {$(
        impl<$($name: ToValue),+> Tuple for ($($name,)+) {}
    )+};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
}

/// A tuple in a loop. Like any list, it is returned as a pointer.
pub trait LoopedTuple {
    /// The list of its elements.
    fn looped(&self) -> Box<Value>;
}

impl<T: Tuple> LoopedTuple for &&&&Place<'_, T> {
    fn looped(&self) -> Box<Value> {
        Box::new(self.0.to_value())
    }
}

/// An `Option` of a tuple in a loop.
pub trait LoopedTupleOption {
    /// The list of its elements.
    fn looped(&self) -> Box<Value>;
}

impl<T: Tuple> LoopedTupleOption for &&&Place<'_, Option<T>> {
    fn looped(&self) -> Box<Value> {
        Box::new(self.0.to_value())
    }
}

/// Any other value in a loop.
pub trait LoopedItself<'a, T: ?Sized> {
    /// The value.
    fn looped(&self) -> &'a T;
}

impl<'a, T: ?Sized> LoopedItself<'a, T> for Place<'a, T> {
    #[inline]
    fn looped(&self) -> &'a T {
        self.0
    }
}

#[cfg(test)]
#[expect(clippy::needless_borrow, reason = "generated code borrows once for each tier")]
mod tests {
    use super::super::{Each, Print};
    use super::*;

    #[test]
    fn a_tuple_becomes_a_list_and_a_list_stays_the_same() {
        let pair = ("a", Some(2));
        let read = (&&&&&Place(&pair)).looped();
        assert_eq!(read.each().map(|it| it.text().into_owned()).collect::<Vec<_>>(), ["a", "2"]);
        let read = (&&&&&Place(&None::<(u8, u8)>)).looped();
        assert_eq!(read.each().count(), 0);
        let list = vec![1, 2];
        assert_eq!((&&&&&Place(&list)).looped(), &list);
    }
}
