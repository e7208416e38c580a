//! What was mended in a reply, so that a caller can tell a sound reply from one that was nearly lost.

use std::fmt;
use std::ops::Range;

use super::path::Path;

/// Damage that the reader mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    kind: RepairKind,
    place: Place,
}

/// Where something was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Text(Range<usize>),
    Value(Path),
}

impl Repair {
    pub(super) const fn new(kind: RepairKind, range: Range<usize>) -> Self {
        Self { kind, place: Place::Text(range) }
    }

    pub(super) const fn of_value(kind: RepairKind, path: Path) -> Self {
        Self { kind, place: Place::Value(path) }
    }

    /// What was wrong.
    #[must_use]
    pub const fn kind(&self) -> RepairKind {
        self.kind
    }

    /// Where the text was wrong, as bytes of the reply. `None` if a value was brought into its type.
    #[must_use]
    pub fn range(&self) -> Option<Range<usize>> {
        match &self.place {
            Place::Text(range) => Some(range.clone()),
            Place::Value(_) => None,
        }
    }

    /// Which value was brought into its type. `None` if the text was wrong.
    #[must_use]
    pub const fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Text(_) => None,
            Place::Value(path) => Some(path),
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Text(range) => write!(formatter, "{} (at byte {})", self.kind, range.start),
            Place::Value(path) => write!(formatter, "{} (at `{path}`)", self.kind),
        }
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
    /// Texts that `+` joins: they are one.
    JoinedTexts,
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
    /// A key that the type does not know. The entry is left out.
    UnknownKey,
    /// A key in another spelling: other case, blanks or accents.
    KeySpelling,
    /// A number inside of a text.
    NumberInText,
    /// A number with separators, a currency or a unit, or a fraction such as `1/5`.
    WrittenNumber,
    /// A number with a fraction of zero where a whole one is wanted, or a truth value as `1` or `0`.
    NumberKind,
    /// A truth value inside of a text.
    BooleanInText,
    /// A number or a truth value where a text is wanted.
    TextOfScalar,
    /// `null` as a text.
    NullInText,
    /// JSON inside of a text.
    JsonInText,
    /// One value where a list is wanted.
    OneForList,
    /// Several objects where a list of them is wanted.
    SeveralForList,
    /// A list where one value is wanted. The first is taken.
    ListForOne,
    /// One of the values that are named, in another spelling.
    ChoiceSpelling,
    /// One of the values that are named, by its description or inside of a sentence.
    ChoiceInText,
    /// An object with one entry where its value is wanted.
    ObjectForOne,
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
            Self::JoinedTexts => "texts that are joined by `+`",
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
            Self::UnknownKey => "a key that the type does not know",
            Self::KeySpelling => "a key in another spelling",
            Self::NumberInText => "a number inside of a text",
            Self::WrittenNumber => "a number as people write it",
            Self::NumberKind => "a number of another kind",
            Self::BooleanInText => "a truth value inside of a text",
            Self::TextOfScalar => "a number or truth value in place of a text",
            Self::NullInText => "`null` inside of a text",
            Self::JsonInText => "JSON inside of a text",
            Self::OneForList => "one value in place of a list",
            Self::SeveralForList => "several objects in place of a list",
            Self::ListForOne => "a list in place of one value",
            Self::ChoiceSpelling => "a choice in another spelling",
            Self::ChoiceInText => "a choice inside of a text",
            Self::ObjectForOne => "an object in place of its one value",
        })
    }
}
