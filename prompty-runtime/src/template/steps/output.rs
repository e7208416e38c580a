//! Where a render writes: a text that may not grow beyond its limit.

use std::fmt::{self, Write};

/// What HTML gives a meaning to.
const SPECIAL: [char; 5] = ['&', '<', '>', '"', '\''];

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
