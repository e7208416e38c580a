//! The quotes that models write around strings.

use prompty_core::work::add_steps;

use super::characters::{MAX_LOOKAHEAD, after_first, is_blank};

/// The kind of quotes around a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// `"`, as in JSON.
    Double,
    /// `'`.
    Single,
    /// `‘` and `’`.
    CurlySingle,
    /// A backtick; some writers close it with an acute accent.
    Backtick,
    /// `“` and `”`, or the wide form `＂`.
    Curly,
    /// `"""`, as in Python. Quotes inside are data.
    Triple,
    /// `""` on both sides, as in CSV tables.
    Doubled,
    /// `''` on both sides.
    DoubledSingle,
    /// A Markdown block between fences of three backticks. Its content is literal.
    Fence,
    /// `\"`, if the complete object was escaped once too often.
    Escaped,
}

/// Reads the quote at the start of a text, if it can open a string. Returns the quote and the text
/// after it.
pub(super) fn opening_quote(rest: &str, is_final: bool) -> JsonResult<Option<(Quote, &str)>> {
    let Some(first) = rest.chars().next() else { return Ok(None) };
    let quote = match first {
        '"' if rest.starts_with("\"\"\"") => Quote::Triple,
        // One quote may be the first of several.
        '"' | '\'' if rest.len() == 1 && !is_final => return Err(IncompleteInput),
        // Two quotes are an empty string, or the beginning of three.
        '"' if rest == "\"\"" && !is_final => return Err(IncompleteInput),
        '"' | '\'' => match (first, is_doubled(rest, first, is_final)?) {
            ('"', true) => Quote::Doubled,
            ('"', false) => Quote::Double,
            (_, true) => Quote::DoubledSingle,
            (_, false) => Quote::Single,
        },
        '\u{2018}' | '\u{2019}' => Quote::CurlySingle,
        '`' if is_fence(rest, is_final)? => return Ok(None),
        // A backtick or an acute accent.
        '`' | '\u{b4}' => Quote::Backtick,
        '\u{201c}' | '\u{201d}' | '\u{ff02}' => Quote::Curly,
        '\\' if rest.starts_with("\\\"") => Quote::Escaped,
        '\\' if rest.len() == 1 && !is_final => return Err(IncompleteInput),
        _ => return Ok(None),
    };
    let inside = match quote.several_characters() {
        Some(mark) => rest.strip_prefix(mark),
        None => Some(after_first(rest)),
    };
    Ok(inside.map(|inside| (quote, inside)))
}

/// Whether a text begins with the three backticks of a fence. One or two may be the first of three.
pub(super) fn is_fence(rest: &str, is_final: bool) -> JsonResult<bool> {
    let is_beginning = rest.len() < 3 && "```".starts_with(rest);
    if is_beginning && !is_final { Err(IncompleteInput) } else { Ok(rest.starts_with("```")) }
}

/// Whether a string opens with two quotes that mean one, as in `""Bonn""`: the next quote is a pair
/// again, and no delimiter follows the opening pair. `"", "a"` begins with an empty string.
fn is_doubled(rest: &str, quote: char, is_final: bool) -> JsonResult<bool> {
    let mut characters = rest.char_indices().skip(1);
    if characters.next().is_none_or(|(_, it)| it != quote) {
        return Ok(false);
    }
    let Some((_, first)) = characters.next() else {
        return if is_final { Ok(false) } else { Err(IncompleteInput) };
    };
    if is_blank(first) || first == quote || ",:;}])".contains(first) {
        return Ok(false);
    }
    while let Some((at, character)) = characters.next() {
        add_steps(1);
        if at > MAX_LOOKAHEAD || character == '\n' {
            return Ok(false);
        }
        if character == quote {
            return match characters.next() {
                None if !is_final => Err(IncompleteInput),
                next => Ok(next.is_some_and(|(_, it)| it == quote)),
            };
        }
    }
    if is_final { Ok(false) } else { Err(IncompleteInput) }
}

impl Quote {
    /// Whether a character may close a string that this quote opened. For quotes of several
    /// characters, it is the first character: see [`Self::after_closing`].
    pub(super) fn may_close(self, character: char) -> bool {
        match self {
            Self::Double | Self::Triple | Self::Doubled => character == '"',
            Self::Single | Self::DoubledSingle => character == '\'',
            Self::Fence => character == '`',
            Self::CurlySingle => matches!(character, '\u{2018}' | '\u{2019}'),
            Self::Backtick => matches!(character, '`' | '\u{b4}'),
            Self::Curly => matches!(character, '\u{201c}' | '\u{201d}' | '\u{ff02}' | '"'),
            Self::Escaped => character == '\\',
        }
    }

    /// The delimiter of a quote that has several characters.
    fn several_characters(self) -> Option<&'static str> {
        match self {
            Self::Triple => Some("\"\"\""),
            Self::Doubled => Some("\"\""),
            Self::DoubledSingle => Some("''"),
            Self::Fence => Some("```"),
            Self::Escaped => Some("\\\""),
            _ => None,
        }
    }

    /// The text after the closing quote at the start of a text; `Ok(None)` if there is none, and an
    /// error if more input is needed to decide.
    pub(super) fn after_closing(self, rest: &str, is_final: bool) -> JsonResult<Option<&str>> {
        let Some(first) = rest.chars().next() else { return Ok(None) };
        if !self.may_close(first) {
            return Ok(None);
        }
        let Some(mark) = self.several_characters() else { return Ok(Some(after_first(rest))) };
        match rest.strip_prefix(mark) {
            None if mark.starts_with(rest) && !is_final => Err(IncompleteInput),
            after => Ok(after),
        }
    }
}

/// More input is needed to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IncompleteInput;

/// The result of reading JSON. The error says that more input is needed.
pub(super) type JsonResult<T = ()> = Result<T, IncompleteInput>;
