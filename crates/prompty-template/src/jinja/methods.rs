//! The methods of Python's strings, and filters that both engines have.
//!
//! The functions do not depend on an engine. They return slices or iterators, so that the caller
//! can count the work before a result is built. Each reads the text once, and a searched substring
//! once more.

use super::dialect::is_python_space;
use prompty_core::text::CharacterSet;

/// The sides of a text that are stripped or filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Side {
    /// The beginning of the text.
    Left,
    /// The end of the text.
    Right,
    /// Both sides.
    Both,
}

/// The direction in which a text is split or searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Direction {
    /// From the beginning: `split`.
    Forwards,
    /// From the end: `rsplit`. The last piece is returned first.
    Backwards,
}

/// `strip`, `lstrip` and `rstrip`: removes white space, or the given characters, at the ends of a
/// text.
///
/// ```
/// use prompty_template::jinja::methods::{Side, strip};
/// use prompty_core::text::CharacterSet;
///
/// assert_eq!(strip("  a ", None, Side::Left), "a ");
/// assert_eq!(strip("--a-", Some(&CharacterSet::new("-")), Side::Both), "a");
/// ```
#[must_use]
pub fn strip<'t>(text: &'t str, characters: Option<&CharacterSet>, side: Side) -> &'t str {
    let is_stripped = |character: char| match characters {
        None => is_python_space(character),
        Some(set) => set.contains(character),
    };
    let text = if side == Side::Right { text } else { text.trim_start_matches(is_stripped) };
    if side == Side::Left { text } else { text.trim_end_matches(is_stripped) }
}

/// `split` and `rsplit`: the pieces of a text between separators, or its words without a separator.
///
/// ```
/// use prompty_template::jinja::methods::{Direction, Pieces};
///
/// let words: Vec<&str> = Pieces::new(" a  b c ", None, Some(1), Direction::Forwards).collect();
/// assert_eq!(words, ["a", "b c "]);
/// ```
#[derive(Debug, Clone)]
pub struct Pieces<'t>(PieceIterator<'t>);

/// The iterator for each way to split a text.
#[derive(Debug, Clone)]
enum PieceIterator<'t> {
    Words(Words<'t>),
    Forwards(std::str::SplitN<'t, &'t str>),
    Backwards(std::str::RSplitN<'t, &'t str>),
}

impl<'t> Pieces<'t> {
    /// Splits a text, with at most `cuts` cuts. The separator must not be empty.
    #[must_use]
    pub fn new(
        text: &'t str,
        separator: Option<&'t str>,
        cuts: Option<usize>,
        direction: Direction,
    ) -> Self {
        let cuts = cuts.unwrap_or(usize::MAX);
        let pieces = cuts.saturating_add(1);
        Self(match (separator, direction) {
            (None, _) => PieceIterator::Words(Words { rest: text, left: cuts, direction }),
            (Some(separator), Direction::Forwards) => {
                PieceIterator::Forwards(text.splitn(pieces, separator))
            }
            (Some(separator), Direction::Backwards) => {
                PieceIterator::Backwards(text.rsplitn(pieces, separator))
            }
        })
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        match &mut self.0 {
            PieceIterator::Words(words) => words.next(),
            PieceIterator::Forwards(pieces) => pieces.next(),
            PieceIterator::Backwards(pieces) => pieces.next(),
        }
    }
}

/// The words of a text, with at most `left` cuts. The text after the last cut is unchanged.
#[derive(Debug, Clone)]
struct Words<'t> {
    rest: &'t str,
    /// The number of cuts that are left.
    left: usize,
    direction: Direction,
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let backwards = self.direction == Direction::Backwards;
        let rest = match backwards {
            true => self.rest.trim_end_matches(is_python_space),
            false => self.rest.trim_start_matches(is_python_space),
        };
        if rest.is_empty() {
            return None;
        }
        let cut = match backwards {
            _ if self.left == 0 => None,
            true => rest.rsplit_once(is_python_space).map(|(before, word)| (word, before)),
            false => rest.split_once(is_python_space),
        };
        let Some((word, rest)) = cut else {
            self.rest = "";
            return Some(rest);
        };
        self.left -= 1;
        self.rest = rest;
        Some(word)
    }
}

