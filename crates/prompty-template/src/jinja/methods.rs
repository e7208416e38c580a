//! What the methods of Python's texts do, and filters that both engines have. No engine is known here: each function takes texts and gives
//! pieces of them, or what is to be written, so that whoever calls it can pay before anything is built.
//! All of them read the text once, and a part that they look for once more.

use super::dialect::is_python_space;
use prompty_core::text::CharacterSet;

/// Which sides of a text are stripped or filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Side {
    /// Where the text begins.
    Left,
    /// Where it ends.
    Right,
    /// Both.
    Both,
}

/// From which end a text is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Direction {
    /// From its beginning: `split`.
    Forwards,
    /// From its end: `rsplit`. The pieces come last first.
    Backwards,
}

/// `strip`, `lstrip` and `rstrip`: a text without white space, or without these characters, at its ends.
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
    let is_taken = |character: char| match characters {
        None => is_python_space(character),
        Some(set) => set.contains(character),
    };
    let text = if side == Side::Right { text } else { text.trim_start_matches(is_taken) };
    if side == Side::Left { text } else { text.trim_end_matches(is_taken) }
}

/// `split` and `rsplit`: the pieces of a text between separators, or else its words.
///
/// ```
/// use prompty_template::jinja::methods::{Direction, Pieces};
///
/// let words: Vec<&str> = Pieces::new(" a  b c ", None, Some(1), Direction::Forwards).collect();
/// assert_eq!(words, ["a", "b c "]);
/// ```
#[derive(Debug, Clone)]
pub struct Pieces<'t>(Cut<'t>);

#[derive(Debug, Clone)]
enum Cut<'t> {
    Words(Words<'t>),
    Forwards(std::str::SplitN<'t, &'t str>),
    Backwards(std::str::RSplitN<'t, &'t str>),
}

impl<'t> Pieces<'t> {
    /// The pieces of a text, with at most so many cuts. A separator must not be empty.
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
            (None, _) => Cut::Words(Words { rest: text, left: cuts, direction }),
            (Some(separator), Direction::Forwards) => Cut::Forwards(text.splitn(pieces, separator)),
            (Some(separator), Direction::Backwards) => {
                Cut::Backwards(text.rsplitn(pieces, separator))
            }
        })
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        match &mut self.0 {
            Cut::Words(words) => words.next(),
            Cut::Forwards(pieces) => pieces.next(),
            Cut::Backwards(pieces) => pieces.next(),
        }
    }
}

/// The words of a text, with at most so many cuts. What is left behind the last cut stays as it is.
#[derive(Debug, Clone)]
struct Words<'t> {
    rest: &'t str,
    /// How many cuts are left.
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

/// The lines of a text, as `splitlines` cuts them.
///
/// ```
/// use prompty_template::jinja::methods::lines;
///
/// assert_eq!(lines("a\r\nb\n", false).collect::<Vec<_>>(), ["a", "b"]);
/// assert_eq!(lines("a\r\nb", true).collect::<Vec<_>>(), ["a\r\n", "b"]);
/// ```
#[expect(clippy::string_slice, reason = "`find` gives where a line's end begins")]
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
        let behind = &rest[at..];
        let length = match behind.starts_with("\r\n") {
            true => 2,
            false => behind.chars().next().map_or(1, char::len_utf8),
        };
        let line = &rest[..if keeps_ends { at + length } else { at }];
        rest = &rest[at + length..];
        Some(line)
    })
}

/// `partition` and `rpartition`: what stands before a separator, the separator, and what stands behind.
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
        (Some((before, behind)), _) => [before, separator, behind],
        (None, Direction::Forwards) => [text, "", ""],
        (None, Direction::Backwards) => ["", "", text],
    }
}

/// How many characters stand before a part, as `find` and `rfind` count them.
///
/// ```
/// use prompty_template::jinja::methods::{Direction, find};
///
/// assert_eq!(find("éaa", "a", Direction::Forwards), Some(1));
/// assert_eq!(find("éaa", "a", Direction::Backwards), Some(2));
/// ```
#[must_use]
pub fn find(text: &str, part: &str, direction: Direction) -> Option<usize> {
    let around = match direction {
        Direction::Forwards => text.split_once(part),
        Direction::Backwards => text.rsplit_once(part),
    };
    around.map(|(before, _)| before.chars().count())
}

