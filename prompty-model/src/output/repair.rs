//! What was mended in a reply, so that a caller can tell a sound reply from one that was nearly lost.

use std::fmt;
use std::ops::Range;

/// Damage that the reader mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    kind: RepairKind,
    range: Range<usize>,
}

impl Repair {
    pub(super) const fn new(kind: RepairKind, range: Range<usize>) -> Self {
        Self { kind, range }
    }

    /// What was wrong.
    #[must_use]
    pub const fn kind(&self) -> RepairKind {
        self.kind
    }

    /// Where it was wrong, as bytes of the reply.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (at byte {})", self.kind, self.range.start)
    }
}

/// The kinds of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RepairKind {
    /// A comma without a value in front of it or behind it, as in `[1, 2,]`.
    ExtraComma,
    /// Two values, or two entries, without a comma between them.
    MissingComma,
    /// A key and its value without a colon between them.
    MissingColon,
    /// A comment.
    Comment,
    /// `...` where the model left something out.
    Ellipsis,
    /// A text in other quotes than `"`.
    OtherQuotes,
    /// A quote inside of a text without a backslash in front of it.
    QuoteInText,
    /// A text whose first or last quote is missing.
    MissingQuote,
    /// A key without quotes.
    BareKey,
    /// A text without quotes.
    BareText,
    /// A line break or another control character inside of a text.
    ControlCharacter,
    /// A backslash in front of a character that needs none.
    UnknownEscape,
    /// A word of another language, such as `True` or `None`.
    OtherLiteral,
    /// A number that JSON writes in another form, such as `+1` or `.5`.
    OtherNumber,
    /// A bracket that closes what is not open, or closes something else first.
    WrongBracket,
    /// A key without a value. The entry is left out.
    MissingValue,
    /// Text that belongs to no value.
    StrayText,
    /// Punctuation of another script, such as `：` or `｛`.
    OtherPunctuation,
    /// A key that the object had before. The later value is taken.
    DoubledKey,
}

impl fmt::Display for RepairKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ExtraComma => "a comma with nothing to separate",
            Self::MissingComma => "a missing comma",
            Self::MissingColon => "a missing colon",
            Self::Comment => "a comment",
            Self::Ellipsis => "an ellipsis in place of values",
            Self::OtherQuotes => "other quotes than `\"`",
            Self::QuoteInText => "a quote inside of a text without a backslash",
            Self::MissingQuote => "a missing quote",
            Self::BareKey => "a key without quotes",
            Self::BareText => "a text without quotes",
            Self::ControlCharacter => "a control character inside of a text",
            Self::UnknownEscape => "an unknown escape",
            Self::OtherLiteral => "a literal of another language",
            Self::OtherNumber => "a number in a form that JSON lacks",
            Self::WrongBracket => "a wrong bracket",
            Self::MissingValue => "a key without a value",
            Self::StrayText => "text that belongs to no value",
            Self::OtherPunctuation => "punctuation of another script",
            Self::DoubledKey => "a key that was there before",
        })
    }
}
