//! The sinks of compiled prompts: [`TextWriter`] (one text), [`MessageWriter`] (messages) and
//! [`Sizer`], which only adds up sizes. Generated code first estimates the size of a text with a
//! [`Sizer`], and then writes the text into a buffer of that size.

use super::Print;
use super::write::{MessageWriter, TextWriter};

/// A sink for literals and values.
pub trait Sink {
    /// Writes literal text of the template.
    fn literal(&mut self, text: &str);

    /// Writes a value as it prints.
    fn value<T: Print + ?Sized>(&mut self, value: &T);
}

/// Adds up the estimated sizes of the texts that a compiled prompt would write.
#[derive(Debug, Default, Clone, Copy)]
pub struct Sizer {
    bytes: usize,
}

impl Sizer {
    /// The estimated number of bytes so far.
    #[inline]
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// Counts literal text of the template.
    #[inline]
    pub fn literal(&mut self, text: &str) {
        self.bytes += text.len();
    }

    /// Counts a value as it prints.
    #[inline]
    pub fn value<T: Print + ?Sized>(&mut self, value: &T) {
        self.bytes += value.size_hint();
    }
}

// Each of the types has its own methods `literal` and `value`. In `self.literal(text)`, Rust
// prefers the type's own method to the one of the trait, so these calls are not recursive.
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
