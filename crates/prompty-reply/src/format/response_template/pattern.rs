//! The patterns of response templates: the part of Python's regular expressions that can express
//! the positions of literal text, white space and a name.

use crate::format::{Marker, Suffix};
use prompty_core::regular_expression::{self, Dialect, Node, NodeKind, UNCLOSED_CLASS};

/// The maximum length of the white space that a repetition matches. A pattern is written by others:
/// ` {0,4000000000}` must not allocate that much.
pub(super) const MOST_SPACE: usize = 64;

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatternPart {
    /// Literal text.
    Text(String),
    /// White space that may be missing, in its full length.
    Space(String),
    /// A group with a name.
    Named(String),
    /// A varying word.
    Word,
    /// Any text.
    Any,
    /// Optional parts.
    Optional(Vec<PatternPart>),
    /// One of several texts.
    OneOf(Vec<String>),
}

/// Parses a pattern into its parts. Anything else is an error.
pub(super) fn parse(pattern: &str) -> Result<Vec<PatternPart>, String> {
    match regular_expression::parse(pattern, Dialect::Python) {
        Ok(node) => pieces(&node, pattern),
        Err(error) if error.why == UNCLOSED_CLASS => Err(error.why),
        Err(error) => Err(unsupported(pattern, error.at)),
    }
}

/// Splits the parts at a group.
pub(super) fn split_at_group<'p>(
    pieces: &'p [PatternPart],
    name: &str,
) -> Option<(&'p [PatternPart], &'p [PatternPart])> {
    let is_group =
        |piece: &PatternPart| matches!(piece, PatternPart::Named(group) if group == name);
    let mut parts = pieces.splitn(2, is_group);
    Some((parts.next()?, parts.next()?))
}

/// Joins text and white space into a marker.
pub(super) fn marker(pieces: &[PatternPart]) -> Result<Marker, String> {
    let mut canonical = String::new();
    for piece in pieces {
        match piece {
            PatternPart::Text(text) | PatternPart::Space(text) => canonical.push_str(text),
            PatternPart::Named(name) => {
                return Err(format!("the group `{name}` is not allowed here"));
            }
            PatternPart::Word | PatternPart::Any => {
                return Err("a pattern of any text is not allowed here".to_owned());
            }
            PatternPart::Optional(_) => return Err("optional text is not allowed here".to_owned()),
            PatternPart::OneOf(_) => return Err("alternatives are not allowed here".to_owned()),
        }
    }
    Ok(Marker::new(canonical))
}

/// Escapes a text for use in a pattern.
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

/// A pattern for white space of which some may be missing. `None` if it is longer than a pattern
/// supports.
pub(super) fn space(space: &str) -> Option<String> {
    let mut pattern = String::new();
    let mut rest = space;
    while let Some(first) = rest.chars().next() {
        let after = rest.trim_start_matches(first);
        let count = rest.chars().count() - after.chars().count();
        if count > MOST_SPACE {
            return None;
        }
        pattern.push_str(&escape(first.encode_utf8(&mut [0; 4])));
        match count {
            1 => pattern.push('?'),
            _ => pattern.push_str(&format!("{{0,{count}}}")),
        }
        rest = after;
    }
    Some(pattern)
}

/// Whether a marker is written as a literal: it has no white space around it.
pub(super) fn is_literal(marker: &Marker) -> bool {
    marker.before.is_empty() && marker.after.is_empty()
}

/// Writes a marker as a pattern.
pub(super) fn of_marker(marker: &Marker) -> Option<String> {
    Some(format!("{}{}{}", space(&marker.before)?, escape(&marker.text), space(&marker.after)?))
}

/// Writes the suffix of a name as a pattern.
pub(super) fn of_suffix(suffix: &Suffix) -> Option<String> {
    let text = of_marker(&suffix.text)?;
    match &suffix.hint {
        Some(hint) => Some(format!("{text}\\w*{}", of_marker(&hint.end)?)),
        None => Some(text),
    }
}

/// The error message for an unsupported part of a pattern.
fn unsupported(pattern: &str, at: usize) -> String {
    let excerpt: String = pattern.get(at..).unwrap_or(pattern).chars().take(12).collect();
    format!("`{excerpt}` is not supported")
}

