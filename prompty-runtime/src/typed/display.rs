//! Converts types that implement `Display` but none of our traits: dates, addresses, identifiers,
//! enums of the user.
//!
//! A foreign type cannot implement [`ToValue`], and an implementation for all types with `Display`
//! would forbid all others. So Rust's method lookup decides, as in [`super::place`]. The traits
//! here have fewer references than those for types with our traits, so they are found later. The
//! value becomes a string.

use std::fmt::{self, Display, Write};

use super::place::Place;
use super::scalar::{ComputedText, Length, OptionalScalar};
use super::trust::Writable;
use super::{Each, Print, Printed, ToValue};
use prompty_core::value::Value;

/// A value that prints by its `Display`.
#[derive(Debug)]
pub struct DisplayPrinter<'a, T: ?Sized>(&'a T);

#[diagnostic::do_not_recommend]
impl<T: Display + ?Sized> Print for DisplayPrinter<'_, T> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        write!(out, "{}", self.0)
    }

    fn size_hint(&self) -> usize {
        24
    }
}

/// Marks at the type level a value that can be written as a string.
#[derive(Debug)]
pub struct TextMarker;

#[diagnostic::do_not_recommend]
impl ToValue for TextMarker {
    fn to_value(&self) -> Value {
        Value::Null
    }
}

impl Length for TextMarker {
    fn length(&self) -> usize {
        0
    }
}

/// The items of a list as a list of strings.
fn texts<T: Each<Item: Display> + ?Sized>(list: &T) -> Value {
    list.each().map(text).collect()
}

fn text<T: Display + ?Sized>(value: &T) -> Value {
    Value::from(value.to_string())
}

fn computed<T: Display + ?Sized>(value: &T) -> ComputedText {
    ComputedText::new(value.to_string())
}

/// The tiers after those of [`super::place`]: a value that is `Display`, an `Option` of one, and a
/// list of them. `$make` converts one value. `$wrap` converts an `Option` of a converted value.
macro_rules! display_tiers {
    (
        $method:ident: $one:ident, $optional:ident, $list:ident;
        $converted:ty, $make:expr, $wrapped:ty, $wrap:expr
    ) => {
        /// The conversion of a value that is `Display`.
        pub trait $one<'a, T: ?Sized> {
            /// The converted value.
            fn $method(&self) -> $converted;
        }

        impl<'a, T: Display + ?Sized> $one<'a, T> for &&Place<'a, T> {
            fn $method(&self) -> $converted {
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
    DisplayPrinter<'a, T>, DisplayPrinter, Option<DisplayPrinter<'a, T>>, std::convert::identity
}

display_tiers! {
    comparable: ComparableDisplay, ComparableOption, ComparableList;
    ComputedText, computed, OptionalScalar<ComputedText>, OptionalScalar
}

display_tiers! {
    measurable: MeasurableDisplay, MeasurableOption, MeasurableList;
    ComputedText, computed, Option<ComputedText>, std::convert::identity
}

display_tiers! {
    valued: ValuedDisplay, ValuedOption, ValuedList;
    Value, text, Value, Option::unwrap_or_default
}

/// Conversions to values. The first trait that fits the type is used. Those for data of other
/// crates are in [`super::data`].
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
    /// The conversion of a complete value for the engine, by the [`ToValue`] of its type.
    valued: Valued, [T: ToValue + ?Sized] for &&&&Place<'_, T>, |it| it.to_value();
    /// The conversion of a value that cannot be written. Another line of the generated code reports
    /// that as an error.
    valued: NotValued, [T: ?Sized] for Place<'_, T>, |_it| Value::Null;
    /// The value for a count: the value itself.
    counted: CountedValue, [T: ToValue + ?Sized] for &&&&Place<'_, T>, |it| it.to_value();
    /// The value for a count: the text of a value that is `Display`.
    counted: CountedDisplay, [T: Display + ?Sized] for &&Place<'_, T>, |it| text(it);
    /// The value for a count: a list of the same length.
    counted: CountedLength, [T: Length + ?Sized] for &Place<'_, T>,
        |it| std::iter::repeat_n(Value::Null, it.length()).collect();
    /// The value for a count of an unknown type. Another line of the generated code reports an
    /// error.
    counted: NotCounted, [T: ?Sized] for Place<'_, T>, |_it| Value::Null;
}

