//! Writes types that implement `Display` and none of our traits: dates, addresses, identifiers, own
//! enums.
//!
//! A foreign type cannot implement [`ToValue`], and an implementation for everything that is
//! `Display` would forbid all others. So Rust's method lookup decides, as in [`super::place`]: the
//! traits here cover one reference less than those of types with an implementation of ours, and are
//! therefore found only where there is none. Such a value is a text.

use std::fmt::{self, Display, Write};

use super::place::Place;
use super::scalar::{Computed, Length, OptionalScalar};
use super::trust::Writable;
use super::{Each, Print, Printed, ToValue};
use prompty_core::value::Value;

/// A value that prints by its `Display`.
#[derive(Debug)]
pub struct Displayed<'a, T: ?Sized>(&'a T);

#[diagnostic::do_not_recommend]
impl<T: Display + ?Sized> Print for Displayed<'_, T> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        write!(out, "{}", self.0)
    }

    fn size_hint(&self) -> usize {
        24
    }
}

/// Marks a value that can be written as a text, at the type level.
#[derive(Debug)]
pub struct Displayable;

#[diagnostic::do_not_recommend]
impl ToValue for Displayable {
    fn to_value(&self) -> Value {
        Value::Null
    }
}

impl Length for Displayable {
    fn length(&self) -> usize {
        0
    }
}

/// The list of texts of a list's items.
fn texts<T: Each<Item: Display> + ?Sized>(list: &T) -> Value {
    list.each().map(text).collect()
}

fn text<T: Display + ?Sized>(value: &T) -> Value {
    Value::from(value.to_string())
}

fn computed<T: Display + ?Sized>(value: &T) -> Computed {
    Computed::new(value.to_string())
}

/// The tiers below those of [`super::place`]: a value that is `Display`, an `Option` of one, and a
/// list of them.
macro_rules! display_tiers {
    (
        $method:ident: $one:ident, $optional:ident, $list:ident;
        $given:ty, $make:expr, $wrapped:ty, $wrap:expr
    ) => {
        /// The conversion of a value that is `Display`.
        pub trait $one<'a, T: ?Sized> {
            /// The converted value.
            fn $method(&self) -> $given;
        }

        impl<'a, T: Display + ?Sized> $one<'a, T> for &&Place<'a, T> {
            fn $method(&self) -> $given {
                $make(self.0)
            }
        }

        /// The conversion of an `Option` of such a value.
        pub trait $optional<'a, T> {
            /// The converted value.
            fn $method(&self) -> $wrapped;
        }

        impl<'a, T: Display> $optional<'a, T> for &Place<'a, Option<T>> {
            fn $method(&self) -> $wrapped {
                $wrap(self.0.as_ref().map($make))
            }
        }

        /// The conversion of a list of such values.
        pub trait $list {
            /// The converted value.
            fn $method(&self) -> Value;
        }

        impl<T: Each<Item: Display> + ?Sized> $list for &Place<'_, T> {
            fn $method(&self) -> Value {
                texts(self.0)
            }
        }
    };
}

display_tiers! {
    printable: PrintableDisplay, PrintableOption, PrintableList;
    Displayed<'a, T>, Displayed, Option<Displayed<'a, T>>, std::convert::identity
}

display_tiers! {
    comparable: ComparableDisplay, ComparableOption, ComparableList;
    Computed, computed, OptionalScalar<Computed>, OptionalScalar
}

display_tiers! {
    measurable: MeasurableDisplay, MeasurableOption, MeasurableList;
    Computed, computed, Option<Computed>, std::convert::identity
}

display_tiers! {
    valued: ValuedDisplay, ValuedOption, ValuedList;
    Value, text, Value, Option::unwrap_or_default
}

/// Conversions to values. The first trait whose type fits the place is used.
macro_rules! value_tiers {
    ($(
        $(#[$documentation:meta])+
        $method:ident: $name:ident, [$($parameter:tt)*] for $place:ty, |$value:ident| $made:expr;
    )*) => {$(
        $(#[$documentation])+
        pub trait $name {
            /// The converted value, or a value of the same length.
            fn $method(&self) -> Value;
        }

        impl<$($parameter)*> $name for $place {
            fn $method(&self) -> Value {
                let $value = self.0;
                $made
            }
        }
    )*};
}

value_tiers! {
    /// The conversion of a value of which the engine gets all: the [`ToValue`] of its type.
    valued: Valued, [T: ToValue + ?Sized] for &&&&Place<'_, T>, |it| it.to_value();
    /// The conversion of a value that cannot be written. Another line of the generated code reports that
    /// as an error.
    valued: NotValued, [T: ?Sized] for Place<'_, T>, |_it| Value::Null;
    /// What the engine counts: a value.
    counted: CountedValue, [T: ToValue + ?Sized] for &&&&Place<'_, T>, |it| it.to_value();
    /// What the engine counts: the text of a value that is `Display`.
    counted: CountedDisplay, [T: Display + ?Sized] for &&Place<'_, T>, |it| text(it);
    /// What the engine counts: the items of a list or a map, whatever they are.
    counted: CountedLength, [T: Length + ?Sized] for &Place<'_, T>,
        |it| std::iter::repeat_n(Value::Null, it.length()).collect();
    /// What the engine counts: nothing. Another line of the generated code reports that as an error.
    counted: NotCounted, [T: ?Sized] for Place<'_, T>, |_it| Value::Null;
}

/// Whether a value can be written: by one of our traits.
pub trait WritableValue<'a, T: ?Sized> {
    /// The value itself, which implements [`Writable`].
    fn writable(&self) -> &'a T;
}

impl<'a, T: Writable + ?Sized> WritableValue<'a, T> for &&&&Place<'a, T> {
    fn writable(&self) -> &'a T {
        self.0
    }
}