/// The lines of a text, as `splitlines` splits them.
///
/// ```
/// use prompty_template::jinja::methods::lines;
///
/// assert_eq!(lines("a\r\nb\n", false).collect::<Vec<_>>(), ["a", "b"]);
/// assert_eq!(lines("a\r\nb", true).collect::<Vec<_>>(), ["a\r\n", "b"]);
/// ```
#[expect(clippy::string_slice, reason = "`find` returns the start of a line end")]
pub fn lines(text: &str, keeps_ends: bool) -> impl Iterator<Item = &str> + Clone {
    let is_end = |c: char| {
        matches!(
            c,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'
                ..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(at) = rest.find(is_end) else { return Some(std::mem::take(&mut rest)) };
        let end = &rest[at..];
        let length = match end.starts_with("\r\n") {
            true => 2,
            false => end.chars().next().map_or(1, char::len_utf8),
        };
        let line = &rest[..if keeps_ends { at + length } else { at }];
        rest = &rest[at + length..];
        Some(line)
    })
}

/// `partition` and `rpartition`: the text before a separator, the separator, and the text after it.
/// The separator must not be empty.
///
/// ```
/// use prompty_template::jinja::methods::{Direction, partition};
///
/// assert_eq!(partition("a.b.c", ".", Direction::Backwards), ["a.b", ".", "c"]);
/// assert_eq!(partition("abc", ".", Direction::Forwards), ["abc", "", ""]);
/// ```
#[must_use]
pub fn partition<'t>(text: &'t str, separator: &'t str, direction: Direction) -> [&'t str; 3] {
    let cut = match direction {
        Direction::Forwards => text.split_once(separator),
        Direction::Backwards => text.rsplit_once(separator),
    };
    match (cut, direction) {
        (Some((before, after)), _) => [before, separator, after],
        (None, Direction::Forwards) => [text, "", ""],
        (None, Direction::Backwards) => ["", "", text],
    }
}

/// `find` and `rfind`: the index of a substring in characters.
///
/// ```
/// use prompty_template::jinja::methods::{Direction, find};
///
/// assert_eq!(find("éaa", "a", Direction::Forwards), Some(1));
/// assert_eq!(find("éaa", "a", Direction::Backwards), Some(2));
/// ```
#[must_use]
pub fn find(text: &str, part: &str, direction: Direction) -> Option<usize> {
    let cut = match direction {
        Direction::Forwards => text.split_once(part),
        Direction::Backwards => text.rsplit_once(part),
    };
    cut.map(|(before, _)| before.chars().count())
}

/// The substring between two indices in characters, after the index of its start. A negative index
/// counts from the end. `None` if the start is after the stop or the end of the text: there, Python
/// does not even find an empty string.
///
/// ```
/// use prompty_template::jinja::methods::between;
///
/// assert_eq!(between("grüß", Some(1), Some(-1)), Some((1, "rü")));
/// assert_eq!(between("grüß", Some(4), Some(9)), Some((4, "")));
/// assert_eq!(between("grüß", Some(5), None), None);
/// ```
#[must_use]
pub fn between(text: &str, start: Option<i128>, stop: Option<i128>) -> Option<(usize, &str)> {
    if start.is_none() && stop.is_none() {
        return Some((0, text));
    }
    let count = text.chars().count();
    let length = i128::try_from(count).unwrap_or(i128::MAX);
    let place = |bound: i128| {
        let bound = if bound < 0 { bound.saturating_add(length) } else { bound };
        usize::try_from(bound.max(0)).unwrap_or(usize::MAX)
    };
    let (start, stop) = (place(start.unwrap_or(0)), place(stop.unwrap_or(length)).min(count));
    if start > stop {
        return None;
    }
    let byte = |place: usize| text.char_indices().nth(place).map_or(text.len(), |(at, _)| at);
    #[expect(clippy::string_slice, reason = "`char_indices` returns both positions")]
    let between = &text[byte(start)..byte(stop)];
    Some((start, between))
}