/// Converts a part of a parsed pattern into pattern parts.
fn pieces(node: &Node, pattern: &str) -> Result<Vec<PatternPart>, String> {
    let unsupported = |at| Err(unsupported(pattern, at));
    match &node.kind {
        NodeKind::Class(class) if *class == regular_expression::white_space() => {
            Ok(vec![PatternPart::Space("\n".to_owned())])
        }
        NodeKind::Class(class) => match class.single() {
            Some(character) => Ok(vec![PatternPart::Text(character.to_string())]),
            None => unsupported(node.at),
        },
        NodeKind::Any | NodeKind::Start | NodeKind::End => unsupported(node.at),
        NodeKind::Sequence(parts) => {
            let mut all: Vec<PatternPart> = Vec::new();
            for part in parts {
                for piece in pieces(part, pattern)? {
                    match (all.last_mut(), piece) {
                        (Some(PatternPart::Text(text)), PatternPart::Text(more)) => {
                            text.push_str(&more);
                        }
                        (_, piece) => all.push(piece),
                    }
                }
            }
            Ok(all)
        }
        NodeKind::Choice(alternatives) => {
            let text =
                |alternative| match <[PatternPart; 1]>::try_from(pieces(alternative, pattern)?) {
                    Ok([PatternPart::Text(text)]) => Ok(text),
                    _ => Err("`|` is only supported between texts".to_owned()),
                };
            Ok(vec![PatternPart::OneOf(alternatives.iter().map(text).collect::<Result<_, _>>()?)])
        }
        NodeKind::Repeat { of, at_least: 0 | 1, at_most: None, .. } => match repeated(of) {
            Some(piece) => Ok(vec![piece]),
            None => unsupported(node.at),
        },
        NodeKind::Repeat { of, at_least: 0, at_most: Some(most), .. } => match (&of.kind, most) {
            (NodeKind::Group { name: None, of }, 1) => {
                Ok(vec![PatternPart::Optional(pieces(of, pattern)?)])
            }
            _ => match space_up_to(of, *most) {
                Some(space) => Ok(vec![PatternPart::Space(space)]),
                None => unsupported(node.at),
            },
        },
        NodeKind::Repeat { count_at, .. } => unsupported(*count_at),
        NodeKind::Group { name: None, of } => pieces(of, pattern),
        NodeKind::Group { name: Some(name), of } => match pieces(of, pattern)?.as_slice() {
            [PatternPart::Word | PatternPart::Any] => Ok(vec![PatternPart::Named(name.clone())]),
            _ => Err(format!("the content of the group `{name}` is not supported")),
        },
    }
}

/// Converts the unlimited repetition of a node into a pattern part. A marker has a canonical white
/// space, so `\n*` becomes one line break.
fn repeated(node: &Node) -> Option<PatternPart> {
    match &node.kind {
        NodeKind::Any => Some(PatternPart::Any),
        NodeKind::Class(class) if class.single().is_none() => match space_up_to(node, 1) {
            Some(space) => Some(PatternPart::Space(space)),
            None => Some(PatternPart::Word),
        },
        _ => space_up_to(node, 1).map(PatternPart::Space),
    }
}

/// The white space that up to `most` repetitions of a node match, in its full length.
fn space_up_to(node: &Node, most: u32) -> Option<String> {
    let NodeKind::Class(class) = &node.kind else { return None };
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

    fn text(text: &str) -> PatternPart {
        PatternPart::Text(text.to_owned())
    }

    fn white_space(text: &str) -> PatternPart {
        PatternPart::Space(text.to_owned())
    }

    #[test]
    fn white_space_of_several_kinds_is_read_as_written() {
        for (white, pattern) in [("\n ", "\\n? ?"), ("\n\n\t ", "\\n{0,2}\\t? ?")] {
            assert_eq!(space(white).unwrap(), pattern);
            let pieces = parse(pattern).unwrap();
            assert_eq!(
                marker(&[text("a"), PatternPart::Space(white.to_owned())]).unwrap(),
                marker(&[&[text("a")], &*pieces].concat()).unwrap()
            );
        }
    }

    #[test]
    fn text_white_space_and_names_are_parsed() {
        assert_eq!(
            parse("\\s*<call>\\n?<do=(?P<name>[^>\\n]+)>\\n{0,2}").unwrap(),
            [
                white_space("\n"),
                text("<call>"),
                white_space("\n"),
                text("<do="),
                PatternPart::Named("name".to_owned()),
                text(">"),
                white_space("\n\n")
            ]
        );
        assert_eq!(
            parse("(?:<\\|a\\|>)?b(?:c|d\\.)").unwrap(),
            [
                PatternPart::Optional(vec![text("<|a|>")]),
                text("b"),
                PatternPart::OneOf(vec!["c".to_owned(), "d.".to_owned()])
            ]
        );
        // White space around a marker is also white space in a pattern.
        for white in ["\u{2000}", "\u{b}", "\n\n"] {
            assert_eq!(parse(&space(white).unwrap()).unwrap(), [white_space(white)]);
        }
        assert_eq!(parse("a.*?{b}").unwrap(), [text("a"), PatternPart::Any, text("{b}")]);
    }

    #[test]
    fn unsupported_patterns_are_errors() {
        for (pattern, excerpt) in [
            ("a(?=b)", "`(?=b)` is not supported"),
            ("</(?P=key)>", "`(?P=key)>` is not supported"),
            ("a\\b", "`\\b` is not supported"),
            ("ab*", "`b*` is not supported"),
            ("(?P<name>a|b)", "the content of the group `name` is not supported"),
            ("a)", "`)` is not supported"),
            ("a$", "`$` is not supported"),
            ("[ab", "an unclosed character class"),
            ("a{2}", "`{2}` is not supported"),
            ("a+|\\w+", "`a+|\\w+` is not supported"),
        ] {
            assert_eq!(parse(pattern).unwrap_err(), excerpt, "{pattern}");
        }
    }

    #[test]
    fn escaped_text_is_parsed_as_that_text() {
        for written in ["<|a.b|>", "[X](y)*+?^$\\{}", "a\nb\t"] {
            assert_eq!(parse(&escape(written)).unwrap(), [text(written)]);
        }
    }
}
