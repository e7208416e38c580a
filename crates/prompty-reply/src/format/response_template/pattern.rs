//! The patterns of response templates: as much of Python's regular expressions as says where literal
//! text, white space and a name stand.

use crate::format::{Marker, Suffix};
use prompty_core::regular_expression::{self, Dialect, Kind, Node, UNCLOSED_CLASS};

/// The most white space that a repetition stands for.
const MOST_SPACE: usize = 64;

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Literal text.
    Text(String),
    /// White space that may be missing, as it is written in full.
    Space(String),
    /// A group with a name.
    Named(String),
    /// A word that varies.
    Word,
    /// Any text.
    Any,
    /// What may be missing.
    Optional(Vec<Piece>),
    /// One of several texts.
    OneOf(Vec<String>),
}

/// Reads a pattern. What it holds beyond the pieces is the error.
pub(super) fn parse(pattern: &str) -> Result<Vec<Piece>, String> {
    match regular_expression::parse(pattern, Dialect::Python) {
        Ok(node) => pieces(&node, pattern),
        Err(error) if error.why == UNCLOSED_CLASS => Err(error.why),
        Err(error) => Err(unsupported(pattern, error.at)),
    }
}

/// Where a group stands among pieces.
pub(super) fn split_at_group<'p>(
    pieces: &'p [Piece],
    name: &str,
) -> Option<(&'p [Piece], &'p [Piece])> {
    let is_group = |piece: &Piece| matches!(piece, Piece::Named(group) if group == name);
    let mut parts = pieces.splitn(2, is_group);
    Some((parts.next()?, parts.next()?))
}

/// The marker that pieces of text and white space make.
pub(super) fn marker(pieces: &[Piece]) -> Result<Marker, String> {
    let mut canonical = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) | Piece::Space(text) => canonical.push_str(text),
            Piece::Named(name) => return Err(format!("the group `{name}` in this place")),
            Piece::Word | Piece::Any => return Err("text that varies, in this place".to_owned()),
            Piece::Optional(_) => return Err("what may be missing, in this place".to_owned()),
            Piece::OneOf(_) => return Err("one of several texts, in this place".to_owned()),
        }
    }
    Ok(Marker::new(canonical))
}

/// A text as a pattern.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\\' | '.' | '^' | '$' | '*' | '+' | '?' | '{' | '}' | '[' | ']' | '|' | '(' | ')' => {
                out.push('\\');
                out.push(character);
            }
            _ => out.push(character),
        }
    }
    out
}

/// White space of which less may stand, as a pattern, kind by kind: nothing where it is more than a pattern
/// stands for.
pub(super) fn space(space: &str) -> Option<String> {
    let mut pattern = String::new();
    let mut rest = space;
    while let Some(first) = rest.chars().next() {
        let behind = rest.trim_start_matches(first);
        let count = rest.chars().count() - behind.chars().count();
        if count > MOST_SPACE {
            return None;
        }
        pattern.push_str(&escape(first.encode_utf8(&mut [0; 4])));
        match count {
            1 => pattern.push('?'),
            _ => pattern.push_str(&format!("{{0,{count}}}")),
        }
        rest = behind;
    }
    Some(pattern)
}

/// Whether a marker is written as a literal: it has no white space around it.
pub(super) fn is_literal(marker: &Marker) -> bool {
    marker.before.is_empty() && marker.after.is_empty()
}

/// A marker as a pattern.
pub(super) fn of_marker(marker: &Marker) -> Option<String> {
    Some(format!("{}{}{}", space(&marker.before)?, escape(&marker.text), space(&marker.after)?))
}

/// What stands behind a name as a pattern.
pub(super) fn of_suffix(suffix: &Suffix) -> Option<String> {
    let text = of_marker(&suffix.text)?;
    match &suffix.hint {
        Some(hint) => Some(format!("{text}\\w*{}", of_marker(&hint.end)?)),
        None => Some(text),
    }
}

/// What stands in a pattern where no piece does.
fn unsupported(pattern: &str, at: usize) -> String {
    let shown: String = pattern.get(at..).unwrap_or(pattern).chars().take(12).collect();
    format!("`{shown}` in a pattern")
}

