//! The quotes that models write around texts.

use prompty_core::work::add_steps;

use super::reach::{REACH, after_first, is_blank};

/// How a text is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// `"`, as JSON has it.
    Double,
    /// `'`.
    Single,
    /// `‘` and `’`.
    CurlySingle,
    /// A backtick; some writers close it with an acute accent.
    Backtick,
    /// `“` and `”`, or the wide form `＂`.
    Curly,
    /// `"""`, as Python has it: quotes inside are data.
    Triple,
    /// `""` on both sides, as tables write quotes.
    Doubled,
    /// `''` on both sides.
    DoubledSingle,
    /// A block between fences of three backticks, as Markdown has it: what is inside is the text as it is.
    Fence,
    /// `\"`, where the whole object was escaped once too often.
    Escaped,
}

/// What may be a quote at the start of a text.
pub(super) enum Opening<'text> {
    /// A quote, and the text after it.
    Quote(Quote, &'text str),
    /// No quote.
    None,
    /// The text ends too early to tell.
    Wait,
}

/// Reads the opening quote of a text.
pub(super) fn opening(rest: &str, is_all: bool) -> Opening<'_> {
    let Some(first) = rest.chars().next() else { return Opening::None };
    let quote = match first {
        '"' if rest.starts_with("\"\"\"") => Quote::Triple,
        // One quote may be the first of several.
        '"' | '\'' if rest.len() == 1 && !is_all => return Opening::Wait,
        // Two quotes are an empty text, or the beginning of three.
        '"' if rest == "\"\"" && !is_all => return Opening::Wait,
        '"' | '\'' if rest.len() > 1 => match is_doubled(rest, first, is_all) {
            Err(Early) => return Opening::Wait,
            Ok(true) if first == '"' => Quote::Doubled,
            Ok(true) => Quote::DoubledSingle,
            Ok(false) if first == '"' => Quote::Double,
            Ok(false) => Quote::Single,
        },
        '"' => Quote::Double,
        '\'' => Quote::Single,
        '\u{2018}' | '\u{2019}' => Quote::CurlySingle,
        '`' => match is_fence(rest, is_all) {
            Err(Early) => return Opening::Wait,
            Ok(true) => return Opening::None,
            Ok(false) => Quote::Backtick,
        },
        '\u{b4}' => Quote::Backtick,
        '\u{201c}' | '\u{201d}' | '\u{ff02}' => Quote::Curly,
        '\\' if rest.starts_with("\\\"") => Quote::Escaped,
        '\\' if rest.len() == 1 && !is_all => return Opening::Wait,
        _ => return Opening::None,
    };
    let inside = match quote.several_characters() {
        Some(mark) => rest.strip_prefix(mark),
        None => Some(after_first(rest)),
    };
    inside.map_or(Opening::None, |inside| Opening::Quote(quote, inside))
}

/// Whether the three backticks of a fence stand at the start of a text. One or two may be the first of three.
pub(super) fn is_fence(rest: &str, is_all: bool) -> Result<bool, Early> {
    let is_cut = rest.len() < 3 && "```".starts_with(rest) && !is_all;
    if is_cut { Err(Early) } else { Ok(rest.starts_with("```")) }
}

/// Whether a text opens with two quotes that stand for one: the next quote is a pair again, and no
/// delimiter stands behind the first one.
fn is_doubled(rest: &str, quote: char, is_all: bool) -> Result<bool, Early> {
    let mut characters = rest.char_indices().skip(1);
    if characters.next().is_none_or(|(_, it)| it != quote) {
        return Ok(false);
    }
    let Some((_, first)) = characters.next() else {
        return if is_all { Ok(false) } else { Err(Early) };
    };
    if is_blank(first) || first == quote || ",:;}])".contains(first) {
        return Ok(false);
    }
    while let Some((at, character)) = characters.next() {
        add_steps(1);
        if at > REACH || character == '\n' {
            return Ok(false);
        }
        if character == quote {
            return match characters.next() {
                None if !is_all => Err(Early),
                next => Ok(next.is_some_and(|(_, it)| it == quote)),
            };
        }
    }
    if is_all { Ok(false) } else { Err(Early) }
}

impl Quote {
    /// Whether a character may close a text that this quote opened. Three quotes and an escaped one
    /// are more than a character: see [`Self::after_closing`].
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

    /// The mark of a quote that is more than a character.
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

    /// What follows the closing quote at the start of a text; `Ok(None)` if there is none, and an
    /// error if the text ends too early to decide.
    pub(super) fn after_closing(self, rest: &str, is_all: bool) -> Result<Option<&str>, Early> {
        let Some(first) = rest.chars().next() else { return Ok(None) };
        if !self.may_close(first) {
            return Ok(None);
        }
        let Some(mark) = self.several_characters() else { return Ok(Some(after_first(rest))) };
        match rest.strip_prefix(mark) {
            None if mark.starts_with(rest) && !is_all => Err(Early),
            after => Ok(after),
        }
    }
}

/// A text ends too early to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Early;
