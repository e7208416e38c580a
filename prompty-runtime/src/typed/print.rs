//! How Rust types print in a prompt.

use std::borrow::Cow;
use std::fmt::{self, Display, Write};
use std::rc::Rc;
use std::sync::Arc;

use crate::value::{Map, Value};

/// A type that prints in a prompt by the rules of the Prompty subset: truth values in lower case,
/// `None` as nothing, a float without a fraction as a whole number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed into a prompt",
    label = "cannot be printed",
    note = "texts, numbers, booleans and `Option`s of them can be printed",
    note = "turn it into a text first, or use a template, which reads fields: `{{{{ item.title }}}}`"
)]
pub trait Print {
    /// Writes the value.
    ///
    /// # Errors
    ///
    /// Only where `out` reports one.
    fn print(&self, out: &mut dyn Write) -> fmt::Result;
}

/// Lets a value take part in `format!` and print as it does in a template.
///
/// ```
/// use prompty_runtime::typed::Printed;
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

macro_rules! as_displayed {
    ($($type:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Print for $type {
            fn print(&self, out: &mut dyn Write) -> fmt::Result {
                write!(out, "{self}")
            }
        }
    )*};
}

as_displayed!(bool char i8 i16 i32 i64 i128 isize u8 u16 u32 u64 usize Value);

macro_rules! as_value {
    ($($type:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Print for $type {
            fn print(&self, out: &mut dyn Write) -> fmt::Result {
                write!(out, "{}", Value::from(*self))
            }
        }
    )*};
}

as_value!(f32 f64);

#[diagnostic::do_not_recommend]
impl Print for str {
    fn print(&self, out: &mut dyn Write) -> fmt::Result {
        out.write_str(self)
    }
}

#[diagnostic::do_not_recommend]
impl Print for String {
    fn print(&self, out: &mut dyn Write) -> fmt::Result {
        out.write_str(self)
    }
}

#[diagnostic::do_not_recommend]
impl Print for Map {
    fn print(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{}", Value::Object(self.clone()))
    }
}

macro_rules! by_reference {
    ($($pointer:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Print + ?Sized> Print for $pointer {
            fn print(&self, out: &mut dyn Write) -> fmt::Result {
                (**self).print(out)
            }
        }
    )*};
}

by_reference!(&T Box<T> Rc<T> Arc<T>);

#[diagnostic::do_not_recommend]
impl<T: Print + ToOwned + ?Sized> Print for Cow<'_, T> {
    fn print(&self, out: &mut dyn Write) -> fmt::Result {
        (**self).print(out)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Print> Print for Option<T> {
    fn print(&self, out: &mut dyn Write) -> fmt::Result {
        self.as_ref().map_or(Ok(()), |value| value.print(out))
    }
}
