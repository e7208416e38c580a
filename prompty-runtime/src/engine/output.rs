//! The output of a render: text with a size limit.

use std::fmt::{self, Write};

use prompty_core::text::write_escaped;

/// A text that is being written, and the maximum of its length.
pub(super) struct RenderOutput {
    text: String,
    /// The maximum length in bytes.
    limit: usize,
}

impl RenderOutput {
    /// Makes an empty output that accepts at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { text: String::new(), limit }
    }

    /// Makes an empty output with capacity for the expected number of bytes.
    pub(super) fn with_capacity(limit: usize, expected: usize) -> Self {
        Self { text: String::with_capacity(expected.min(limit)), limit }
    }

    /// The number of bytes that can still be written.
    pub(super) fn remaining(&self) -> usize {
        self.limit.saturating_sub(self.text.len())
    }

    /// A writer to this output that escapes HTML.
    pub(super) fn escaping(&mut self) -> EscapedOutput<'_> {
        EscapedOutput { output: self }
    }

    /// The written text.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

impl Write for RenderOutput {
    /// Returns an error, and writes nothing, if the piece would exceed the limit. Callers replace
    /// the error by one that names the limit.
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if piece.len() > self.remaining() {
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}

/// Writes to an output and escapes HTML.
pub(super) struct EscapedOutput<'o> {
    output: &'o mut RenderOutput,
}

impl Write for EscapedOutput<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        write_escaped(piece, self.output)
    }
}
