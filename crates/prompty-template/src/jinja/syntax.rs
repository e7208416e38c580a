//! The dialect of prompts, and checks for constructs that the engine cannot run safely.
//!
//! The engine compiles every template that [`parse_accepted`] accepts, with the same meaning. The
//! property test `jinja_meaning` checks that, and so does the fuzz target of this name. The engine
//! would compile some more templates. These are rejected here, each with its place and a reason:
//!
//! - tags that name other templates, and the blocks that only they need. The files of a prompt have
//!   been assembled into one text before;
//! - `break` and `continue`, if the program's minijinja has them;
//! - names beyond ASCII, if the program's minijinja has them;
//! - tags that bind nothing, such as `{% for in list %}` and `{% set () = list %}`;
//! - `name((parameter)=value)`: an argument name in parentheses;
//! - integers of more than 127 bits;
//! - macros with more than 2000 parameters, and templates longer than 1 MiB;
//! - expressions and blocks that are so long or nested so deeply that a walk could overflow the
//!   stack;
//! - names of more than 256 bytes, and more than 256 attributes that `set` adds to namespaces. The
//!   engine compares a name with others at each use;
//! - names beginning with `__prompty_`, with which a template could write its own markers;
//! - slices with a step that is not a positive constant, and `cycle` without arguments. The engine
//!   panics on them for some values.

use std::collections::BTreeSet;

use crate::jinja::{self, Dialect};
use crate::tree::{Argument, Call, Expr, ExprKind, Node, NodeKind, Target, UnaryOperator};
use crate::walk;
use crate::{SyntaxError, Template};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;

/// The prefix of names that only an instrumented template may contain.
const RESERVED: &str = "__prompty_";

/// The maximum length of a name, in bytes.
const MAX_NAME_LENGTH: usize = 256;

/// The maximum number of attributes of a namespace.
pub const MAX_ATTRIBUTES: usize = 256;

/// Parses a template, including constructs that a prompt cannot use, so that readers can explain
/// them.
///
/// # Errors
///
/// Returns an error if the text is not a valid template, or is too long or nested too deeply.
pub fn parse(text: &str) -> Result<Template, SyntaxError> {
    jinja::parse(text, &Dialect::PROMPT)
}

/// Parses a template that the engine may run.
///
/// # Errors
///
/// Returns an error if [`parse`] does, or if the engine cannot run the template safely.
pub fn parse_accepted(text: &str) -> Result<Template, SyntaxError> {
    let template = parse(text)?;
    let refused = first_unavailable(&template).or_else(|| first_refused(text, &template));
    refused.map_or(Ok(template), Err)
}

/// Finds the first construct that needs other files.
pub(super) fn first_unavailable(template: &Template) -> Option<SyntaxError> {
    let (construct, node) = walk::first_unsupported(&template.nodes)?;
    let message = format!("`{construct}` is not available in a template without files");
    let error = SyntaxError::new(node.span, message);
    Some(error.with_help("load the prompt, which assembles its files"))
}

/// Finds the first part of a template that the engine cannot run safely.
pub(super) fn first_refused(text: &str, template: &Template) -> Option<SyntaxError> {
    reserved_name(text)
        .or_else(|| first_in_nodes(&template.nodes))
        .or_else(|| too_many_attributes(&template.nodes))
}

/// Returns the error for the first `set` that exceeds the number of attributes of namespaces. All
/// namespaces of the template count together.
fn too_many_attributes(nodes: &[Node]) -> Option<SyntaxError> {
    let mut names = BTreeSet::new();
    let excess = walk::all_nodes(nodes).find_map(|node| match &node.kind {
        NodeKind::Set { target: Target::Attribute(expr), .. }
        | NodeKind::SetBlock { target: Target::Attribute(expr), .. } => match &expr.kind {
            ExprKind::Attribute { name, .. } => {
                names.insert(&name.text);
                (names.len() > MAX_ATTRIBUTES).then_some(expr.span)
            }
            _ => None,
        },
        _ => None,
    })?;
    let message = format!("`set` adds more than {MAX_ATTRIBUTES} attributes to namespaces");
    Some(
        SyntaxError::new(excess, message)
            .with_help("use an attribute with a list or map as its value"),
    )
}

