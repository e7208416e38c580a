//! Parses strings for the operator `%`: `'%s of %(name)05d'`.

use super::error::FormatError;
use super::spec::{Spec, percent_spec};

/// A piece of a string for `%`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PercentPiece<'t> {
    /// Literal text.
    Text(&'t str),
    /// A placeholder for a value.
    Place {
        /// The name of the value: `%(name)s`. Without a name, it is the next positional value.
        name: Option<&'t str>,
        /// The format specification.
        spec: Spec,
    },
    /// A syntax error. Nothing follows it.
    Error(FormatError),
}

/// Splits a string for `%` into pieces.
pub fn percent_pieces(text: &str) -> impl Iterator<Item = PercentPiece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(after) = rest.strip_prefix('%') else {
            let (text, after) = rest.split_at_checked(rest.find('%').unwrap_or(rest.len()))?;
            rest = after;
            return Some(PercentPiece::Text(text));
        };
        rest = after;
        if let Some(after) = rest.strip_prefix('%') {
            rest = after;
            return Some(PercentPiece::Text("%"));
        }
        Some(take_place(&mut rest).unwrap_or_else(|error| {
            rest = "";
            PercentPiece::Error(error)
        }))
    })
}

/// Takes the placeholder after a `%` from the start of a text.
fn take_place<'t>(rest: &mut &'t str) -> Result<PercentPiece<'t>, FormatError> {
    let name = match rest.strip_prefix('(') {
        Some(after) => {
            let (name, after) = name_in_parentheses(after).ok_or(FormatError::NoKind)?;
            *rest = after;
            Some(name)
        }
        None => None,
    };
    let (spec, after) = percent_spec(rest);
    *rest = after;
    Ok(PercentPiece::Place { name, spec: spec? })
}

/// Splits a text at the parenthesis that closes the name, which may contain parentheses itself.
fn name_in_parentheses(text: &str) -> Option<(&str, &str)> {
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
