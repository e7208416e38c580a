//! The quotes that models write around texts.

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
        // Two quotes are an empty text, or the beginning of three.
        '"' if rest == "\"\"" && !is_all => return Opening::Wait,
        '"' => Quote::Double,
        '\'' => Quote::Single,
        '\u{2018}' | '\u{2019}' => Quote::CurlySingle,
        '`' if rest.starts_with("```") => return Opening::None,
        '`' if rest.len() < 3 && rest.chars().all(|it| it == '`') && !is_all => {
            return Opening::Wait;
        }
        '`' | '\u{b4}' => Quote::Backtick,
        '\u{201c}' | '\u{201d}' | '\u{ff02}' => Quote::Curly,
        '\\' if rest.starts_with("\\\"") => return Opening::Quote(Quote::Escaped, 2),
        '\\' if rest.len() == 1 && !is_all => return Opening::Wait,
        _ => return Opening::None,
    };
    Opening::Quote(quote, first.len_utf8())
}

impl Quote {
    /// Whether a character may close a text that this quote opened. Three quotes and an escaped one
    /// are more than a character: see [`Self::closing_length`].
    pub(super) fn may_close(self, character: char) -> bool {
        match self {
            Self::Double | Self::Triple => character == '"',
            Self::Single => character == '\'',
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
