//! The arguments of `with_…` and `new` of generated types: a value, a reference to an owner of it,
//! and an `Option` of either for an optional field.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

/// A value that `with_…` of a generated type takes for a field of the type `T`.
///
/// An optional field accepts both a value and an `Option` of it. A field of the type `&str` or
/// `&[T]` also accepts a reference to an owner, such as a `String` or a `Vec`.
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
    message = "expected `{T}`, found `{Self}`",
    label = "expected `{T}`",
    note = "a field of the type `Option` accepts its value or an `Option` of it",
    note = "a field that borrows takes a reference: `&text`, or `text.as_deref()` of an `Option`"
)]
pub trait IntoInput<T> {
    /// The value of the field.
    fn into_input(self) -> T;
}

/// Lines of a field's type, an accepted type, and the conversion.
///
/// The first two lines accept the type of the field itself, such as `&str` or `&[T]`. So where the
/// field borrows from an owner, the owner is `Sized`: its reference is never `&str` or `&[T]`
/// again. For a `Cow`, `&str` is another type, so there `T` may be `str`.
macro_rules! inputs {
    ($([$($parameter:tt)*] $field:ty, from $accepted:ty: |$value:ident| $made:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($parameter)*> IntoInput<$field> for $accepted {
            fn into_input(self) -> $field {
                let $value = self;
                $made
            }
        }
    )*};
}

inputs! {
    [T] T, from T: |it| it;
    [T] Option<T>, from T: |it| Some(it);
    ['a, T] Option<&'a T>, from &'a Option<T>: |it| it.as_ref();
    ['a, T: HoldsText] &'a str, from &'a T: |it| it.held_text();
    ['a, T: HoldsText] Option<&'a str>, from &'a T: |it| Some(it.held_text());
    ['a, T: HoldsText + ?Sized] Option<Cow<'a, str>>, from &'a T: |it| Some(it.held_text().into());
    ['a, T: HoldsText] Option<&'a str>, from &'a Option<T>: |it| it.as_ref().map(T::held_text);
    ['a, T: HoldsList] &'a [T::Item], from &'a T: |it| it.held_list();
    ['a, T: HoldsList] Option<&'a [T::Item]>, from &'a T: |it| Some(it.held_list());
    ['a, T: HoldsList] Option<&'a [T::Item]>, from &'a Option<T>:
        |it| it.as_ref().map(T::held_list);
}

/// A value that `new` or `with_…` of a generated type takes for a field whose type `T` was itself
/// generated from a prompt file: objects with the declared fields, or an enum of the listed
/// strings. It is equivalent to [`IntoInput`]; only its error message differs, which explains how
/// to use one's own type.
#[diagnostic::on_unimplemented(
    message = "expected `{T}`, found `{Self}`",
    label = "expected `{T}`, whose type was made from the prompt's file",
    note = "make values of that type, or use your own type: \
            `prompt!(#[prompt(types(input = YourType))] Name, \"…\")`"
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

/// A type that contains a string.
#[doc(hidden)]
pub trait HoldsText {
    /// The string.
    fn held_text(&self) -> &str;
}

macro_rules! texts {
    ($($text:ty)*) => {$(
        impl HoldsText for $text {
            fn held_text(&self) -> &str {
                self
            }
        }
    )*};
}

texts!(str String Cow<'_, str>);

/// A type that contains a list.
#[doc(hidden)]
pub trait HoldsList {
    /// The type of the items.
    type Item;

    /// The items.
    fn held_list(&self) -> &[Self::Item];
}

macro_rules! lists {
    ($([$($parameter:tt)*] $list:ty;)*) => {$(
        impl<$($parameter)*> HoldsList for $list {
            type Item = T;

            fn held_list(&self) -> &[T] {
                self
            }
        }
    )*};
}

lists! {
    [T] [T];
    [T] Vec<T>;
    [T, const N: usize] [T; N];
    [T: Clone] Cow<'_, [T]>;
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
    fn a_list_is_accepted_from_its_owner() {
        let shared: Arc<[u8]> = Arc::from([1, 2]);
        assert_eq!([list(&[1]), list(&vec![1]), list(&[][..]), list(&shared)], [1, 1, 0, 2]);
        assert_eq!([list(&[]), list(&Vec::new())], [0, 0]);
    }

    #[test]
    fn an_optional_list_is_accepted_with_and_without_option() {
        let held = Some(vec![1]);
        assert_eq!([list_or_none(&held), list_or_none(held.as_deref())], [Some(1), Some(1)]);
        assert_eq!([list_or_none(&[1, 2]), list_or_none(None)], [Some(2), None]);
    }

    #[test]
    fn a_number_is_accepted() {
        fn count(count: impl IntoInput<Option<i64>>) -> Option<i64> {
            count.into_input()
        }
        assert_eq!([count(3), count(Some(3)), count(None)], [Some(3), Some(3), None]);
    }
}
