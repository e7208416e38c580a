//! The signs for partials that name themselves, in the text that assembly writes.
//!
//! Mustache has none: there a partial is looked up while it is rendered. In one text, such a partial stands
//! between `{{>>0 "  "}}` and `{{/>0}}`, and `{{>&0 "  "}}` in it writes it again. The text in quotation
//! marks is the indentation of its lines. A `+` in front of it says that it stands behind the indentation
//! of the partial around, and `{{>_}}` writes that.

use crate::tree::Indentation;

/// What the tag holds that writes the indentation of the partial around it.
pub(super) const INDENTATION: &str = "_";

/// What a tag with the sign of partials says, if it is one of these.
pub(super) enum Sign {
    /// A partial that names itself begins here.
    Begin(usize, Indentation),
    /// It is written again.
    Again(usize, Indentation),
    /// The indentation of the partial around.
    Indentation,
}

impl Sign {
    /// Reads what stands behind `{{>`.
    pub(super) fn read(content: &str) -> Option<Self> {
        if content == INDENTATION {
            return Some(Self::Indentation);
        }
        let begins = content.strip_prefix('>');
        let (number, indentation) =
            begins.or_else(|| content.strip_prefix('&'))?.split_once(' ')?;
        let number = number.parse().ok()?;
        let (is_added, quoted) = match indentation.strip_prefix('+') {
            Some(quoted) => (true, quoted),
            None => (false, indentation),
        };
        let text = quoted.strip_prefix('"')?.strip_suffix('"')?.to_owned();
        let indentation = match is_added {
            true => Indentation::Added(text),
            false => Indentation::Whole(text),
        };
        Some(match begins {
            Some(_) => Self::Begin(number, indentation),
            None => Self::Again(number, indentation),
        })
    }

    /// What stands behind `{{>`.
    pub(super) fn write(&self) -> String {
        let (sign, number, indentation) = match self {
            Self::Begin(number, indentation) => ('>', number, indentation),
            Self::Again(number, indentation) => ('&', number, indentation),
            Self::Indentation => return INDENTATION.to_owned(),
        };
        match indentation {
            Indentation::Whole(text) => format!("{sign}{number} \"{text}\""),
            Indentation::Added(text) => format!("{sign}{number} +\"{text}\""),
        }
    }
}

/// What the tag holds, behind its `/`, that ends a partial.
pub(super) fn end(number: usize) -> String {
    format!(">{number}")
}
