//! Where a render writes: a text that may not grow beyond its limit.

use std::fmt::{self, Write};

use prompty_core::text::write_escaped;

pub(super) struct Output {
    text: String,
    /// The length that the text may reach.
    limit: usize,
}

impl Output {
    /// An empty text of at most so many bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { text: String::new(), limit }
    }

    /// The same with room for so many bytes, which are likely to come.
    pub(super) fn with_room(limit: usize, likely: usize) -> Self {
        Self { text: String::with_capacity(likely.min(limit)), limit }
    }

    /// How many bytes may still come.
    pub(super) fn left(&self) -> usize {
        self.limit.saturating_sub(self.text.len())
    }

    /// The same output, with what HTML gives a meaning to escaped.
    pub(super) fn escaping(&mut self) -> Escaping<'_> {
        Escaping { output: self }
    }

    /// What was written.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

impl Write for Output {
    /// An error means that the limit is reached.
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if piece.len() > self.left() {
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}

pub(super) struct Escaping<'o> {
    output: &'o mut Output,
}

impl Write for Escaping<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        write_escaped(piece, self.output)
    }
}
