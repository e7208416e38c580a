//! Values in loops, if only rustc knows whether they are lists. A tuple is a list of its elements.
//! Rust's method lookup takes the first trait here that fits the value, as explained in
//! [`super::tiers`].

use super::ToValue;
use super::place::Place;
use super::tiers::tiers;
pub use super::to_value::Tuple;
use prompty_core::value::Value;

tiers! {
    looped {
        /// A tuple in a loop: the list of its elements. Like any list, it is returned as a pointer.
        LoopedTuple: [T: Tuple] &&&&Place<'a, T> => Box<Value>, |it| Box::new(it.to_value());
        /// An `Option` of a tuple in a loop.
        LoopedTupleOption: [T: Tuple] &&&Place<'a, Option<T>> => Box<Value>,
            |it| Box::new(it.to_value());
        /// Any other value in a loop: the value itself.
        LoopedItself: [T: ?Sized] Place<'a, T> => &'a T, |it| it;
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