/// Whether a value can be written: by its `Display`.
pub trait WritableDisplay {
    /// The marker of such values.
    fn writable(&self) -> &'static Displayable {
        &Displayable
    }
}

impl<T: Display + ?Sized> WritableDisplay for &&Place<'_, T> {}

/// Whether a value can be written: an `Option` of a value that is `Display`.
pub trait WritableOption {
    /// The marker of such values.
    fn writable(&self) -> &'static Displayable {
        &Displayable
    }
}

impl<T: Display> WritableOption for &Place<'_, Option<T>> {}

/// Whether a value can be written: a list of values that are `Display`.
pub trait WritableList {
    /// The marker of such values.
    fn writable(&self) -> &'static Displayable {
        &Displayable
    }
}

impl<T: Each<Item: Display> + ?Sized> WritableList for &Place<'_, T> {}

/// Whether a value can be written: it cannot.
pub trait NotWritable<'a, T: ?Sized> {
    /// The value itself. The code at the place requires that it implements a trait, so that rustc
    /// names its type.
    fn writable(&self) -> &'a T;
}

impl<'a, T: ?Sized> NotWritable<'a, T> for Place<'a, T> {
    fn writable(&self) -> &'a T {
        self.0
    }
}

/// Whether a value can be counted: it has a length, a value, or a text.
macro_rules! counted_tiers {
    ($($name:ident: [$($bound:tt)*] for $place:ty;)*) => {$(
        /// Whether a value can be counted.
        pub trait $name {
            /// The marker of such values.
            fn countable(&self) -> &'static Displayable {
                &Displayable
            }
        }

        impl<T: $($bound)* + ?Sized> $name for $place {}
    )*};
}

counted_tiers! {
    CountableLength: [Length] for &&&&Place<'_, T>;
    CountableValue: [ToValue] for &&&Place<'_, T>;
    CountableDisplay: [Display] for &Place<'_, T>;
}

/// Whether a value can be counted: it cannot.
pub trait NotCountable<'a, T: ?Sized> {
    /// The value itself. The code at the place requires that it has a length, so that rustc names its
    /// type.
    fn countable(&self) -> &'a T;
}

impl<'a, T: ?Sized> NotCountable<'a, T> for Place<'a, T> {
    fn countable(&self) -> &'a T {
        self.0
    }
}

/// What the short form `user: "{name}"` writes: a value that prints.
pub trait Shown<'a, T: ?Sized> {
    /// The value as it prints.
    fn shown(&self) -> Printed<'a, T>;
}

impl<'a, T: Print + ?Sized> Shown<'a, T> for &&&Place<'a, T> {
    fn shown(&self) -> Printed<'a, T> {
        Printed(self.0)
    }
}

/// What the short form writes: a value that is `Display`.
pub trait ShownDisplay<'a, T: ?Sized> {
    /// The value itself.
    fn shown(&self) -> &'a T;
}

impl<'a, T: Display + ?Sized> ShownDisplay<'a, T> for &Place<'a, T> {
    fn shown(&self) -> &'a T {
        self.0
    }
}

/// What the short form cannot write.
pub trait NotShown<'a, T: ?Sized> {
    /// The value as it would print. `format!` requires that it does, so that rustc names its type.
    fn shown(&self) -> Printed<'a, T>;
}

impl<'a, T: ?Sized> NotShown<'a, T> for Place<'a, T> {
    fn shown(&self) -> Printed<'a, T> {
        Printed(self.0)
    }
}

#[cfg(test)]
#[expect(clippy::needless_borrow, reason = "generated code borrows as often as it may have to")]
mod tests {
    use super::super::place::{NotPrintable as _, Printable as _};
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn what_is_display_is_a_text() {
        let address = Ipv4Addr::LOCALHOST;
        assert_eq!((&&&&&&Place(&address)).printable().text(), "127.0.0.1");
        assert_eq!((&&&&&&Place(&Some(address))).printable().text(), "127.0.0.1");
        assert_eq!((&&&&&&Place(&None::<Ipv4Addr>)).printable().text(), "");
        assert_eq!((&&&&&&Place(&vec![address])).printable().text(), r#"["127.0.0.1"]"#);
        assert_eq!((&&&&&&Place(&address)).valued(), Value::from("127.0.0.1"));
        assert_eq!((&&&&&&Place(&None::<Ipv4Addr>)).valued(), Value::Null);
        assert_eq!((&&&&&&Place(&[address])).valued(), Value::from(vec!["127.0.0.1"]));
    }

    #[test]
    fn an_implementation_of_ours_comes_before_display() {
        assert_eq!((&&&&&&Place(&2.0)).printable().text(), "2");
        assert_eq!((&&&&&&Place(&2.0)).valued(), Value::Float(2.0));
        struct Opaque;
        assert_eq!((&&&&&&Place(&Opaque)).valued(), Value::Null);
        assert_eq!((&&&&&&Place(&Opaque)).printable(), Value::Null);
    }
}
