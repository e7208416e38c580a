//! The repairs of a reply, with which a caller can judge its quality.

use std::fmt;
use std::ops::Range;

use super::path::Path;

/// A repair of damage in a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    kind: RepairKind,
    place: RepairPlace,
    /// Why an item was left out.
    reason: Option<Box<str>>,
}

/// The place of a repair.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RepairPlace {
    Text(Range<usize>),
    Value(Path),
}

impl Repair {
    pub(super) const fn new(kind: RepairKind, range: Range<usize>) -> Self {
        Self { kind, place: RepairPlace::Text(range), reason: None }
    }

    pub(super) const fn of_value(kind: RepairKind, path: Path) -> Self {
        Self { kind, place: RepairPlace::Value(path), reason: None }
    }

    /// An item that was left out. The reason begins with its place in the item.
    pub(super) fn of_skipped_item(path: Path, reason: &str) -> Self {
        let reason = Some(reason.into());
        Self { kind: RepairKind::SkippedItem, place: RepairPlace::Value(path), reason }
    }

    /// The kind of damage.
    #[must_use]
    pub const fn kind(&self) -> RepairKind {
        self.kind
    }

    /// The byte range of the damage in the reply; `None` if a value was converted into its type.
    #[must_use]
    pub fn range(&self) -> Option<Range<usize>> {
        match &self.place {
            RepairPlace::Text(range) => Some(range.clone()),
            RepairPlace::Value(_) => None,
        }
    }

    /// The reason why an item of a [`LenientList`](super::LenientList) was left out.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The path of the value that was converted into its type, or of an item that was left out, as
    /// the model wrote it; `None` if the text was damaged.
    #[must_use]
    pub const fn path(&self) -> Option<&Path> {
        match &self.place {
            RepairPlace::Text(_) => None,
            RepairPlace::Value(path) => Some(path),
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.kind)?;
        if let Some(reason) = &self.reason {
            write!(formatter, ": {reason}")?;
        }
        match &self.place {
            RepairPlace::Text(range) => write!(formatter, " (at byte {})", range.start),
            RepairPlace::Value(path) => write!(formatter, " (at `{path}`)"),
        }
    }
}

/// The kinds of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RepairKind {
    /// A comma without a value before or after it, as in `[1, 2,]`.
    ExtraComma,
    /// Two values, or two entries, without a comma between them.
    MissingComma,
    /// A key and its value without a colon between them.
    MissingColon,
    /// A comment.
    Comment,
    /// `...` instead of values that the model omitted.
    Ellipsis,
    /// A string in other quotes than `"`.
    OtherQuotes,
    /// A quote inside of a string without a backslash before it.
    QuoteInText,
    /// Strings that are joined by `+`. They are read as one string.
    JoinedTexts,
    /// A string whose first or last quote is missing.
    MissingQuote,
    /// A key without quotes.
    BareKey,
    /// A string without quotes.
    BareText,
    /// A line break or another control character inside of a string.
    ControlCharacter,
    /// A backslash before a character that needs none.
    UnknownEscape,
    /// One half of a surrogate pair, such as `\ud83d`, which is not a character. The escape is kept
    /// as text.
    LoneSurrogate,
    /// A word of another language, such as `True` or `None`.
    OtherLiteral,
    /// A number that JSON writes in another form, such as `+1` or `.5`.
    OtherNumber,
    /// A bracket that closes a container that is not open, or one whose inner containers are still
    /// open.
    WrongBracket,
    /// A key without a value. The entry is removed.
    MissingValue,
    /// Text that is not part of a value.
    StrayText,
    /// Punctuation of another script, such as `：` or `｛`.
    OtherPunctuation,
    /// A duplicate key in an object. The later value is used.
    DoubledKey,
    /// A key that the type does not have. The entry is removed.
    UnknownKey,
    /// A key in another spelling: other case, blanks or accents.
    KeySpelling,
    /// A number inside of a string.
    NumberInText,
    /// A number with separators, a currency or a unit, or a fraction such as `1/5`.
    WrittenNumber,
    /// A number with a fraction of zero instead of an integer, or a boolean as `1` or `0`.
    NumberKind,
    /// A number with more digits than a float has. It is rounded.
    RoundedNumber,
    /// A boolean inside of a string.
    BooleanInText,
    /// A number or a boolean instead of a string.
    TextOfScalar,
    /// `null` as a string.
    NullInText,
    /// JSON inside of a string.
    JsonInText,
    /// An item of a [`LenientList`](super::LenientList) that does not fit. It is left out.
    SkippedItem,
    /// One value instead of an array.
    OneForList,
    /// Several objects instead of an array of them.
    SeveralForList,
    /// An array instead of one value. The first item is used.
    ListForOne,
    /// One of the listed values, in another spelling.
    ChoiceSpelling,
    /// One of the listed values, by its description or inside of a sentence.
    ChoiceInText,
    /// An object with one entry instead of the value.
    ObjectForOne,
}

impl fmt::Display for RepairKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ExtraComma => "a comma with nothing to separate",
            Self::MissingComma => "a missing comma",
            Self::MissingColon => "a missing colon",
            Self::Comment => "a comment",
            Self::Ellipsis => "an ellipsis instead of values",
            Self::OtherQuotes => "other quotes than `\"`",
            Self::QuoteInText => "an unescaped quotation mark inside of a string",
            Self::JoinedTexts => "strings that are joined by `+`",
            Self::MissingQuote => "a missing quote",
            Self::BareKey => "a key without quotes",
            Self::BareText => "a string without quotes",
            Self::ControlCharacter => "a control character inside of a string",
            Self::UnknownEscape => "an unknown escape",
            Self::LoneSurrogate => "one half of a surrogate pair",
            Self::OtherLiteral => "a literal of another language",
            Self::OtherNumber => "a number in a form that JSON does not have",
            Self::WrongBracket => "a wrong bracket",
            Self::MissingValue => "a key without a value",
            Self::StrayText => "text outside of values",
            Self::OtherPunctuation => "punctuation that is not ASCII",
            Self::DoubledKey => "a duplicate key",
            Self::UnknownKey => "an unknown key",
            Self::KeySpelling => "a key in another spelling",
            Self::NumberInText => "a number inside of a string",
            Self::WrittenNumber => "a formatted number",
            Self::NumberKind => "a float instead of an integer, or a number instead of a boolean",
            Self::RoundedNumber => "a number with more digits than a float has",
            Self::BooleanInText => "a boolean inside of a string",
            Self::TextOfScalar => "a number or boolean instead of a string",
            Self::NullInText => "`null` inside of a string",
            Self::JsonInText => "JSON inside of a string",
            Self::SkippedItem => "an item that does not fit",
            Self::OneForList => "one value instead of an array",
            Self::SeveralForList => "several objects instead of an array",
            Self::ListForOne => "an array instead of one value",
            Self::ChoiceSpelling => "a choice in another spelling",
            Self::ChoiceInText => "a choice inside of a string",
            Self::ObjectForOne => "an object instead of its only value",
        })
    }
}
