//! What a prompt may write: the dialect of prompts, without what the engine cannot be trusted with.
//!
//! What [`accepted`] takes, the engine compiles with the same meaning. The engine takes a little more,
//! which is refused here, each with its place and a reason:
//!
//! - tags that name other templates, and the blocks that only they need: a prompt is one file;
//! - `break` and `continue`, where the program's minijinja has them;
//! - names beyond ASCII, where the program's minijinja has them;
//! - tags that bind nothing, such as `{% for in list %}` and `{% set () = list %}`;
//! - `name((parameter)=value)`: the name of an argument in parentheses;
//! - whole numbers of more than 127 bits;
//! - more than 2000 parameters of a macro, a template longer than 1 MiB, and expressions and blocks
//!   that are nested so deep, or so long, that a walk over them could exhaust the stack;
//! - names beginning with `__prompty_`: with them a template could write its own markers;
//! - slices with a step that is not a constant above 0, and `cycle` without arguments: the engine
//!   panics on them for some values.

use crate::template::{SyntaxError, Template};
use prompty_core::diagnostic::Span;
use prompty_core::jinja::tree::{Argument, Expr, ExprKind, Node, UnaryOperator};
use prompty_core::jinja::{self, Dialect, walk};
use prompty_core::value::Value;

/// What all names begin with that only an instrumented template may hold.
const RESERVED: &str = "__prompty_";

/// A template's text as a tree, for readers that explain what a prompt cannot use.
///
/// # Errors
///
/// Where the text is not a template, or is longer or deeper than templates may be.
pub fn parse(text: &str) -> Result<Template, SyntaxError> {
    jinja::parse(text, &Dialect::PROMPT)
}

/// A template that the engine may run.
///
/// # Errors
///
/// What [`parse`] refuses, and what the engine cannot be trusted with.
pub fn accepted(text: &str) -> Result<Template, SyntaxError> {
    let template = parse(text)?;
    if let Some((construct, node)) = walk::first_unsupported(&template.nodes) {
        let message = format!("`{construct}` is not available: a prompt is one file");
        let error = SyntaxError::new(node.span, message);
        return Err(error.with_help("write its text where it belongs"));
    }
    first_refused(text, &template).map_or(Ok(template), Err)
}

/// The first part of a template that the engine cannot be trusted with.
pub(crate) fn first_refused(text: &str, template: &Template) -> Option<SyntaxError> {
    reserved_name(text).or_else(|| first_in_nodes(&template.nodes))
}

fn reserved_name(text: &str) -> Option<SyntaxError> {
    let at = text.find(RESERVED)?;
    let message = format!("names beginning with `{RESERVED}` are reserved");
    let span = Span::new(at, at + RESERVED.len());
    Some(SyntaxError::new(span, message).with_help("write it otherwise, or give it as an input"))
}

fn first_in_nodes(nodes: &[Node]) -> Option<SyntaxError> {
    nodes.iter().find_map(|node| {
        let own = walk::expressions(node).into_iter().find_map(first_in_expression);
        own.or_else(|| walk::bodies(node).into_iter().find_map(first_in_nodes))
    })
}

fn first_in_expression(expr: &Expr) -> Option<SyntaxError> {
    match &expr.kind {
        ExprKind::Slice { bounds: [start, stop, Some(step)], .. } => {
            let takes_all = start.is_none() && stop.is_none();
            match constant_integer(step) {
                Some(1..) => None,
                Some(-1) if takes_all => None,
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
    .or_else(|| walk::operands(expr).into_iter().find_map(first_in_expression))
}

/// A whole number that is written in the template.
pub(super) fn constant_integer(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Literal(Value::Integer(number)) => Some(*number),
        ExprKind::Unary { operator: UnaryOperator::Minus, operand } => {
            constant_integer(operand).and_then(i128::checked_neg)
        }
        _ => None,
    }
}
