//! The quotes that models write around texts.

use prompty_core::work::add_steps;

use super::reach::{REACH, is_blank};

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
pub(super) enum Opening {
    /// A quote, and how many bytes it has.
    Quote(Quote, usize),
    /// No quote.
    None,
    /// The text ends too early to tell.
    Wait,
}

/// Reads the opening quote of a text.
pub(super) fn opening(rest: &str, is_all: bool) -> Opening {
    let Some(first) = rest.chars().next() else { return Opening::None };
    let quote = match first {
        '"' if rest.starts_with("\"\"\"") => return Opening::Quote(Quote::Triple, 3),
        // One quote may be the first of several.
        '"' | '\'' if rest.len() == 1 && !is_all => return Opening::Wait,
        // Two quotes are an empty text, or the beginning of three.
        '"' if rest == "\"\"" && !is_all => return Opening::Wait,
        '"' | '\'' if rest.len() > 1 => match is_doubled(rest, first, is_all) {
            Err(Early) => return Opening::Wait,
            Ok(true) if first == '"' => return Opening::Quote(Quote::Doubled, 2),
            Ok(true) => return Opening::Quote(Quote::DoubledSingle, 2),
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
        '\\' if rest.starts_with("\\\"") => return Opening::Quote(Quote::Escaped, 2),
        '\\' if rest.len() == 1 && !is_all => return Opening::Wait,
        _ => return Opening::None,
    };
    Opening::Quote(quote, first.len_utf8())
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
    /// are more than a character: see [`Self::closing_length`].
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

    /// How many bytes the closing quote at the start of a text has; `Ok(None)` if there is none, and
    /// an error if the text ends too early to tell.
    pub(super) fn closing_length(self, rest: &str, is_all: bool) -> Result<Option<usize>, Early> {
        let Some(first) = rest.chars().next() else { return Ok(None) };
        if !self.may_close(first) {
            return Ok(None);
        }
        let whole = match self {
            Self::Triple => "\"\"\"",
            Self::Doubled => "\"\"",
            Self::DoubledSingle => "''",
            Self::Fence => "```",
            Self::Escaped => "\\\"",
            _ => return Ok(Some(first.len_utf8())),
        };
        if rest.starts_with(whole) {
            return Ok(Some(whole.len()));
        }
        if whole.starts_with(rest) && !is_all { Err(Early) } else { Ok(None) }
    }
}

/// A text ends too early to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Early;
