//! Where a render writes: a text that may not grow beyond its limit.

use std::fmt::{self, Write};

/// What HTML gives a meaning to.
const SPECIAL: [char; 5] = ['&', '<', '>', '"', '\''];

pub(super) struct Output<'o> {
    text: &'o mut String,
    /// The length that the text may reach.
    limit: usize,
}

impl<'o> Output<'o> {
    /// Appends to a text, at most so many bytes.
    pub(super) fn new(text: &'o mut String, max_output: usize) -> Self {
        let limit = text.len().saturating_add(max_output);
        Self { text, limit }
    }

    /// The same output with what HTML gives a meaning to escaped.
    pub(super) fn escaping<'e>(&'e mut self) -> Escaping<'e, 'o> {
        Escaping { output: self }
    }
}

impl Write for Output<'_> {
    /// An error means that the limit is reached.
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if piece.len() > self.limit.saturating_sub(self.text.len()) {
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}

pub(super) struct Escaping<'e, 'o> {
    output: &'e mut Output<'o>,
}

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        for run in piece.split_inclusive(SPECIAL) {
            let special = run.chars().next_back().filter(|last| SPECIAL.contains(last));
            let plain = run.strip_suffix(SPECIAL).unwrap_or(run);
            self.output.write_str(plain)?;
            self.output.write_str(special.map_or("", entity))?;
        }
        Ok(())
    }
}

fn entity(special: char) -> &'static str {
    match special {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        _ => "&#39;",
    }
}