/// The pieces that a part of a pattern stands for.
fn pieces(node: &Node, pattern: &str) -> Result<Vec<Piece>, String> {
    let unsupported = |at| Err(unsupported(pattern, at));
    match &node.kind {
        Kind::Class(class) if *class == regular_expression::white_space() => {
            Ok(vec![Piece::Space("\n".to_owned())])
        }
        Kind::Class(class) => match class.single() {
            Some(character) => Ok(vec![Piece::Text(character.to_string())]),
            None => unsupported(node.at),
        },
        Kind::Any | Kind::Start | Kind::End => unsupported(node.at),
        Kind::Sequence(parts) => {
            let mut all: Vec<Piece> = Vec::new();
            for part in parts {
                for piece in pieces(part, pattern)? {
                    match (all.last_mut(), piece) {
                        (Some(Piece::Text(text)), Piece::Text(more)) => text.push_str(&more),
                        (_, piece) => all.push(piece),
                    }
                }
            }
            Ok(all)
        }
        Kind::Choice(ways) => {
            let text = |way| match <[Piece; 1]>::try_from(pieces(way, pattern)?) {
                Ok([Piece::Text(text)]) => Ok(text),
                _ => Err("`|` between what is no text".to_owned()),
            };
            Ok(vec![Piece::OneOf(ways.iter().map(text).collect::<Result<_, _>>()?)])
        }
        Kind::Repeat { of, at_least: 0 | 1, at_most: None, .. } => match repeated(of) {
            Some(piece) => Ok(vec![piece]),
            None => unsupported(node.at),
        },
        Kind::Repeat { of, at_least: 0, at_most: Some(most), .. } => match (&of.kind, most) {
            (Kind::Group { name: None, of }, 1) => Ok(vec![Piece::Optional(pieces(of, pattern)?)]),
            _ => match space_up_to(of, *most) {
                Some(space) => Ok(vec![Piece::Space(space)]),
                None => unsupported(node.at),
            },
        },
        Kind::Repeat { count_at, .. } => unsupported(*count_at),
        Kind::Group { name: None, of } => pieces(of, pattern),
        Kind::Group { name: Some(name), of } => match pieces(of, pattern)?.as_slice() {
            [Piece::Word | Piece::Any] => Ok(vec![Piece::Named(name.clone())]),
            _ => Err(format!("what the group `{name}` is made of")),
        },
    }
}

/// What stands there again and again, as a piece.
fn repeated(node: &Node) -> Option<Piece> {
    match &node.kind {
        Kind::Any => Some(Piece::Any),
        Kind::Class(class) if class.single().is_none() => match space_up_to(node, 1) {
            Some(space) => Some(Piece::Space(space)),
            None => Some(Piece::Word),
        },
        _ => space_up_to(node, 1).map(Piece::Space),
    }
}

/// White space that stands so often at most, as it is written in full.
fn space_up_to(node: &Node, most: u32) -> Option<String> {
    let Kind::Class(class) = &node.kind else { return None };
    if *class == regular_expression::white_space() {
        return Some("\n".to_owned());
    }
    let count = usize::try_from(most).ok().filter(|count| *count <= MOST_SPACE)?;
    let character = class.single().filter(|character| character.is_whitespace())?;
    Some(character.to_string().repeat(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Piece {
        Piece::Text(text.to_owned())
    }

    fn blank(text: &str) -> Piece {
        Piece::Space(text.to_owned())
    }

    #[test]
    fn white_space_of_several_kinds_is_read_as_it_was_written() {
        for (white, pattern) in [("\n ", "\\n? ?"), ("\n\n\t ", "\\n{0,2}\\t? ?")] {
            assert_eq!(space(white).unwrap(), pattern);
            let pieces = parse(pattern).unwrap();
            assert_eq!(
                marker(&[text("a"), Piece::Space(white.to_owned())]).unwrap(),
                marker(&[&[text("a")], &*pieces].concat()).unwrap()
            );
        }
    }

    #[test]
    fn literal_text_white_space_and_names() {
        assert_eq!(
            parse("\\s*<call>\\n?<do=(?P<name>[^>\\n]+)>\\n{0,2}").unwrap(),
            [
                blank("\n"),
                text("<call>"),
                blank("\n"),
                text("<do="),
                Piece::Named("name".to_owned()),
                text(">"),
                blank("\n\n")
            ]
        );
        assert_eq!(
            parse("(?:<\\|a\\|>)?b(?:c|d\\.)").unwrap(),
            [
                Piece::Optional(vec![text("<|a|>")]),
                text("b"),
                Piece::OneOf(vec!["c".to_owned(), "d.".to_owned()])
            ]
        );
        // What is white space around a marker is white space here.
        for white in ["\u{2000}", "\u{b}", "\n\n"] {
            assert_eq!(parse(&space(white).unwrap()).unwrap(), [blank(white)]);
        }
        assert_eq!(parse("a.*?{b}").unwrap(), [text("a"), Piece::Any, text("{b}")]);
    }

    #[test]
    fn what_a_format_cannot_say_is_not_understood() {
        for (pattern, shown) in [
            ("a(?=b)", "`(?=b)` in a pattern"),
            ("</(?P=key)>", "`(?P=key)>` in a pattern"),
            ("a\\b", "`\\b` in a pattern"),
            ("ab*", "`b*` in a pattern"),
            ("(?P<name>a|b)", "what the group `name` is made of"),
            ("a)", "`)` in a pattern"),
            ("a$", "`$` in a pattern"),
            ("[ab", "a class of characters without an end"),
            ("a{2}", "`{2}` in a pattern"),
            ("a+|\\w+", "`a+|\\w+` in a pattern"),
        ] {
            assert_eq!(parse(pattern).unwrap_err(), shown, "{pattern}");
        }
    }

    #[test]
    fn a_text_as_a_pattern_is_that_text() {
        for written in ["<|a.b|>", "[X](y)*+?^$\\{}", "a\nb\t"] {
            assert_eq!(parse(&escape(written)).unwrap(), [text(written)]);
        }
    }
}
