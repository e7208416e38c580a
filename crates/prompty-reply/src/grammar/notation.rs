//! The common parts of the written forms of a grammar: sequences, alternatives and repetitions.

use super::expression::Expression;

/// The context of an expression, which decides whether it needs parentheses. They are ordered: what
/// needs parentheses in one also needs them in the later ones.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum ExpressionContext {
    /// It is a complete rule.
    Nothing,
    /// Inside a sequence or a choice.
    Sequence,
    /// Before `?`, `*`, `+` or a count.
    Repeat,
}

/// A form in which expressions are written.
pub(super) trait GrammarNotation {
    /// Writes a text, a class, free text or the name of a rule.
    fn atom(&mut self, atom: &Expression, context: ExpressionContext, out: &mut String);

    /// Writes an expression.
    fn expression(
        &mut self,
        expression: &Expression,
        context: ExpressionContext,
        out: &mut String,
    ) {
        self.compound(expression, context, out);
    }

    /// Writes an expression whose parts are written as expressions.
    fn compound(&mut self, expression: &Expression, context: ExpressionContext, out: &mut String) {
        match expression {
            Expression::Sequence(none) if none.is_empty() => out.push_str("\"\""),
            Expression::Repeat { at_most: Some(0), .. } => out.push_str("\"\""),
            Expression::Sequence(parts) => {
                grouped(context == ExpressionContext::Repeat, out, |out| {
                    joined(parts, " ", out, |part, out| {
                        self.expression(part, ExpressionContext::Sequence, out);
                    });
                });
            }
            Expression::Choice(ways) => grouped(context > ExpressionContext::Nothing, out, |out| {
                joined(ways, " | ", out, |way, out| {
                    self.expression(way, ExpressionContext::Sequence, out);
                });
            }),
            Expression::Repeat { of, at_least, at_most } => {
                grouped(context == ExpressionContext::Repeat, out, |out| {
                    self.expression(of, ExpressionContext::Repeat, out);
                    out.push_str(&count(*at_least, *at_most));
                });
            }
            Expression::Text(_)
            | Expression::Class(_)
            | Expression::Rule(_)
            | Expression::Until(_) => self.atom(expression, context, out),
        }
    }
}

/// The suffix for a number of repetitions.
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

/// Writes something, in parentheses if needed.
pub(super) fn grouped(needed: bool, out: &mut String, inner: impl FnOnce(&mut String)) {
    if needed {
        out.push('(');
    }
    inner(out);
    if needed {
        out.push(')');
    }
}

/// Writes a quoted string.
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

/// Writes several parts with a separator between them.
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
