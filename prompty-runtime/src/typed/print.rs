//! Prints Rust types in a prompt.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt::{self, Display, Write};
use std::num::NonZero;
use std::rc::Rc;
use std::sync::Arc;

use super::ToValue;
use prompty_core::value::internal::write_float;
use prompty_core::value::{Map, Value};

/// A type that prints in a prompt by the rules of the Prompty subset: booleans are in lower case,
/// `None` is empty, and a float without a fraction prints as an integer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed into a prompt",
    label = "cannot be printed",
    note = "strings, numbers, booleans and `Option`s of them can be printed",
    note = "convert it to a string, or use a template that reads its fields: `{{{{ item.title }}}}`"
)]
pub trait Print {
    /// Writes the value.
    ///
    /// # Errors
    ///
    /// Returns an error only if `out` returns one.
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result;

    /// The approximate number of bytes that [`Print::print`] writes; exact for strings. The default
    /// is a guess.
    fn size_hint(&self) -> usize {
        12
    }

    /// The printed text. It borrows a string, and otherwise allocates.
    fn text(&self) -> Cow<'_, str> {
        let mut text = String::with_capacity(self.size_hint());
        // Writing to a `String` does not fail.
        let _ = self.print(&mut text);
        Cow::Owned(text)
    }

    /// Whether the value is missing, so that the filter `default` uses its fallback.
    fn is_null(&self) -> bool {
        false
    }
}

/// Prints a value in `format!` in the same way as in a template.
///
/// ```
/// # use prompty_runtime::typed as typed_prompty;
/// use typed_prompty::Printed;
///
/// assert_eq!(format!("{}|{}|{}", Printed(&true), Printed(&2.0), Printed(&None::<i32>)), "true|2|");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Printed<'a, T: ?Sized>(pub &'a T);

impl<T: Print + ?Sized> Display for Printed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.print(f)
    }
}

/// Types that print as with `Display`, each with the length of its longest text.
macro_rules! as_displayed {
    ($($size:literal $type:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Print for $type {
            fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
                write!(out, "{self}")
            }

            fn size_hint(&self) -> usize {
                $size
            }
        }
    )*};
}

as_displayed! {
    5 bool; 4 char;
    4 i8; 6 i16; 11 i32; 20 i64; 40 i128; 20 isize;
    3 u8; 5 u16; 10 u32; 20 u64; 39 u128;
    4 NonZero<i8>; 6 NonZero<i16>; 11 NonZero<i32>; 20 NonZero<i64>; 40 NonZero<i128>;
    20 NonZero<isize>; 3 NonZero<u8>; 5 NonZero<u16>; 10 NonZero<u32>; 20 NonZero<u64>;
    39 NonZero<u128>; 20 NonZero<usize>;
}

#[diagnostic::do_not_recommend]
impl Print for usize {
    /// Writes the digits directly. Loops print their counters, and `write!` takes three times as
    /// long.
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        let mut unit = 1;
        while *self / unit >= 10 {
            unit *= 10;
        }
        while unit > 0 {
            out.write_char(char::from(b'0' + (*self / unit % 10) as u8))?;
            unit /= 10;
        }
        Ok(())
    }

    fn size_hint(&self) -> usize {
        20
    }
}

macro_rules! floats {
    ($($float:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Print for $float {
            fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
                write_float(out, f64::from(*self))
            }

            fn size_hint(&self) -> usize {
                18
            }
        }
    )*};
}

floats!(f32 f64);

#[diagnostic::do_not_recommend]
impl Print for str {
    #[inline]
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        out.write_str(self)
    }

    #[inline]
    fn size_hint(&self) -> usize {
        self.len()
    }

    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

macro_rules! through {
    ($([$($parameters:tt)*] $pointer:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($parameters)*> Print for $pointer {
            #[inline]
            fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
                (**self).print(out)
            }

            #[inline]
            fn size_hint(&self) -> usize {
                (**self).size_hint()
            }

            fn text(&self) -> Cow<'_, str> {
                (**self).text()
            }

            fn is_null(&self) -> bool {
                (**self).is_null()
            }
        }
    )*};
}

through! {
    [] String;
    [T: Print + ?Sized] &T;
    [T: Print + ?Sized] Box<T>;
    [T: Print + ?Sized] Rc<T>;
    [T: Print + ?Sized] Arc<T>;
    [T: Print + ToOwned + ?Sized] Cow<'_, T>;
}

#[diagnostic::do_not_recommend]
impl<T: Print> Print for Option<T> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        self.as_ref().map_or(Ok(()), |value| value.print(out))
    }

    fn size_hint(&self) -> usize {
        self.as_ref().map_or(0, Print::size_hint)
    }

    fn text(&self) -> Cow<'_, str> {
        self.as_ref().map_or(Cow::Borrowed(""), Print::text)
    }

    fn is_null(&self) -> bool {
        self.as_ref().is_none_or(Print::is_null)
    }
}

#[diagnostic::do_not_recommend]
impl Print for Value {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        write!(out, "{self}")
    }

    fn size_hint(&self) -> usize {
        self.as_str().map_or(16, str::len)
    }

    fn is_null(&self) -> bool {
        Value::is_null(self)
    }
}

/// Lists and maps print as JSON, as everywhere in prompts.
macro_rules! as_json {
    ($([$($parameters:tt)*] $collection:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($parameters)*> Print for $collection {
            fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
                write!(out, "{}", self.to_value())
            }
        }
    )*};
}

as_json! {
    [] Map;
    [T: ToValue] [T];
    [T: ToValue] Vec<T>;
    [T: ToValue, const N: usize] [T; N];
    [T: ToValue] VecDeque<T>;
    [T: ToValue] BTreeSet<T>;
    [K: AsRef<str>, V: ToValue] BTreeMap<K, V>;
    [K: AsRef<str> + Ord, V: ToValue, S] HashMap<K, V, S>;
}

#[cfg(test)]
mod tests {
    use super::Print;

    #[test]
    fn a_counter_prints_like_its_display_form() {
        let powers = (0..20).filter_map(|power| 10_usize.checked_pow(power));
        let near = powers.flat_map(|power| [power - 1, power, power + 1]);
        for number in near.chain([usize::MAX]) {
            let mut printed = String::new();
            assert!(number.print(&mut printed).is_ok());
            assert_eq!(printed, number.to_string());
        }
    }
}