/// The filter `truncate`: the beginning of a text that is kept before `end`. Together they have at
/// most `length` characters. `None` if the text is not longer than the length and the leeway.
///
/// ```
/// use prompty_template::jinja::methods::{Truncation, truncated};
///
/// let truncation = Truncation { length: 9, end: "...", leeway: 0, cut: Default::default() };
/// assert_eq!(truncated("one two three", &truncation), Some("one"));
/// ```
#[must_use]
pub fn truncated<'t>(text: &'t str, truncation: &Truncation<'_>) -> Option<&'t str> {
    let Truncation { length, end, leeway, cut } = *truncation;
    text.chars().nth(length.saturating_add(leeway))?;
    let kept = length.saturating_sub(end.chars().count());
    let at = text.char_indices().nth(kept).map_or(text.len(), |(at, _)| at);
    #[expect(clippy::string_slice, reason = "`char_indices` returns the position")]
    let kept = &text[..at];
    match cut {
        TruncationCut::AfterWord => Some(kept.rsplit_once(' ').map_or(kept, |(words, _)| words)),
        TruncationCut::Anywhere => Some(kept),
    }
}

/// The options of the filter `truncate`.
#[derive(Debug, Clone, Copy)]
pub struct Truncation<'e> {
    /// The maximum number of characters, including `end`.
    pub length: usize,
    /// The text that replaces the removed end.
    pub end: &'e str,
    /// The number of characters above `length` that do not cause truncation.
    pub leeway: usize,
    /// The position of the cut.
    pub cut: TruncationCut,
}

/// The position at which `truncate` cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TruncationCut {
    /// After the last complete word.
    #[default]
    AfterWord,
    /// At the length, even inside a word.
    Anywhere,
}

/// The number of fill characters on the left and on the right of a text that is padded to a width.
/// `Both` centers the text. Like Python, it puts an odd character on the left if the width is odd.
///
/// ```
/// use prompty_template::jinja::methods::{Side, fillers};
///
/// assert_eq!(fillers("ab", 5, Side::Both), (2, 1));
/// assert_eq!(fillers("ab", 5, Side::Left), (3, 0));
/// ```
#[must_use]
pub fn fillers(text: &str, width: usize, side: Side) -> (usize, usize) {
    let missing = width.saturating_sub(text.chars().count());
    let left = match side {
        Side::Left => missing,
        Side::Right => 0,
        Side::Both => missing / 2 + (missing & width & 1),
    };
    (left, missing - left)
}

/// `zfill`: the sign of a number, the number of zeros after it, and its digits.
///
/// ```
/// assert_eq!(prompty_template::jinja::methods::zeros("-7", 4), ("-", 2, "7"));
/// ```
#[must_use]
pub fn zeros(text: &str, width: usize) -> (&str, usize, &str) {
    let sign = usize::from(text.starts_with(['-', '+']));
    let (sign, digits) = text.split_at_checked(sign).unwrap_or(("", text));
    (sign, width.saturating_sub(sign.len() + digits.chars().count()), digits)
}

/// A piece of a text with expanded tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpandedPiece {
    /// An unchanged character.
    Character(char),
    /// This number of spaces.
    Spaces(usize),
}

/// `expandtabs`: replaces each tab with spaces up to the next multiple of `width`.
///
/// ```
/// use prompty_template::jinja::methods::{ExpandedPiece, expanded};
///
/// let pieces: Vec<ExpandedPiece> = expanded("a\t", 4).collect();
/// assert_eq!(pieces, [ExpandedPiece::Character('a'), ExpandedPiece::Spaces(3)]);
/// ```
pub fn expanded(text: &str, width: usize) -> impl Iterator<Item = ExpandedPiece> + Clone {
    let mut column = 0_usize;
    text.chars().map(move |character| match character {
        '\t' => {
            let spaces = column.checked_rem(width).map_or(0, |over| width - over);
            column += spaces;
            ExpandedPiece::Spaces(spaces)
        }
        '\n' | '\r' => {
            column = 0;
            ExpandedPiece::Character(character)
        }
        _ => {
            column += 1;
            ExpandedPiece::Character(character)
        }
    })
}