/// A value that can be written with one of our traits.
pub trait WritableValue<'a, T: ?Sized> {
    /// The value itself, which implements [`Writable`].
    fn writable(&self) -> &'a T;
}

impl<'a, T: Writable + ?Sized> WritableValue<'a, T> for &&&&Place<'a, T> {
    fn writable(&self) -> &'a T {
        self.0
    }
}

/// The tiers that check whether a value can be written or counted. Each of these traits says that
/// it can; [`NotWritable`] and [`NotCountable`] are for all other values.
macro_rules! marker_tiers {
    ($($method:ident { $($name:ident: [$($bounds:tt)*] for $place:ty;)* })*) => {$($(
        /// A value that can be written or counted.
        pub trait $name {
            /// The marker of such values.
            fn $method(&self) -> &'static TextMarker {
                &TextMarker
            }
        }

        impl<$($bounds)*> $name for $place {}
    )*)*};
}

#[cfg(feature = "serde")]
pub(super) use marker_tiers;

marker_tiers! {
    writable {
        WritableDisplay: [T: Display + ?Sized] for &&Place<'_, T>;
        WritableOption: [T: Display] for &Place<'_, Option<T>>;
        WritableList: [T: Each<Item: Display> + ?Sized] for &Place<'_, T>;
    }
    countable {
        CountableLength: [T: Length + ?Sized] for &&&&Place<'_, T>;
        CountableValue: [T: ToValue + ?Sized] for &&&Place<'_, T>;
        CountableDisplay: [T: Display + ?Sized] for &Place<'_, T>;
    }
}

/// A value that cannot be written.
pub trait NotWritable<'a, T: ?Sized> {
    /// The value itself. The generated code requires that it implements a trait, so that rustc
    /// names its type in the error.
    fn writable(&self) -> &'a T;
}

impl<'a, T: ?Sized> NotWritable<'a, T> for Place<'a, T> {
    fn writable(&self) -> &'a T {
        self.0
    }
}

/// A value that cannot be counted.
pub trait NotCountable<'a, T: ?Sized> {
    /// The value itself. The generated code requires that it has a length, so that rustc names its
    /// type in the error.
    fn countable(&self) -> &'a T;
}

impl<'a, T: ?Sized> NotCountable<'a, T> for Place<'a, T> {
    fn countable(&self) -> &'a T {
        self.0
    }
}

/// A value in the short form `user: "{name}"` that prints with our traits.
pub trait Shown<'a, T: ?Sized> {
    /// The value as it prints.
    fn shown(&self) -> Printed<'a, T>;
}

impl<'a, T: Print + ?Sized> Shown<'a, T> for &&&Place<'a, T> {
    fn shown(&self) -> Printed<'a, T> {
        Printed(self.0)
    }
}

/// A value in the short form that prints with its `Display`.
pub trait ShownDisplay<'a, T: ?Sized> {
    /// The value itself.
    fn shown(&self) -> &'a T;
}

impl<'a, T: Display + ?Sized> ShownDisplay<'a, T> for &Place<'a, T> {
    fn shown(&self) -> &'a T {
        self.0
    }
}

/// A value in the short form that does not print.
pub trait NotShown<'a, T: ?Sized> {
    /// The value in a wrapper. `format!` requires `Display`, so rustc names its type in the error.
    fn shown(&self) -> Printed<'a, T>;
}

impl<'a, T: ?Sized> NotShown<'a, T> for Place<'a, T> {
    fn shown(&self) -> Printed<'a, T> {
        Printed(self.0)
    }
}

#[cfg(test)]
#[expect(clippy::needless_borrow, reason = "generated code borrows once for each tier")]
mod tests {
    use super::super::place::{NotPrintable as _, Printable as _};
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn display_types_become_strings() {
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
    fn our_traits_take_precedence_over_display() {
        assert_eq!((&&&&&&Place(&2.0)).printable().text(), "2");
        assert_eq!((&&&&&&Place(&2.0)).valued(), Value::Float(2.0));
        struct NoDisplay;
        assert_eq!((&&&&&&Place(&NoDisplay)).valued(), Value::Null);
        assert_eq!((&&&&&&Place(&NoDisplay)).printable(), Value::Null);
    }
}
