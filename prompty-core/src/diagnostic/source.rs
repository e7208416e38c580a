//! Source texts, and places in them.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::literal::{LiteralPiece, LiteralText};
use super::pieces::Pieces;
use super::span::SourceSpan;
use crate::work::add_steps;

/// A place for people to read: a file, a line and a column in characters, both from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The name of the file, or a replacement for it.
    pub name: Arc<str>,
    /// The line, from 1; 0 if the name is the complete place, such as a pointer into a JSON value.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

impl Place {
    /// A place that has only a name, such as a pointer into a JSON value.
    pub fn named(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), line: 0, column: 0 }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            return f.write_str(&self.name);
        }
        write!(f, "{}:{}:{}", self.name, self.line, self.column)
    }
}

/// A text with a name, in which places can be found.
///
/// A text may be assembled from pieces of others, for example if a template includes files. Its
/// places are then those in the files.
#[derive(Clone, PartialEq, Eq)]
pub struct SourceText {
    name: Arc<str>,
    text: Arc<str>,
    first_line: usize,
    first_column: usize,
    /// The text as it is written in the Rust source, if that differs.
    written: Option<LiteralText>,
    line_starts: LineStarts,
    /// The pieces of an assembled text; `None` for any other text.
    pieces: Option<Pieces<Self>>,
}

impl fmt::Debug for SourceText {
    /// Shows the name and the length. The text may be a prompt file with a key in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceText")
            .field("name", &self.name)
            .field("length", &self.text.len())
            .finish_non_exhaustive()
    }
}

/// The index of the lines of a text, built on first use. It makes many diagnostics fast, even if
/// all of them are in one line.
#[derive(Debug, Clone, Default)]
struct LineStarts(OnceLock<Arc<LineIndex>>);

#[derive(Debug)]
struct LineIndex {
    /// The offsets at which lines begin.
    starts: Vec<usize>,
    /// For each block of `BLOCK` bytes, how many characters begin before it.
    characters: Vec<usize>,
}

/// The length of a block, in bytes.
const BLOCK: usize = 256;

impl LineIndex {
    fn of(text: &str) -> Self {
        add_steps(text.len());
        let after_newlines = text.match_indices('\n').map(|(newline, _)| newline + 1);
        let mut characters = Vec::with_capacity(text.len() / BLOCK + 1);
        let mut count = 0;
        for block in text.as_bytes().chunks(BLOCK) {
            characters.push(count);
            count += count_characters(block.iter());
        }
        Self { starts: std::iter::once(0).chain(after_newlines).collect(), characters }
    }

    /// How many characters begin between two offsets.
    fn characters_between(&self, text: &str, start: usize, end: usize) -> usize {
        match text.as_bytes().get(start..end) {
            Some(near) if near.len() <= BLOCK => {
                add_steps(near.len());
                count_characters(near.iter())
            }
            _ => self.characters_before(text, end) - self.characters_before(text, start),
        }
    }

    /// How many characters begin before an offset.
    fn characters_before(&self, text: &str, offset: usize) -> usize {
        let block = (offset / BLOCK).min(self.characters.len().saturating_sub(1));
        let before = self.characters.get(block).copied().unwrap_or(0);
        let rest = text.as_bytes().iter().take(offset).skip(block * BLOCK);
        // A constant, because the exact number depends on where blocks begin, not on the text.
        add_steps(BLOCK);
        before + count_characters(rest)
    }
}

/// How many characters begin in a sequence of bytes.
// Bytes of the form 10xxxxxx continue a character.
fn count_characters<'b>(bytes: impl Iterator<Item = &'b u8>) -> usize {
    bytes.filter(|byte| (**byte & 0b1100_0000) != 0b1000_0000).count()
}

/// Always equal: texts are equal whether or not their index was built.
impl PartialEq for LineStarts {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for LineStarts {}

impl SourceText {
    /// Creates a text with a name.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        let (name, text) = (name.into(), text.into());
        Self {
            name,
            text,
            first_line: 1,
            first_column: 1,
            written: None,
            line_starts: LineStarts::default(),
            pieces: None,
        }
    }

    /// Creates an assembled text.
    pub(super) fn assembled(name: Arc<str>, text: String, pieces: Pieces<Self>) -> Self {
        Self { pieces: Some(pieces), ..Self::new(name, text) }
    }

    /// The pieces of an assembled text.
    pub(super) fn pieces(&self) -> Option<&Pieces<Self>> {
        self.pieces.as_ref()
    }

    /// The same text, whose first byte has a later line and column because it was cut out of a
    /// longer text. The column applies only to the first line.
    #[must_use]
    pub fn starting_at(mut self, line: usize, column: usize) -> Self {
        self.first_line = line.max(1);
        self.first_column = column.max(1);
        self
    }

    /// The same text, with the form in which the Rust source writes it, such as a literal with
    /// escapes. Places and snippets then refer to that form. The pieces must be in order.
    #[doc(hidden)]
    #[must_use]
    pub fn written_as(
        mut self,
        text: impl Into<Arc<str>>,
        pieces: impl Into<Arc<[LiteralPiece]>>,
    ) -> Self {
        self.line_starts = LineStarts::default();
        self.written = Some(LiteralText { text: text.into(), pieces: pieces.into() });
        self
    }