/// The piece of a text between two places, counted in characters; a negative one counts from the end.
///
/// ```
/// use prompty_template::jinja::methods::between;
///
/// assert_eq!(between("grüß", Some(1), Some(-1)), "rü");
/// assert_eq!(between("grüß", Some(9), None), "");
/// ```
#[must_use]
pub fn between(text: &str, start: Option<i128>, stop: Option<i128>) -> &str {
    if start.is_none() && stop.is_none() {
        return text;
    }
    let count = text.chars().count();
    let length = i128::try_from(count).unwrap_or(i128::MAX);
    let byte = |bound: i128| {
        let bound = if bound < 0 { bound.saturating_add(length) } else { bound };
        let place = usize::try_from(bound.clamp(0, length)).unwrap_or_default();
        text.char_indices().nth(place).map_or(text.len(), |(at, _)| at)
    };
    let (start, stop) = (byte(start.unwrap_or(0)), byte(stop.unwrap_or(length)));
    #[expect(clippy::string_slice, reason = "`char_indices` gives both places in the text")]
    let between = &text[start..stop.max(start)];
    between
}

/// The filter `truncate`: what is left of a text in front of `end`, which makes it no longer than `length`
/// characters together. `None` where it is no longer than that and the leeway.
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
    #[expect(clippy::string_slice, reason = "`char_indices` gives the place in the text")]
    let kept = &text[..at];
    match cut {
        TruncationCut::BehindWords => Some(kept.rsplit_once(' ').map_or(kept, |(words, _)| words)),
        TruncationCut::Anywhere => Some(kept),
    }
}

/// How `truncate` shortens a text.
#[derive(Debug, Clone, Copy)]
pub struct Truncation<'e> {
    /// How many characters it has at the most, with its end.
    pub length: usize,
    /// What stands behind what is left.
    pub end: &'e str,
    /// How many characters more than `length` are no reason to shorten it.
    pub leeway: usize,
    /// Where it is cut.
    pub cut: TruncationCut,
}

/// Where `truncate` cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TruncationCut {
    /// Behind the last whole word.
    #[default]
    BehindWords,
    /// At the length, also inside of a word.
    Anywhere,
}

/// How many fillers stand at the left and at the right where a text is filled up to a width. `Both`
/// centres it, and puts the odd one to the left where the width is odd, as Python does.
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

/// `zfill`: the sign of a number, how many zeros follow it, and its digits.
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

/// A piece of a text whose tabs are spaces now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expanded {
    /// A character as it is.
    Character(char),
    /// So many spaces.
    Spaces(usize),
}

/// `expandtabs`: a text with spaces up to the next column of that width in the place of tabs.
///
/// ```
/// use prompty_template::jinja::methods::{Expanded, expanded};
///
/// let pieces: Vec<Expanded> = expanded("a\t", 4).collect();
/// assert_eq!(pieces, [Expanded::Character('a'), Expanded::Spaces(3)]);
/// ```
pub fn expanded(text: &str, width: usize) -> impl Iterator<Item = Expanded> + Clone {
    let mut column = 0_usize;
    text.chars().map(move |character| match character {
        '\t' => {
            let spaces = column.checked_rem(width).map_or(0, |over| width - over);
            column += spaces;
            Expanded::Spaces(spaces)
        }
        '\n' | '\r' => {
            column = 0;
            Expanded::Character(character)
        }
        _ => {
            column += 1;
            Expanded::Character(character)
        }
    })
}

/// Each word with its first letter in upper case; `ends` tells what stands between words.
///
/// ```
/// use prompty_template::jinja::methods::{is_no_letter, titled};
///
/// assert_eq!(titled("o'neill and SON", is_no_letter).collect::<String>(), "O'Neill And Son");
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

/// What `title` takes for the end of a word.
#[must_use]
pub fn is_no_letter(character: char) -> bool {
    !character.is_alphabetic()
}

/// The first character in upper case, the others in lower case.
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

/// `casefold`: letters as they are compared without regard to case. Each becomes large and then small,
/// apart from those of Cherokee, which stay large, and the dotless i.
///
/// ```
/// assert_eq!(prompty_template::jinja::methods::folded("Straße").collect::<String>(), "strasse");
/// ```
pub fn folded(text: &str) -> impl Iterator<Item = char> + Clone {
    text.chars().flat_map(|character| {
        let is_dotless = character == 'ı';
        let stays_large = matches!(character, '\u{13a0}'..='\u{13fd}' | '\u{ab70}'..='\u{abbf}');
        let upper = (!is_dotless).then(|| character.to_uppercase());
        let lower = move |letter: char| {
            let large = stays_large.then_some(letter);
            let small = (!stays_large).then(|| letter.to_lowercase());
            large.into_iter().chain(small.into_iter().flatten())
        };
        is_dotless
            .then_some(character)
            .into_iter()
            .chain(upper.into_iter().flatten().flat_map(lower))
    })
}

/// Each letter in its other case.
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

/// Whether a text is what a method asks for, such as `isdigit`; `None` for a method that asks nothing.
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
            let is_title = titled(text, is_no_letter).eq(text.chars());
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
