//! What the engine parses and cannot be trusted with: expressions that it panics on for some values,
//! and names that are ours.

use crate::template::{SyntaxError, Template};
use prompty_core::diagnostic::Span;
use prompty_core::jinja::tree::{Argument, Expr, ExprKind, Node, UnaryOperator};
use prompty_core::jinja::walk;
use prompty_core::value::Value;

/// What all names begin with that only an instrumented template may hold: with them
/// a template could write what looks like its own markers.
const RESERVED: &str = "__prompty_";

/// The first such part of a template.
pub(crate) fn first_refused(text: &str, template: &Template) -> Option<SyntaxError> {
    reserved(text).or_else(|| first(&template.nodes))
}

fn reserved(text: &str) -> Option<SyntaxError> {
    let at = text.find(RESERVED)?;
    let message = format!("names beginning with `{RESERVED}` are reserved");
    let span = Span::new(at, at + RESERVED.len());
    Some(SyntaxError::new(span, message).with_help("write it otherwise, or give it as an input"))
}

/// The first such expression.
fn first(nodes: &[Node]) -> Option<SyntaxError> {
    nodes.iter().find_map(|node| {
        let own = walk::expressions(node).into_iter().find_map(in_expression);
        own.or_else(|| walk::bodies(node).into_iter().find_map(first))
    })
}

fn in_expression(expr: &Expr) -> Option<SyntaxError> {
    match &expr.kind {
        ExprKind::Slice { bounds: [start, stop, Some(step)], .. } => {
            let whole = start.is_none() && stop.is_none();
            match constant(step) {
                Some(1..) => None,
                Some(-1) if whole => None,
                _ => Some(
                    SyntaxError::new(step.span, "a slice's step is a number above 0 here")
                        .with_help("`[::-1]` turns a text or list round as a whole"),
                ),
            }
        }
        ExprKind::Method { call, .. }
            if call.name.text == "cycle"
                && !matches!(call.arguments.first(), Some(Argument::Positional(_))) =>
        {
            let message = "`cycle` takes what it cycles through";
            Some(
                SyntaxError::new(call.name.span, message)
                    .with_help("such as `loop.cycle(\"odd\", \"even\")`"),
            )
        }
        _ => None,
    }
    .or_else(|| walk::operands(expr).into_iter().find_map(in_expression))
}

/// A whole number that is written in the template.
fn constant(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Literal(Value::Integer(number)) => Some(*number),
        ExprKind::Unary { operator: UnaryOperator::Minus, operand } => {
            constant(operand).and_then(i128::checked_neg)
        }
        _ => None,
    }
}
