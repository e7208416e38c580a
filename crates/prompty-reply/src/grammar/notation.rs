//! What the written forms of a grammar have in common: sequences, alternatives and repetitions.

use super::expression::Expression;

/// What an expression stands in, which says whether it needs parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Around {
    Nothing,
    Sequence,
    Repeat,
}

/// A form in which expressions are written.
pub(super) trait Notation {
    /// Writes a text, a class, free text or the name of a rule.
    fn atom(&mut self, atom: &Expression, around: Around, out: &mut String);

    /// Writes an expression.
    fn expression(&mut self, expression: &Expression, around: Around, out: &mut String) {
        self.compound(expression, around, out);
    }

    /// Writes an expression whose parts are written as expressions.
    fn compound(&mut self, expression: &Expression, around: Around, out: &mut String) {
        match expression {
            Expression::Sequence(none) if none.is_empty() => out.push_str("\"\""),
            Expression::Repeat { at_most: Some(0), .. } => out.push_str("\"\""),
            Expression::Sequence(parts) => grouped(around == Around::Repeat, out, |out| {
                joined(parts, " ", out, |part, out| self.expression(part, Around::Sequence, out));
            }),
            Expression::Choice(ways) => grouped(around > Around::Nothing, out, |out| {
                joined(ways, " | ", out, |way, out| self.expression(way, Around::Sequence, out));
            }),
            Expression::Repeat { of, at_least, at_most } => {
                grouped(around == Around::Repeat, out, |out| {
                    self.expression(of, Around::Repeat, out);
                    out.push_str(&count(*at_least, *at_most));
                });
            }
            Expression::Text(_)
            | Expression::Class(_)
            | Expression::Rule(_)
            | Expression::Until(_) => self.atom(expression, around, out),
        }
    }
}

/// How often something stands, behind it.
fn count(at_least: u32, at_most: Option<u32>) -> String {
    match (at_least, at_most) {
        (0, Some(1)) => "?".to_owned(),
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (at_least, Some(at_most)) if at_least == at_most => format!("{{{at_least}}}"),
        (at_least, Some(at_most)) => format!("{{{at_least},{at_most}}}"),
        (at_least, None) => format!("{{{at_least},}}"),
    }
}

/// Writes something, in parentheses where it needs them.
pub(super) fn grouped(needed: bool, out: &mut String, inner: impl FnOnce(&mut String)) {
    if needed {
        out.push('(');
    }
    inner(out);
    if needed {
        out.push(')');
    }
}

/// Writes a text in quotes.
pub(super) fn quoted(text: &str, out: &mut String, other: fn(char, &mut String)) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            _ => other(character, out),
        }
    }
    out.push('"');
}

/// Writes several, with a separator between each two.
pub(super) fn joined<T>(
    parts: &[T],
    separator: &str,
    out: &mut String,
    mut write: impl FnMut(&T, &mut String),
) {
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push_str(separator);
        }
        write(part, out);
    }
}
