//! What the constructors of generated types take: a value, a reference to whatever holds it, and an
//! `Option` of either where the field is one.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

/// A value that `with_…` of a generated type takes for a field of the type `T`.
///
/// Where the field is an `Option`, both the value and an `Option` of it can be given. Where it is a
/// reference to a text or to a slice, so can a reference to whatever holds one, such as a `String` or a
/// `Vec`.
///
/// ```
/// # use prompty_runtime::typed as typed_prompty;
/// use typed_prompty::IntoInput;
///
/// fn note<'a>(note: impl IntoInput<Option<&'a str>>) -> Option<&'a str> {
///     note.into_input()
/// }
///
/// let owned = String::from("b");
/// let held = Some(String::from("c"));
/// assert_eq!([note("a"), note(&owned), note(&held)], [Some("a"), Some("b"), Some("c")]);
/// assert_eq!(note(None), None);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given for `{T}`",
    label = "expected `{T}`",
    note = "where the field is an `Option`, its value can be given as well as an `Option` of it",
    note = "a field that borrows takes a reference: `&text`, or `text.as_deref()` of an `Option`"
)]
pub trait IntoInput<T> {
    /// The value of the field.
    fn into_input(self) -> T;
}

#[diagnostic::do_not_recommend]
impl<T> IntoInput<T> for T {
    fn into_input(self) -> T {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T> IntoInput<Option<T>> for T {
    fn into_input(self) -> Option<T> {
        Some(self)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T> IntoInput<Option<&'a T>> for &'a Option<T> {
    fn into_input(self) -> Option<&'a T> {
        self.as_ref()
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: HoldsText> IntoInput<&'a str> for &'a T {
    fn into_input(self) -> &'a str {
        self.held_text()
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: HoldsText> IntoInput<Option<&'a str>> for &'a T {
    fn into_input(self) -> Option<&'a str> {
        Some(self.held_text())
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: HoldsText + ?Sized> IntoInput<Option<Cow<'a, str>>> for &'a T {
    fn into_input(self) -> Option<Cow<'a, str>> {
        Some(Cow::Borrowed(self.held_text()))
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: HoldsText> IntoInput<Option<&'a str>> for &'a Option<T> {
    fn into_input(self) -> Option<&'a str> {
        self.as_ref().map(T::held_text)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: HoldsList> IntoInput<&'a [T::Item]> for &'a T {
    fn into_input(self) -> &'a [T::Item] {
        self.held_list()
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: HoldsList> IntoInput<Option<&'a [T::Item]>> for &'a T {
    fn into_input(self) -> Option<&'a [T::Item]> {
        Some(self.held_list())
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: HoldsList> IntoInput<Option<&'a [T::Item]>> for &'a Option<T> {
    fn into_input(self) -> Option<&'a [T::Item]> {
        self.as_ref().map(T::held_list)
    }
}

/// A value that a generated type takes for a field whose type `T` was made from a file: objects whose
/// fields the file declares, or a text of which it lists the values. It is what [`IntoInput`] is; its
/// error says how a type of one's own stands in.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given for `{T}`",
    label = "expected `{T}`, whose type was made from the prompt's file",
    note = "make values of that type, or let your own type stand in: `prompt!(#[prompt(types(input = \
            YourType))] Name, \"…\")`"
)]
pub trait IntoDeclared<T> {
    /// The value of the field.
    fn into_declared(self) -> T;
}

#[diagnostic::do_not_recommend]
impl<T, G: IntoInput<T>> IntoDeclared<T> for G {
    fn into_declared(self) -> T {
        self.into_input()
    }
}

/// A type that holds a text.
#[doc(hidden)]
pub trait HoldsText {
    /// The text.
    fn held_text(&self) -> &str;
}

impl HoldsText for str {
    fn held_text(&self) -> &str {
        self
    }
}

impl HoldsText for String {
    fn held_text(&self) -> &str {
        self
    }
}

impl HoldsText for Cow<'_, str> {
    fn held_text(&self) -> &str {
        self
    }
}

/// A type that holds a list.
#[doc(hidden)]
pub trait HoldsList {
    /// The type of the items.
    type Item;

    /// The items.
    fn held_list(&self) -> &[Self::Item];
}

impl<T> HoldsList for [T] {
    type Item = T;

    fn held_list(&self) -> &[T] {
        self
    }
}

impl<T> HoldsList for Vec<T> {
    type Item = T;

    fn held_list(&self) -> &[T] {
        self
    }
}

impl<T, const N: usize> HoldsList for [T; N] {
    type Item = T;

    fn held_list(&self) -> &[T] {
        self
    }
}

impl<T: Clone> HoldsList for Cow<'_, [T]> {
    type Item = T;

    fn held_list(&self) -> &[T] {
        self
    }
}

macro_rules! pointers {
    ($($pointer:ty)*) => {$(
        impl<T: HoldsText + ?Sized> HoldsText for $pointer {
            fn held_text(&self) -> &str {
                (**self).held_text()
            }
        }

        impl<T: HoldsList + ?Sized> HoldsList for $pointer {
            type Item = T::Item;

            fn held_list(&self) -> &[T::Item] {
                (**self).held_list()
            }
        }
    )*};
}

pointers!(&T Box<T> Rc<T> Arc<T>);

#[cfg(test)]
mod tests {
    use super::*;

    fn list<'a>(list: impl IntoInput<&'a [u8]>) -> usize {
        list.into_input().len()
    }

    fn list_or_none<'a>(list: impl IntoInput<Option<&'a [u8]>>) -> Option<usize> {
        list.into_input().map(<[u8]>::len)
    }

    #[test]
    fn a_list_is_taken_from_whatever_holds_one() {
        let shared: Arc<[u8]> = Arc::from([1, 2]);
        assert_eq!([list(&[1]), list(&vec![1]), list(&[][..]), list(&shared)], [1, 1, 0, 2]);
        assert_eq!([list(&[]), list(&Vec::new())], [0, 0]);
    }

    #[test]
    fn a_list_that_may_be_missing_is_taken_with_and_without_its_option() {
        let held = Some(vec![1]);
        assert_eq!([list_or_none(&held), list_or_none(held.as_deref())], [Some(1), Some(1)]);
        assert_eq!([list_or_none(&[1, 2]), list_or_none(None)], [Some(2), None]);
    }

    #[test]
    fn a_number_is_taken_as_it_is() {
        fn count(count: impl IntoInput<Option<i64>>) -> Option<i64> {
            count.into_input()
        }
        assert_eq!([count(3), count(Some(3)), count(None)], [Some(3), Some(3), None]);
    }
}
