//! The sinks of compiled prompts: [`TextWriter`](super::TextWriter) (one text),
//! [`MessageWriter`](super::MessageWriter) (messages) and [`Sizer`], which only adds up sizes.
//! Generated code first estimates the size of a text with a [`Sizer`], and then writes the text into
//! a buffer of that size.

use super::Print;

/// A sink for literals and values.
pub trait Sink {
    /// Writes literal text of the template.
    fn literal(&mut self, text: &str);

    /// Writes a value as it prints.
    fn value<T: Print + ?Sized>(&mut self, value: &T);
}

/// Writes a text prompt.
impl Sink for String {
    #[inline]
    fn literal(&mut self, text: &str) {
        self.push_str(text);
    }

    #[inline]
    fn value<T: Print + ?Sized>(&mut self, value: &T) {
        // Writing to a `String` does not fail.
        let _ = value.print(self);
    }
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
}

impl Sink for Sizer {
    #[inline]
    fn literal(&mut self, text: &str) {
        self.bytes += text.len();
    }

    #[inline]
    fn value<T: Print + ?Sized>(&mut self, value: &T) {
        self.bytes += value.size_hint();
    }
}
