//! Where the functions of a compiled prompt write to: a text in the making, or the sum of its size.

use super::Print;
use super::place::Sizer;
use super::write::{MessageWriter, TextWriter};

/// What takes literals and values.
pub trait Sink {
    /// Text of the template.
    fn literal(&mut self, text: &str);

    /// A value, as it prints.
    fn value<T: Print + ?Sized>(&mut self, value: &T);
}

macro_rules! sinks {
    ($($sink:ty)*) => {$(
        impl Sink for $sink {
            #[inline]
            fn literal(&mut self, text: &str) {
                self.literal(text);
            }

            #[inline]
            fn value<T: Print + ?Sized>(&mut self, value: &T) {
                self.value(value);
            }
        }
    )*};
}

sinks! { Sizer TextWriter MessageWriter }
