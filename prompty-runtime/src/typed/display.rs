//! Converts types that implement `Display` but none of our traits: dates, addresses, identifiers,
//! enums of the user.
//!
//! A foreign type cannot implement [`ToValue`], and an implementation for all types with `Display`
//! would forbid all others. So Rust's method lookup decides, as in [`super::tiers`]. The traits
//! here have fewer references than those for types with our traits, so they are found later. The
//! value becomes a string.

use std::fmt::{self, Display, Write};

use super::place::Place;
use super::scalar::{ComputedText, Length, OptionalScalar};
use super::tiers::tiers;
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

tiers! {
    // For printing.
    printable {
        PrintableDisplay: [T: Display + ?Sized] &&Place<'a, T> => DisplayPrinter<'a, T>,
            |it| DisplayPrinter(it);
        PrintableOption: [T: Display] &Place<'a, Option<T>> => Option<DisplayPrinter<'a, T>>,
            |it| it.as_ref().map(DisplayPrinter);
        PrintableList: [T: Each<Item: Display> + ?Sized] &Place<'a, T> => Value, |it| texts(it);
    }
    // For a comparison.
    comparable {
        ComparableDisplay: [T: Display + ?Sized] &&Place<'a, T> => ComputedText, |it| computed(it);
        ComparableOption: [T: Display] &Place<'a, Option<T>> => OptionalScalar<ComputedText>,
            |it| OptionalScalar(it.as_ref().map(computed));
        ComparableList: [T: Each<Item: Display> + ?Sized] &Place<'a, T> => Value, |it| texts(it);
    }
    // For the filter `length`.
    measurable {
        MeasurableDisplay: [T: Display + ?Sized] &&Place<'a, T> => ComputedText, |it| computed(it);
        MeasurableOption: [T: Display] &Place<'a, Option<T>> => Option<ComputedText>,
            |it| it.as_ref().map(computed);
        MeasurableList: [T: Each<Item: Display> + ?Sized] &Place<'a, T> => Value, |it| texts(it);
    }
    // The conversion of a complete value for the engine.
    valued {
        /// A value is converted by the [`ToValue`] of its type.
        Valued: [T: ToValue + ?Sized] &&&&Place<'a, T> => Value, |it| it.to_value();
        ValuedDisplay: [T: Display + ?Sized] &&Place<'a, T> => Value, |it| text(it);
        ValuedOption: [T: Display] &Place<'a, Option<T>> => Value,
            |it| it.as_ref().map(text).unwrap_or_default();
        ValuedList: [T: Each<Item: Display> + ?Sized] &Place<'a, T> => Value, |it| texts(it);
        /// A value that cannot be written. Another line of the generated code reports that as an
        /// error.
        NotValued: [T: ?Sized] Place<'a, T> => Value, |_| Value::Null;
    }
    // The value for a count, or a value of the same length.
    counted {
        CountedValue: [T: ToValue + ?Sized] &&&&Place<'a, T> => Value, |it| it.to_value();
        CountedDisplay: [T: Display + ?Sized] &&Place<'a, T> => Value, |it| text(it);
        /// A list of the same length.
        CountedLength: [T: Length + ?Sized] &Place<'a, T> => Value,
            |it| std::iter::repeat_n(Value::Null, it.length()).collect();
        /// An unknown type. Another line of the generated code reports an error.
        NotCounted: [T: ?Sized] Place<'a, T> => Value, |_| Value::Null;
    }
    // Checks whether a value can be written: the generated code requires that the result
    // implements `Writable`.
    writable {
        /// A value with one of our traits, which implements [`Writable`].
        WritableValue: [T: Writable + ?Sized] &&&&Place<'a, T> => &'a T, |it| it;
        WritableDisplay: [T: Display + ?Sized] &&Place<'a, T> => &'static TextMarker,
            |_| &TextMarker;
        WritableOption: [T: Display] &Place<'a, Option<T>> => &'static TextMarker, |_| &TextMarker;
        WritableList: [T: Each<Item: Display> + ?Sized] &Place<'a, T> => &'static TextMarker,
            |_| &TextMarker;
        /// A value that cannot be written: the value itself, so that rustc names its type in the
        /// error.
        NotWritable: [T: ?Sized] Place<'a, T> => &'a T, |it| it;
    }
    // Checks whether a value can be counted: the generated code requires that the result has a
    // length.
    countable {
        CountableLength: [T: Length + ?Sized] &&&&Place<'a, T> => &'static TextMarker,
            |_| &TextMarker;
        CountableValue: [T: ToValue + ?Sized] &&&Place<'a, T> => &'static TextMarker,
            |_| &TextMarker;
        CountableDisplay: [T: Display + ?Sized] &Place<'a, T> => &'static TextMarker,
            |_| &TextMarker;
        /// A value that cannot be counted: the value itself, so that rustc names its type in the
        /// error.
        NotCountable: [T: ?Sized] Place<'a, T> => &'a T, |it| it;
    }
    // A value in the short form `user: "{name}"`.
    shown {
        /// A value that prints with our traits.
        Shown: [T: Print + ?Sized] &&&Place<'a, T> => Printed<'a, T>, |it| Printed(it);
        /// A value that prints with its `Display`: the value itself.
        ShownDisplay: [T: Display + ?Sized] &Place<'a, T> => &'a T, |it| it;
        /// A value that does not print. `format!` requires `Display` of the wrapper, so rustc names
        /// its type in the error.
        NotShown: [T: ?Sized] Place<'a, T> => Printed<'a, T>, |it| Printed(it);
    }
}

#[cfg(test)]
#[expect(clippy::needless_borrow, reason = "generated code borrows once for each tier")]
mod tests {
    use super::super::tiers::*;
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
