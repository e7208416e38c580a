//! Why a text with places cannot be filled.

use std::fmt;

/// The widest that a place may be, and the most digits that a number may have behind its point.
pub(super) const WIDEST: usize = 10_000;

/// Why a text with places cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wrong {
    /// A brace that is not closed, or not opened.
    BraceAlone,
    /// A place that ends before its kind, such as `100%` at the end of a text.
    NoKind,
    /// A letter that is no kind.
    UnknownKind(char),
    /// A place that has no meaning as a whole, such as `{:5.}`.
    Form(String),
    /// A letter behind `!` that is none of `r`, `s` and `a`.
    Conversion(String),
    /// A width or precision that the values give: `%*d`.
    StarWidth,
    /// A width or precision that is larger than any place.
    TooWide,
    /// `{}` beside `{0}`.
    MixedNumbers,
    /// A bracket that is not closed, or an attribute without a name.
    Path,
    /// A place inside of a place inside of a place.
    TooDeep,
    /// A sign, `=`, `#`, `,` and the like in the place of a value which that means nothing for.
    Option(&'static str),
    /// A value that is no number in the place of one; `%d`.
    NoNumber(char),
    /// A number with a fraction in the place of a whole one; `%x`.
    NoInteger(char),
    /// A value that is no character; `%c`.
    NoCharacter,
    /// A number that is infinite or none at all, in the place of a whole one.
    NotFinite,
    /// A place that has no value.
    Missing(String),
    /// Fewer values than places.
    TooFew,
    /// More values than places.
    TooMany,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BraceAlone => f.write_str("a brace in a text to format stands alone"),
            Self::NoKind => f.write_str("a `%` in a text to format has no letter behind it"),
            Self::UnknownKind(kind) => {
                write!(f, "`{kind}` in a text to format is no way to write a value")
            }
            Self::Form(form) => write!(f, "`{form}` does not say how a value is written"),
            Self::Conversion(given) => {
                write!(f, "`!{given}` in a text to format is none of `!r`, `!s` and `!a`")
            }
            Self::StarWidth => f.write_str("a width cannot be `*` in a text to format"),
            Self::TooWide => write!(f, "a place in a text to format is wider than {WIDEST}"),
            Self::MixedNumbers => f.write_str("`{}` and `{0}` stand in one text to format"),
            Self::Path => f.write_str("a place in a text to format names no part of a value"),
            Self::TooDeep => f.write_str("places in a text to format are nested too deep"),
            Self::Option(option) => {
                write!(f, "`{option}` means nothing for the value in its place")
            }
            Self::NoNumber(kind) => {
                write!(f, "a value that is not a number stands in the place of one (`{kind}`)")
            }
            Self::NoInteger(kind) => {
                write!(
                    f,
                    "a value that is not a whole number stands in the place of one (`{kind}`)"
                )
            }
            Self::NoCharacter => {
                f.write_str("a value that is not a character stands in the place of one")
            }
            Self::NotFinite => {
                f.write_str("a number that is not finite stands in the place of a whole one")
            }
            Self::Missing(place) => write!(f, "there is no value for the place `{place}`"),
            Self::TooFew => f.write_str("there are fewer values than places for them"),
            Self::TooMany => f.write_str("there are more values than places for them"),
        }
    }
}

impl Wrong {
    /// How to mend the text.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::BraceAlone => "write `{{` and `}}` for braces that are text",
            Self::NoKind | Self::UnknownKind(_) => {
                "write `%%` for a sign that is text, or a letter such as `%s` or `%d`"
            }
            Self::Conversion(_) => "leave it out, or write `!r` for a value as a program writes it",
            Self::StarWidth => {
                "write the width as a number, or `{:{width}}` for the method `format`"
            }
            Self::MixedNumbers => "number all places, or none of them",
            Self::Path => "write `{user.name}` or `{list[0]}`",
            Self::TooDeep => "write the inner place alone: `{:{width}}`",
            Self::TooWide => "write a smaller width or precision",
            Self::NotFinite | Self::NoNumber(_) | Self::NoInteger(_) | Self::NoCharacter => {
                "write `%s` or `{}` in the text, which take any value"
            }
            Self::Form(_) | Self::Option(_) => {
                "a place says alignment, sign, width, precision and kind, in this order: `{:>+8.2f}`"
            }
            Self::Missing(_) | Self::TooFew | Self::TooMany => {
                "each place of the text gets one value, in their order"
            }
        }
    }
}