/// `title`: each word with its first letter in upper case. `ends` returns whether a character ends
/// a word.
///
/// ```
/// use prompty_template::jinja::methods::{is_not_letter, titled};
///
/// assert_eq!(titled("o'neill and SON", is_not_letter).collect::<String>(), "O'Neill And Son");
/// ```
pub fn titled(text: &str, ends: fn(char) -> bool) -> impl Iterator<Item = char> + Clone {
    let mut begins = true;
    text.chars().flat_map(move |character| {
        let (upper, lower) = match begins {
            true => (Some(character.to_uppercase()), None),
            false => (None, Some(character.to_lowercase())),
        };
        begins = ends(character);
        upper.into_iter().flatten().chain(lower.into_iter().flatten())
    })
}

/// Whether a character ends a word for `title`.
#[must_use]
pub fn is_not_letter(character: char) -> bool {
    !character.is_alphabetic()
}

/// `capitalize`: the first character in upper case, the others in lower case.
///
/// ```
/// assert_eq!(prompty_template::jinja::methods::capitalized("hELLO"), "Hello");
/// ```
#[must_use]
pub fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    let mut capitalized = String::with_capacity(text.len());
    if let Some(first) = characters.next() {
        capitalized.extend(first.to_uppercase());
    }
    capitalized.push_str(&characters.as_str().to_lowercase());
    capitalized
}

/// `casefold`: the characters for a comparison without regard to case. Each is converted to upper
/// case and then to lower case. Cherokee letters stay in upper case, and the dotless i is
/// unchanged.
///
/// ```
/// assert_eq!(prompty_template::jinja::methods::folded("Straße").collect::<String>(), "strasse");
/// ```
pub fn folded(text: &str) -> impl Iterator<Item = char> + Clone {
    text.chars().flat_map(|character| {
        let is_dotless = character == 'ı';
        let stays_upper = matches!(character, '\u{13a0}'..='\u{13fd}' | '\u{ab70}'..='\u{abbf}');
        let upper = (!is_dotless).then(|| character.to_uppercase());
        let lower = move |letter: char| {
            let kept = stays_upper.then_some(letter);
            let lowered = (!stays_upper).then(|| letter.to_lowercase());
            kept.into_iter().chain(lowered.into_iter().flatten())
        };
        is_dotless
            .then_some(character)
            .into_iter()
            .chain(upper.into_iter().flatten().flat_map(lower))
    })
}

/// `swapcase`: each letter in the opposite case.
///
/// ```
/// assert_eq!(prompty_template::jinja::methods::swapped("aB"), "Ab");
/// ```
#[must_use]
pub fn swapped(text: &str) -> String {
    let mut swapped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_uppercase() {
            swapped.extend(character.to_lowercase());
        } else {
            swapped.extend(character.to_uppercase());
        }
    }
    swapped
}

/// Evaluates a method that tests a text, such as `isdigit`. `None` if it is not such a method.
///
/// ```
/// use prompty_template::jinja::methods::is;
///
/// assert_eq!(is("isdigit", "12"), Some(true));
/// assert_eq!(is("isupper", "aB"), Some(false));
/// assert_eq!(is("upper", "aB"), None);
/// ```
#[must_use]
pub fn is(method: &str, text: &str) -> Option<bool> {
    Some(match method {
        "isalnum" => all(text, char::is_alphanumeric),
        "isalpha" => all(text, char::is_alphabetic),
        "isascii" => text.is_ascii(),
        "isdecimal" | "isdigit" | "isnumeric" => all(text, char::is_numeric),
        "isidentifier" => {
            let is_part = |c: char| c == '_' || c.is_alphanumeric();
            let begins = text.starts_with(|c: char| c == '_' || c.is_alphabetic());
            begins && text.chars().all(is_part)
        }
        "islower" => is_lower(text),
        "isupper" => is_upper(text),
        "isprintable" => !text.chars().any(char::is_control),
        "isspace" => all(text, is_python_space),
        "istitle" => {
            let is_title = titled(text, is_not_letter).eq(text.chars());
            is_title && text.chars().any(|c| c.is_uppercase() || c.is_lowercase())
        }
        _ => return None,
    })
}

fn all(text: &str, holds: fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(holds)
}

/// Whether a text has letters in lower case, and none in upper case.
#[must_use]
pub fn is_lower(text: &str) -> bool {
    text.chars().any(char::is_lowercase) && !text.chars().any(char::is_uppercase)
}

/// Whether a text has letters in upper case, and none in lower case.
#[must_use]
pub fn is_upper(text: &str) -> bool {
    text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase)
}
