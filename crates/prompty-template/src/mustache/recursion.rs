//! The tags for partials that include themselves, in the text that assembly writes.
//!
//! Mustache has no such tags, because it looks up partials while rendering. In one text, such a
//! partial is between `{{>>0 "  "}}` and `{{/>0}}`, and a `{{>&0 "  "}}` inside writes it again.
//! The string is the indentation of its lines. A `+` before the string means that the indentation
//! of the enclosing partial precedes it. `{{>_}}` writes the indentation of the enclosing partial.
//!
//! For the partial `tree`, which names itself with `  {{> tree}}` in the section `children`,
//! assembly writes:
//!
//! ```text
//! {{>>1 ""}}
//! {{>_}}{{name}}
//! {{#children}}
//! {{>&1 +"  "}}
//! {{/children}}
//! {{/>1}}
//! ```
//!
//! Indentation is a value of the render, because it grows with each nested occurrence. Without a
//! section around the nested tag the partial would never end, so assembly rejects that.

use crate::tree::Indentation;

/// The content of the tag that writes the indentation of the enclosing partial.
pub(super) const INDENTATION: &str = "_";

/// A tag for recursive partials.
pub(super) enum RecursionTag {
    /// The beginning of a recursive partial.
    Begin(usize, Indentation),
    /// A nested occurrence of the partial.
    Again(usize, Indentation),
    /// The indentation of the enclosing partial.
    Indentation,
}

impl RecursionTag {
    /// Parses the content after `{{>`. `None` if it is not such a tag.
    pub(super) fn read(content: &str) -> Option<Self> {
        if content == INDENTATION {
            return Some(Self::Indentation);
        }
        let begins = content.strip_prefix('>');
        let (number, indentation) =
            begins.or_else(|| content.strip_prefix('&'))?.split_once(' ')?;
        let number = number.parse().ok()?;
        let relative = indentation.strip_prefix('+');
        let quoted = relative.unwrap_or(indentation);
        let text = quoted.strip_prefix('"')?.strip_suffix('"')?.to_owned();
        let indentation = match relative {
            Some(_) => Indentation::Relative(text),
            None => Indentation::Absolute(text),
        };
        Some(match begins {
            Some(_) => Self::Begin(number, indentation),
            None => Self::Again(number, indentation),
        })
    }

    /// Returns the content after `{{>`.
    pub(super) fn write(&self) -> String {
        let (sign, number, indentation) = match self {
            Self::Begin(number, indentation) => ('>', number, indentation),
            Self::Again(number, indentation) => ('&', number, indentation),
            Self::Indentation => return INDENTATION.to_owned(),
        };
        match indentation {
            Indentation::Absolute(text) => format!("{sign}{number} \"{text}\""),
            Indentation::Relative(text) => format!("{sign}{number} +\"{text}\""),
        }
    }
}

/// Returns the content after the `/` of the tag that ends a recursive partial.
pub(super) fn end(number: usize) -> String {
    format!(">{number}")
}
