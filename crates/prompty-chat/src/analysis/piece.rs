//! Compares outputs: the parts that two texts have in common, and the texts between words.
//!
//! A marker is `<...>` or `[...]`. In this module, the name of a function ends with `_len` if it
//! returns a number of bytes, and with `_start` or `_end` if it returns an offset in the piece, in
//! bytes. Functions whose name begins with `strip_trimmed` ignore white space around both texts.

use prompty_core::value::Value;
use prompty_core::value::internal::json;
use prompty_core::work::add_steps;

/// The maximum number of bytes of a marker.
const LONGEST_MARKER: usize = 200;

/// A part of an output. It keeps the text around it, so that comparisons do not divide a marker.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'t> {
    /// The complete output.
    all: &'t str,
    /// The start of the piece in `all`, in bytes.
    start: usize,
    end: usize,
}

impl AsRef<str> for Piece<'_> {
    fn as_ref(&self) -> &str {
        self.text()
    }
}

impl<'t> Piece<'t> {
    /// A complete render.
    pub(super) fn new(all: &'t str) -> Self {
        Self { all, start: 0, end: all.len() }
    }

    #[expect(clippy::string_slice, reason = "`floor_char_boundary` gives places in the text")]
    pub(super) fn text(self) -> &'t str {
        // An offset may have been counted in another piece, and divide a character here.
        let Self { all, start, end } = self;
        &all[all.floor_char_boundary(start)..all.floor_char_boundary(end)]
    }

    pub(super) fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether the piece contains only white space.
    pub(super) fn is_blank(self) -> bool {
        self.text().trim().is_empty()
    }

    /// The piece from an offset on.
    pub(super) fn from(self, at: usize) -> Self {
        Self { start: (self.start + at).min(self.end), ..self }
    }

    /// The piece up to an offset.
    pub(super) fn to(self, at: usize) -> Self {
        Self { end: (self.start + at).min(self.end), ..self }
    }

    /// The piece without a number of bytes at its end.
    pub(super) fn without_last(self, bytes: usize) -> Self {
        self.to(self.len().saturating_sub(bytes))
    }

    /// The offset of the first occurrence of a text.
    pub(super) fn find(self, text: &str) -> Option<usize> {
        let found = self.text().find(text);
        add_steps(found.unwrap_or(self.len()));
        found
    }

    pub(super) fn contains(self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// The part before the first occurrence of a text.
    pub(super) fn before(self, text: &str) -> Option<Self> {
        self.find(text).map(|at| self.to(at))
    }

    /// The part after the first occurrence of a text.
    pub(super) fn after(self, text: &str) -> Option<Self> {
        self.find(text).map(|at| self.from(at + text.len()))
    }

    /// The parts before and after the first occurrence of a text.
    pub(super) fn split_once(self, text: &str) -> Option<(Self, Self)> {
        self.find(text).map(|at| (self.to(at), self.from(at + text.len())))
    }

    /// The part after the last occurrence of a text.
    pub(super) fn after_last(self, text: &str) -> Option<Self> {
        self.text().rfind(text).map(|at| self.from(at + text.len()))
    }

    /// The part between a text and the next occurrence of another.
    pub(super) fn between(self, from: &str, to: &str) -> Option<Self> {
        self.after(from)?.before(to)
    }

    pub(super) fn trim_start(self) -> Self {
        self.from(self.len() - self.text().trim_start().len())
    }

    pub(super) fn trim_end(self) -> Self {
        self.to(self.text().trim_end().len())
    }

    /// If the piece starts with a text, apart from white space: the piece after it.
    pub(super) fn strip_trimmed_prefix(self, text: &str) -> Option<Self> {
        let (piece, text) = (self.trim_start(), text.trim());
        (!text.is_empty() && piece.text().starts_with(text)).then(|| piece.from(text.len()))
    }

    /// If the piece ends with a text, apart from white space: the piece before it.
    pub(super) fn strip_trimmed_suffix(self, text: &str) -> Option<Self> {
        let (piece, text) = (self.trim_end(), text.trim());
        (!text.is_empty() && piece.text().ends_with(text)).then(|| piece.without_last(text.len()))
    }

    /// The length of the common start of two pieces, without dividing a marker: 3 for `<a><b>` and
    /// `<a><c>`.
    pub(super) fn common_start_len(self, other: Piece<'_>) -> usize {
        let mut shared = same_len(self.text().chars(), other.text().chars());
        add_steps(shared);
        while shared > 0 && (self.divides_marker(shared) || other.divides_marker(shared)) {
            let last = self.to(shared).text().chars().next_back();
            shared -= last.map_or(shared, char::len_utf8);
        }
        shared
    }

    /// The length of the common end of two pieces, without dividing a marker.
    pub(super) fn common_end_len(self, other: Piece<'_>) -> usize {
        let mut shared = same_len(self.text().chars().rev(), other.text().chars().rev());
        add_steps(shared);
        let divides = |piece: Piece<'_>, shared: usize| piece.divides_marker(piece.len() - shared);
        while shared > 0 && (divides(self, shared) || divides(other, shared)) {
            let first = self.from(self.len() - shared).text().chars().next();
            shared -= first.map_or(shared, char::len_utf8);
        }
        shared
    }

    /// The start that two pieces have in common.
    pub(super) fn common_start(self, other: Piece<'_>) -> Self {
        self.to(self.common_start_len(other))
    }

    /// The end that two pieces have in common.
    pub(super) fn common_end(self, other: Piece<'_>) -> Self {
        self.from(self.len() - self.common_end_len(other))
    }

    /// Whether an offset within the piece divides a marker or a word.
    fn divides_marker(self, at: usize) -> bool {
        at != 0 && at != self.len() && is_inside_marker(self.all, self.start + at)
    }

    /// The start of a marker that is still open at the end of the piece, such as `<function=`.
    pub(super) fn open_marker_start(self) -> Option<usize> {
        let at = self.text().rfind(['<', '>'])?;
        let open = self.text().get(at..)?;
        (open.starts_with('<') && !open.contains('\n')).then_some(at)
    }

    /// The start of the last marker, if the piece ends with one: 1 in `a<b> `.
    pub(super) fn last_marker_start(self) -> Option<usize> {
        let text = self.text().trim_end();
        let opener = match text.chars().next_back()? {
            '>' => '<',
            ']' => '[',
            _ => return None,
        };
        text.rfind(opener)
    }

    /// The end of the first marker, if the piece begins with one: 4 in ` <b>a`.
    pub(super) fn first_marker_end(self) -> Option<usize> {
        let text = self.text();
        let blank = text.len() - text.trim_start().len();
        let closer = match text.trim_start().chars().next()? {
            '<' => '>',
            '[' => ']',
            _ => return None,
        };
        text.get(blank..)?.find(closer).map(|at| blank + at + 1)
    }
}

