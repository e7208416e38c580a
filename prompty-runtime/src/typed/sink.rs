//! The sinks of compiled prompts: [`TextWriter`](super::TextWriter) and
//! [`KeptWriter`](super::KeptWriter) (one text, trimmed or not),
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