    /// The same text without byte order marks at its beginning and with `\n` for each line end. Line
    /// ends are `\r\n` and a single `\r`, as in YAML and Jinja. Spans into a prompt refer to this
    /// form. It does not change if it is normalised again. An assembled text is not changed.
    #[must_use]
    pub fn normalised(mut self) -> Self {
        if self.pieces.is_some() {
            return self;
        }
        self.line_starts = LineStarts::default();
        let text = self.text.trim_start_matches('\u{feff}');
        let mark = self.text.len() - text.len();
        if let Some(written) = &self.written {
            let removed: Vec<usize> = text.match_indices("\r\n").map(|(at, _)| mark + at).collect();
            // The length without the mark and the `\r` of each `\r\n` before an offset.
            let kept = |offset: usize| {
                offset.saturating_sub(mark) - removed.partition_point(|at| *at < offset)
            };
            self.written = Some(written.without(kept));
        }
        if text.contains('\r') {
            self.text = text.replace("\r\n", "\n").replace('\r', "\n").into();
        } else if text.len() < self.text.len() {
            self.text = text.into();
        }
        self
    }

    /// The name that appears in places.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The span of the complete text.
    pub fn span(&self) -> SourceSpan {
        SourceSpan::new(0, self.text.len())
    }

    /// The place of an offset. An offset inside a character counts as the start of that character.
    pub fn place(&self, offset: usize) -> Place {
        if let Some((source, span)) = self.origin_in_piece(SourceSpan::new(offset, offset)) {
            return source.place(span.start);
        }
        let before = self.shown_before(self.shown_span(SourceSpan::new(offset, offset)).start);
        let (newlines, start) = self.line_number_and_start(before.len());
        let column = self.line_index().characters_between(self.shown_text(), start, before.len());
        let first_column = if newlines == 0 { self.first_column } else { 1 };
        let (line, column) = (self.first_line + newlines, first_column + column);
        Place { name: self.name.clone(), line, column }
    }

    /// The source of a span, and the span in that source. The source is another text if this one is
    /// assembled. A span over pieces of several sources ends with the first.
    #[doc(hidden)]
    pub fn origin(&self, span: SourceSpan) -> (&SourceText, SourceSpan) {
        self.origin_in_piece(span).unwrap_or((self, span))
    }

    fn origin_in_piece(&self, span: SourceSpan) -> Option<(&Self, SourceSpan)> {
        self.pieces.as_ref()?.origin(span, |one, other| one.name == other.name)
    }

    /// The line of an offset, without its newline, and the offset at which it begins. Both refer to
    /// this text; call [`SourceText::origin`] first to get the author's line.
    #[doc(hidden)]
    #[expect(clippy::string_slice, reason = "the offsets are line starts of the same text")]
    pub fn line_at(&self, offset: usize) -> (usize, &str) {
        let offset = self.shown_span(SourceSpan::new(offset, offset)).start;
        let (number, start) = self.line_number_and_start(self.shown_before(offset).len());
        let line = match self.line_index().starts.get(number + 1) {
            Some(next) => &self.shown_text()[start..next - 1],
            None => &self.shown_text()[start..],
        };
        (start, line)
    }

    /// The span in the form of the text that snippets show.
    pub(super) fn shown_span(&self, span: SourceSpan) -> SourceSpan {
        self.written.as_ref().map_or(span, |written| written.written_span(span))
    }

    /// The text that snippets show: the literal, if there is one.
    fn shown_text(&self) -> &str {
        self.written.as_ref().map_or(&self.text, |written| &written.text)
    }

    /// The number of lines before the one that contains an offset, and the start of that line.
    fn line_number_and_start(&self, offset: usize) -> (usize, usize) {
        let starts = &self.line_index().starts;
        let number = starts.partition_point(|start| *start <= offset).saturating_sub(1);
        (number, starts.get(number).copied().unwrap_or(0))
    }

    fn line_index(&self) -> &LineIndex {
        self.line_starts.0.get_or_init(|| Arc::new(LineIndex::of(self.shown_text())))
    }

    /// The shown text before an offset.
    #[expect(clippy::string_slice, reason = "`floor_char_boundary` returns a valid offset")]
    fn shown_before(&self, offset: usize) -> &str {
        let shown = self.shown_text();
        &shown[..shown.floor_char_boundary(offset)]
    }
}

#[cfg(test)]
mod tests {
    use super::SourceText;

    #[test]
    fn debug_does_not_show_the_text() {
        let source = SourceText::new("a.prompty", "apiKey: sk-1");
        let shown = format!("{source:?}");
        assert_eq!(shown, r#"SourceText { name: "a.prompty", length: 12, .. }"#);
    }

    #[test]
    fn a_place_counts_characters_from_one() {
        let source = SourceText::new("x", "é\nab\u{1F600}c");
        let place = |offset| source.place(offset).to_string();
        assert_eq!([place(0), place(2), place(5), place(9)], ["x:1:1", "x:1:2", "x:2:3", "x:2:4"]);
        assert_eq!(place(6), "x:2:3", "an offset inside a character is that character");
        assert_eq!(place(99), "x:2:5", "offsets after the end are the end");
    }

    #[test]
    fn a_column_in_a_long_line_counts_characters_of_any_length() {
        let text = format!("x\n{}", "aé\u{1F600}".repeat(500));
        let source = SourceText::new("x", text.clone());
        for (index, (offset, _)) in text.char_indices().enumerate().skip(2) {
            assert_eq!(source.place(offset).column, index - 1);
        }
    }

    #[test]
    fn a_cut_out_text_keeps_the_places_of_the_longer_text() {
        let source = SourceText::new("x", "ab\ncd").starting_at(10, 5);
        assert_eq!(source.place(1).to_string(), "x:10:6");
        assert_eq!(source.place(4).to_string(), "x:11:2");
    }

    #[test]
    fn a_normalised_text_has_one_kind_of_line_end_and_no_mark() {
        let source = SourceText::new("x", "\u{feff}a\r\nb\rc").starting_at(7, 1).normalised();
        assert_eq!(source.text(), "a\nb\nc");
        assert_eq!(source.place(2).to_string(), "x:8:1");
    }
}
