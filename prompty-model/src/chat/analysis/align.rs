//! Where texts agree: what the analysis takes renders apart with.

use prompty_core::value::Value;
use prompty_core::value::internal::json;

/// How far a marker may reach, in bytes.
const LONGEST_MARKER: usize = 200;

/// A part of a render that knows what stands around it, so that a cut never goes through a marker.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'t> {
    all: &'t str,
    start: usize,
    end: usize,
}

impl<'t> Piece<'t> {
    /// A render as a whole.
    pub(super) fn whole(all: &'t str) -> Self {
        Self { all, start: 0, end: all.len() }
    }

    pub(super) fn text(self) -> &'t str {
        self.all.get(self.start..self.end).unwrap_or_default()
    }

    pub(super) fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether it holds nothing but white space.
    pub(super) fn is_blank(self) -> bool {
        self.text().trim().is_empty()
    }

    /// The piece from a position on.
    pub(super) fn from(self, at: usize) -> Self {
        Self { start: (self.start + at).min(self.end), ..self }
    }

    /// The piece up to a position.
    pub(super) fn to(self, at: usize) -> Self {
        Self { end: (self.start + at).min(self.end), ..self }
    }

    /// The piece without so many bytes at its end.
    pub(super) fn without_end(self, bytes: usize) -> Self {
        self.to(self.len().saturating_sub(bytes))
    }

    /// Where a text first stands.
    pub(super) fn find(self, text: &str) -> Option<usize> {
        self.text().find(text)
    }

    pub(super) fn contains(self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// What stands in front of the first place of a text.
    pub(super) fn before(self, text: &str) -> Option<Self> {
        self.find(text).map(|at| self.to(at))
    }

    /// What stands behind the first place of a text.
    pub(super) fn after(self, text: &str) -> Option<Self> {
        self.find(text).map(|at| self.from(at + text.len()))
    }

    /// What stands behind the last place of a text.
    pub(super) fn after_last(self, text: &str) -> Option<Self> {
        self.text().rfind(text).map(|at| self.from(at + text.len()))
    }

    /// What stands between a text and the next place of another.
    pub(super) fn between(self, from: &str, to: &str) -> Option<Self> {
        self.after(from)?.before(to)
    }

    pub(super) fn trim_start(self) -> Self {
        self.from(self.len() - self.text().trim_start().len())
    }

    pub(super) fn trim_end(self) -> Self {
        self.to(self.text().trim_end().len())
    }

    /// Without a text in front, and the white space before it.
    pub(super) fn without_start_of(self, text: &str) -> Option<Self> {
        let (piece, text) = (self.trim_start(), text.trim());
        (!text.is_empty() && piece.text().starts_with(text)).then(|| piece.from(text.len()))
    }

    /// Without a text at the end, and the white space behind it.
    pub(super) fn without_end_of(self, text: &str) -> Option<Self> {
        let (piece, text) = (self.trim_end(), text.trim());
        (!text.is_empty() && piece.text().ends_with(text)).then(|| piece.without_end(text.len()))
    }

    /// How many bytes two pieces begin with in common, up to where no marker is cut.
    pub(super) fn shared_start(self, other: Piece<'_>) -> usize {
        let pairs = self.text().chars().zip(other.text().chars());
        let mut shared: usize = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        while shared > 0 && (self.cuts(shared) || other.cuts(shared)) {
            let shorter = self.text().get(..shared).unwrap_or_default();
            shared -= shorter.chars().next_back().map_or(shared, char::len_utf8);
        }
        shared
    }

    /// How many bytes two pieces end with in common, up to where no marker is cut.
    pub(super) fn shared_end(self, other: Piece<'_>) -> usize {
        let pairs = self.text().chars().rev().zip(other.text().chars().rev());
        let mut shared: usize = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        let start = |piece: Piece<'_>, shared: usize| piece.len() - shared;
        while shared > 0 && (self.cuts(start(self, shared)) || other.cuts(start(other, shared))) {
            let shorter = self.text().get(start(self, shared)..).unwrap_or_default();
            shared -= shorter.chars().next().map_or(shared, char::len_utf8);
        }
        shared
    }

    /// The part that two pieces begin with in common.
    pub(super) fn common_start(self, other: Piece<'_>) -> Self {
        self.to(self.shared_start(other))
    }

    /// The part that two pieces end with in common.
    pub(super) fn common_end(self, other: Piece<'_>) -> Self {
        self.from(self.len() - self.shared_end(other))
    }

    /// Whether a cut within the piece goes through a marker or a word.
    fn cuts(self, at: usize) -> bool {
        at != 0 && at != self.len() && within(self.all, self.start + at)
    }

    /// Where the marker begins that is still open at the end of the piece, as `<function=` is.
    pub(super) fn open_marker(self) -> Option<usize> {
        let at = self.text().rfind(['<', '>'])?;
        let open = self.text().get(at..)?;
        (open.starts_with('<') && !open.contains('\n')).then_some(at)
    }

    /// Where the last whole marker begins, if the piece ends with one.
    pub(super) fn last_marker(self) -> Option<usize> {
        let text = self.text().trim_end();
        let opener = match text.chars().next_back()? {
            '>' => '<',
            ']' => '[',
            _ => return None,
        };
        text.rfind(opener)
    }

    /// Where the first whole marker ends, if the piece begins with one.
    pub(super) fn first_marker(self) -> Option<usize> {
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

/// Whether a position lies inside a word, a `<marker>` or a `[MARKER]`.
fn within(all: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (all.get(..at), all.get(at..)) else { return true };
    let word = |letter: Option<char>| letter.is_some_and(|it| it.is_alphanumeric() || it == '_');
    if word(before.chars().next_back()) && word(after.chars().next()) {
        return true;
    }
    let opener = before
        .char_indices()
        .rev()
        .take_while(|(index, letter)| *letter != '\n' && before.len() - index < LONGEST_MARKER);
    let angle = opener.map(|(_, letter)| letter).find(|letter| matches!(letter, '<' | '>'));
    let mut until = after.chars().take_while(|letter| *letter != '\n').take(LONGEST_MARKER);
    if angle == Some('<') && until.find(|it| matches!(it, '<' | '>')) == Some('>') {
        return true;
    }
    let plain = |letter: &char| letter.is_alphanumeric() || matches!(letter, '_' | '/');
    before.chars().rev().take(LONGEST_MARKER).find(|letter| !plain(letter)) == Some('[')
        && after.chars().take(LONGEST_MARKER).find(|letter| !plain(letter)) == Some(']')
}

/// In how many places of a text JSON is looked for.
pub(super) const MOST_STARTS: usize = 64;

/// The JSON value that a text begins with, and where it ends.
pub(super) fn json_at(text: &str) -> Option<(Value, usize)> {
    let (value, end) = json::read_prefix(text).ok()?;
    let is_closed = matches!(value, Value::Array(_) | Value::Object(_) | Value::String(_));
    let may_follow = |next: char| next.is_ascii_whitespace() || "\"[]{},:".contains(next);
    // Markup right behind a number or a word is none of JSON's: they are a text in tags.
    let is_whole = is_closed || text.get(end..)?.chars().next().is_none_or(may_follow);
    is_whole.then_some((value, end))
}

/// Whether a value holds a text anywhere, as a key or as a value.
pub(super) fn holds(value: &Value, text: &str) -> bool {
    match value {
        Value::String(it) => &**it == text,
        Value::Array(items) => items.iter().any(|item| holds(item, text)),
        Value::Object(map) => map.iter().any(|(key, item)| key == text || holds(item, text)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared_end(a: &str, b: &str) -> String {
        let piece = Piece::whole(a);
        piece.common_end(Piece::whole(b)).text().to_owned()
    }

    #[test]
    fn a_common_end_begins_where_a_marker_begins() {
        assert_eq!(shared_end("x<|a_end|><|end|>", "y<|b_fin|><|end|>"), "<|end|>");
        assert_eq!(shared_end("one[/CALL]", "two[/BALL]"), "");
        assert_eq!(shared_end("n>\n<p=", "v</p>\n<p="), "\n<p=");
    }

    #[test]
    fn a_common_start_ends_where_a_marker_ends() {
        let (a, b) = (Piece::whole("</f>\n</call>\n<call>"), Piece::whole("</f>\n</call></all>"));
        assert_eq!(a.common_start(b).text(), "</f>\n</call>");
        let (a, b) = (Piece::whole("<t> one"), Piece::whole("<t> other"));
        assert_eq!(a.common_start(b).text(), "<t> ");
    }

    #[test]
    fn a_marker_around_a_name_is_open_in_front_of_it() {
        assert_eq!(Piece::whole("<call>\n<f=").open_marker(), Some(7));
        assert_eq!(Piece::whole("<call>\n").open_marker(), None);
    }
}