/// The length in bytes of the characters that two texts begin with, until they differ.
pub(super) fn same_len(
    one: impl Iterator<Item = char>,
    other: impl Iterator<Item = char>,
) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// Whether an offset is inside a word, a `<marker>` or a `[MARKER]`, or inside a character.
fn is_inside_marker(all: &str, at: usize) -> bool {
    add_steps(LONGEST_MARKER);
    let (Some(before), Some(after)) = (all.get(..at), all.get(at..)) else { return true };
    let is_of_word =
        |character: Option<char>| character.is_some_and(|it| it.is_alphanumeric() || it == '_');
    if is_of_word(before.chars().next_back()) && is_of_word(after.chars().next()) {
        return true;
    }
    // `<` is the next angle bracket before the offset, and `>` the next after it, in the same line.
    let is_angle = |character: &char| matches!(character, '<' | '>');
    let mut backwards = before.char_indices().rev().take_while(|(index, character)| {
        *character != '\n' && before.len() - index < LONGEST_MARKER
    });
    let opener = backwards.find(|(_, character)| is_angle(character));
    let mut forwards = after.chars().take_while(|it| *it != '\n').take(LONGEST_MARKER);
    if opener.is_some_and(|it| it.1 == '<') && forwards.find(is_angle) == Some('>') {
        return true;
    }
    let is_sign = |it: &char| !it.is_alphanumeric() && !matches!(it, '_' | '/');
    before.chars().rev().take(LONGEST_MARKER).find(is_sign) == Some('[')
        && after.chars().take(LONGEST_MARKER).find(is_sign) == Some(']')
}

/// The maximum number of positions of a text at which JSON is searched for.
pub(super) const MOST_STARTS: usize = 64;

/// The JSON value at the start of a text, and its length.
pub(super) fn leading_json(text: &str) -> Option<(Value, usize)> {
    let (value, end) = json::read_prefix(text).ok()?;
    let is_closed = matches!(value, Value::Array(_) | Value::Object(_) | Value::String(_));
    let may_follow = |next: char| next.is_ascii_whitespace() || "\"[]{},:".contains(next);
    // A number or a word directly before markup is text in tags, not JSON.
    let is_complete = is_closed || text.get(end..)?.chars().next().is_none_or(may_follow);
    is_complete.then_some((value, end))
}

/// Whether a value contains a string anywhere, as a key or as a value.
pub(super) fn contains_text(value: &Value, text: &str) -> bool {
    match value {
        Value::String(it) => &**it == text,
        Value::Array(items) => items.iter().any(|item| contains_text(item, text)),
        Value::Object(map) => {
            map.iter().any(|(key, item)| key == text || contains_text(item, text))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common_end(a: &str, b: &str) -> String {
        let piece = Piece::new(a);
        piece.common_end(Piece::new(b)).text().to_owned()
    }

    #[test]
    fn a_common_end_begins_where_a_marker_begins() {
        assert_eq!(common_end("x<|a_end|><|end|>", "y<|b_fin|><|end|>"), "<|end|>");
        assert_eq!(common_end("one[/CALL]", "two[/BALL]"), "");
        assert_eq!(common_end("n>\n<p=", "v</p>\n<p="), "\n<p=");
    }

    #[test]
    fn a_common_start_ends_where_a_marker_ends() {
        let (a, b) = (Piece::new("</f>\n</call>\n<call>"), Piece::new("</f>\n</call></all>"));
        assert_eq!(a.common_start(b).text(), "</f>\n</call>");
        let (a, b) = (Piece::new("<t> one"), Piece::new("<t> other"));
        assert_eq!(a.common_start(b).text(), "<t> ");
    }

    #[test]
    fn a_marker_around_a_name_is_open_before_it() {
        assert_eq!(Piece::new("<call>\n<f=").open_marker_start(), Some(7));
        assert_eq!(Piece::new("<call>\n").open_marker_start(), None);
    }
}