/// Finds a name that is too long among those in a node's own tags, without its expressions.
fn long_name_in_tags(node: &Node) -> Option<SyntaxError> {
    let bound = walk::bound_names(node).into_iter().find_map(|it| long_name(&it.text, it.span));
    let attribute = || match &node.kind {
        NodeKind::Set { target: Target::Attribute(expr), .. }
        | NodeKind::SetBlock { target: Target::Attribute(expr), .. } => first_in_expression(expr),
        _ => None,
    };
    let in_filter = || match &node.kind {
        NodeKind::SetBlock { filters, .. } | NodeKind::FilterBlock { filters, .. } => {
            filters.iter().find_map(long_name_in_call)
        }
        _ => None,
    };
    bound.or_else(attribute).or_else(in_filter)
}

/// Finds a name that is too long in a call.
fn long_name_in_call(call: &Call) -> Option<SyntaxError> {
    long_name(&call.name.text, call.name.span)
        .or_else(|| call.arguments.iter().find_map(long_argument_name))
}

fn long_argument_name(argument: &Argument) -> Option<SyntaxError> {
    match argument {
        Argument::Named(name, _) => long_name(&name.text, name.span),
        _ => None,
    }
}

fn long_name(name: &str, span: TemplateSpan) -> Option<SyntaxError> {
    if name.len() <= MAX_NAME_LENGTH {
        return None;
    }
    let message = format!("the name is longer than {MAX_NAME_LENGTH} bytes");
    Some(SyntaxError::new(span, message).with_help("use a shorter name"))
}

fn reserved_name(text: &str) -> Option<SyntaxError> {
    let at = text.find(RESERVED)?;
    let message = format!("names beginning with `{RESERVED}` are reserved");
    let span = TemplateSpan::new(at, at + RESERVED.len());
    Some(
        SyntaxError::new(span, message)
            .with_help("use a different name, or pass the text as an input"),
    )
}

/// Finds the first part of nodes that the engine cannot run safely, apart from too many attributes.
fn first_in_nodes(nodes: &[Node]) -> Option<SyntaxError> {
    walk::all_nodes(nodes).find_map(|node| {
        let own = walk::expressions(node).into_iter().find_map(first_in_expression);
        own.or_else(|| long_name_in_tags(node))
    })
}

/// Finds the first slice, call of `cycle` or name in an expression that the engine cannot run
/// safely.
fn first_in_expression(expr: &Expr) -> Option<SyntaxError> {
    match &expr.kind {
        ExprKind::Slice { bounds: [start, stop, Some(step)], .. } => {
            let takes_all = start.is_none() && stop.is_none();
            match constant_integer(step) {
                Some(1..) => None,
                Some(-1) if takes_all => None,
                _ => Some(
                    SyntaxError::new(step.span, "the step of a slice is not a positive constant")
                        .with_help(
                            "write a number above 0; to reverse a string or list, write `[::-1]`",
                        ),
                ),
            }
        }
        ExprKind::Method { call, .. }
            if call.name.text == "cycle"
                && !matches!(call.arguments.first(), Some(Argument::Positional(_))) =>
        {
            let message = "`loop.cycle` needs at least 1 argument";
            Some(
                SyntaxError::new(call.name.span, message)
                    .with_help("pass the values, as in `loop.cycle(\"odd\", \"even\")`"),
            )
        }
        ExprKind::Variable(name) => long_name(name, expr.span),
        ExprKind::Attribute { name, .. } => long_name(&name.text, name.span),
        ExprKind::Filter { call, .. }
        | ExprKind::Test { call, .. }
        | ExprKind::Function(call)
        | ExprKind::Method { call, .. } => long_name_in_call(call),
        ExprKind::Invocation { arguments, .. } => arguments.iter().find_map(long_argument_name),
        _ => None,
    }
    .or_else(|| walk::operands(expr).into_iter().find_map(first_in_expression))
}

/// Returns the value of an integer literal, which may be negative.
pub fn constant_integer(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Literal(Value::Integer(number)) => Some(*number),
        ExprKind::Unary { operator: UnaryOperator::Minus, operand } => {
            constant_integer(operand).and_then(i128::checked_neg)
        }
        _ => None,
    }
}
