//! The errors of format strings.

use std::fmt;

/// The maximum width of a placeholder, and the maximum precision of a number.
pub(super) const MAX_WIDTH: usize = 10_000;

/// The reason why a format string cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// A brace without its counterpart.
    UnmatchedBrace,
    /// A `%` without a kind, such as `100%` at the end of a string.
    NoKind,
    /// A letter that is not a known kind.
    UnknownKind(char),
    /// An invalid format specification, such as `{:5.}`.
    InvalidSpec(String),
    /// A conversion after `!` other than `r`, `s` and `a`.
    UnknownConversion(String),
    /// A width or precision that the values provide: `%*d`.
    StarWidth,
    /// A width or precision above the limit.
    TooWide,
    /// `{}` and `{0}` in the same string.
    MixedNumbers,
    /// A bracket that is not closed, or an attribute without a name.
    InvalidPath,
    /// A placeholder nested in more than one other placeholder.
    TooDeep,
    /// An option such as `=`, `#` or `,` that is not supported for the value.
    Option(&'static str),
    /// A value that is not a number, for a kind such as `%d`.
    NotNumber(char),
    /// A number with a fraction, for a kind such as `%x`.
    NotInteger(char),
    /// A value that is not a character, for `%c`.
    NotCharacter,
    /// An infinite number or NaN, for `%d`.
    NotFinite,
    /// A placeholder without a value.
    MissingValue(String),
    /// Fewer values than placeholders.
    TooFew,
    /// More values than placeholders.
    TooMany,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnmatchedBrace => f.write_str("unmatched brace in a format string"),
            Self::NoKind => f.write_str("`%` without a kind in a format string"),
            Self::UnknownKind(kind) => write!(f, "unknown kind `{kind}` in a format string"),
            Self::InvalidSpec(form) => write!(f, "invalid format specification `{form}`"),
            Self::UnknownConversion(conversion) => {
                write!(f, "unknown conversion `!{conversion}` in a format string")
            }
            Self::StarWidth => f.write_str("`*` is not supported as a width in a format string"),
            Self::TooWide => write!(f, "width or precision above {MAX_WIDTH} in a format string"),
            Self::MixedNumbers => f.write_str("`{}` and `{0}` in the same format string"),
            Self::InvalidPath => f.write_str("invalid field name in a format string"),
            Self::TooDeep => f.write_str("placeholders of a format string are nested too deeply"),
            Self::Option(option) => {
                write!(f, "the option `{option}` is not supported for this value")
            }
            Self::NotNumber(kind) => write!(f, "the kind `{kind}` expects a number"),
            Self::NotInteger(kind) => write!(f, "the kind `{kind}` expects an integer"),
            Self::NotCharacter => f.write_str("the kind `c` expects a character"),
            Self::NotFinite => {
                f.write_str("expected an integer, found a number that is not finite")
            }
            Self::MissingValue(place) => write!(f, "missing value for the placeholder `{place}`"),
            Self::TooFew => f.write_str("fewer values than placeholders"),
            Self::TooMany => f.write_str("more values than placeholders"),
        }
    }
}

impl FormatError {
    /// Returns an instruction that fixes the format string.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::UnmatchedBrace => "write `{{` and `}}` for literal braces",
            Self::NoKind | Self::UnknownKind(_) => {
                "write `%%` for a literal `%`, or a kind such as `%s` or `%d`"
            }
            Self::UnknownConversion(_) => {
                "remove it, or write `!r` for a value as a Python literal"
            }
            Self::StarWidth => {
                "write the width as a number, or use `{:{width}}` with the method `format`"
            }
            Self::MixedNumbers => "number all placeholders, or none of them",
            Self::InvalidPath => "write `{user.name}` or `{list[0]}`",
            Self::TooDeep => "write only a name inside the inner placeholder: `{:{width}}`",
            Self::TooWide => "write a smaller width or precision",
            Self::NotFinite | Self::NotNumber(_) | Self::NotInteger(_) | Self::NotCharacter => {
                "write `%s` or `{}`, which accept any value"
            }
            Self::InvalidSpec(_) | Self::Option(_) => {
                "write alignment, sign, width, precision and kind in this order: `{:>+8.2f}`"
            }
            Self::MissingValue(_) | Self::TooFew | Self::TooMany => {
                "pass one value for each placeholder, in the same order"
            }
        }
    }
}
