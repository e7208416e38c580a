//! The pieces of a text for `%`: `'%s of %(name)05d'`.

use super::spec::{Spec, percent_spec};
use super::wrong::Wrong;

/// A piece of a text for `%`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PercentPiece<'t> {
    /// Text as it is.
    Text(&'t str),
    /// A place for a value.
    Place {
        /// The name of the value: `%(name)s`. Without one, it is the next value.
        name: Option<&'t str>,
        /// How the value is written.
        spec: Spec,
    },
    /// What is no place. Nothing follows it.
    Wrong(Wrong),
}

/// The pieces of a text for `%`.
pub fn percent_pieces(text: &str) -> impl Iterator<Item = PercentPiece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(behind) = rest.strip_prefix('%') else {
            let (text, behind) = rest.split_at_checked(rest.find('%').unwrap_or(rest.len()))?;
            rest = behind;
            return Some(PercentPiece::Text(text));
        };
        rest = behind;
        if let Some(behind) = rest.strip_prefix('%') {
            rest = behind;
            return Some(PercentPiece::Text("%"));
        }
        Some(place(&mut rest).unwrap_or_else(|wrong| {
            rest = "";
            PercentPiece::Wrong(wrong)
        }))
    })
}

/// The place behind a `%`.
fn place<'t>(rest: &mut &'t str) -> Result<PercentPiece<'t>, Wrong> {
    let name = match rest.strip_prefix('(') {
        Some(behind) => {
            let (name, behind) = named(behind).ok_or(Wrong::NoKind)?;
            *rest = behind;
            Some(name)
        }
        None => None,
    };
    let (spec, behind) = percent_spec(rest);
    *rest = behind;
    Ok(PercentPiece::Place { name, spec: spec? })
}

/// The name up to the parenthesis that closes it, and what follows.
fn named(text: &str) -> Option<(&str, &str)> {
    let mut open = 1_usize;
    for (at, found) in text.char_indices() {
        match found {
            '(' => open += 1,
            ')' => open -= 1,
            _ => continue,
        }
        if open == 0 {
            let (name, rest) = text.split_at_checked(at)?;
            return Some((name, rest.strip_prefix(')').unwrap_or(rest)));
        }
    }
    None
}
