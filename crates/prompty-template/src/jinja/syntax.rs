//! What a prompt may write: the dialect of prompts, without what the engine cannot be trusted with.
//!
//! What [`accepted`] takes, the engine compiles with the same meaning. The engine takes a little more,
//! which is refused here, each with its place and a reason:
//!
//! - tags that name other templates, and the blocks that only they need: the files of a prompt are one text
//!   before it gets here;
//! - `break` and `continue`, where the program's minijinja has them;
//! - names beyond ASCII, where the program's minijinja has them;
//! - tags that bind nothing, such as `{% for in list %}` and `{% set () = list %}`;
//! - `name((parameter)=value)`: the name of an argument in parentheses;
//! - whole numbers of more than 127 bits;
//! - more than 2000 parameters of a macro, a template longer than 1 MiB, and expressions and blocks
//!   that are nested so deep, or so long, that a walk over them could exhaust the stack;
//! - names of more than 256 bytes, and more than 256 attributes that `set` gives to namespaces: the
//!   engine compares a name with others wherever it is used;
//! - names beginning with `__prompty_`: with them a template could write its own markers;
//! - slices with a step that is not a constant above 0, and `cycle` without arguments: the engine
//!   panics on them for some values.

use std::collections::BTreeSet;

use crate::jinja::{self, Dialect};
use crate::tree::{
    Argument, Call, Expr, ExprKind, Macro, Name, Node, NodeKind, Target, UnaryOperator,
};
use crate::walk;
use crate::{SyntaxError, Template};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;

/// What all names begin with that only an instrumented template may hold.
const RESERVED: &str = "__prompty_";

/// How many bytes a name has at most.
const LONGEST_NAME: usize = 256;

/// How many attributes a namespace has at most.
pub const MOST_ATTRIBUTES: usize = 256;

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
    let refused = first_unavailable(&template).or_else(|| first_refused(text, &template));
    refused.map_or(Ok(template), Err)
}

/// The first construct that needs other files.
pub(super) fn first_unavailable(template: &Template) -> Option<SyntaxError> {
    let (construct, node) = walk::first_unsupported(&template.nodes)?;
    let message = format!("`{construct}` is not available where a template is one text");
    let error = SyntaxError::new(node.span, message);
    Some(error.with_help("load the prompt, which puts its files together"))
}

/// The first part of a template that the engine cannot be trusted with.
pub(super) fn first_refused(text: &str, template: &Template) -> Option<SyntaxError> {
    reserved_name(text)
        .or_else(|| first_in_nodes(&template.nodes))
        .or_else(|| too_many_attributes(&template.nodes))
}

/// The first `set` that gives a namespace more attributes than it may have.
fn too_many_attributes(nodes: &[Node]) -> Option<SyntaxError> {
    let mut names = BTreeSet::new();
    let expr = first_beyond(nodes, &mut names)?;
    let message = format!("`set` gives namespaces more than {MOST_ATTRIBUTES} attributes");
    Some(
        SyntaxError::new(expr.span, message).with_help("use an attribute that holds a list or map"),
    )
}

fn first_beyond<'t>(nodes: &'t [Node], names: &mut BTreeSet<&'t str>) -> Option<&'t Expr> {
    nodes.iter().find_map(|node| {
        if let NodeKind::Set { target: Target::Attribute(expr), .. }
        | NodeKind::SetBlock { target: Target::Attribute(expr), .. } = &node.kind
            && let ExprKind::Attribute { name, .. } = &expr.kind
        {
            names.insert(&name.text);
            if names.len() > MOST_ATTRIBUTES {
                return Some(expr);
            }
        }
        walk::bodies(node).into_iter().find_map(|body| first_beyond(body, names))
    })
}

/// A name that is too long, of those that a node's own tags bind.
fn long_name_bound(node: &Node) -> Option<SyntaxError> {
    let too_long = |name: &Name| long_name(&name.text, name.span);
    let in_target = |target: &Target| match target {
        Target::Attribute(expr) => first_in_expression(expr),
        _ => target.names().into_iter().find_map(too_long),
    };
    let in_macro = |declared: &Macro| {
        std::iter::once(&declared.name).chain(&declared.parameters).find_map(too_long)
    };
    let in_call = |call: &Call| long_name_called(call);
    match &node.kind {
        NodeKind::Set { target, .. } => in_target(target),
        NodeKind::SetBlock { target, filters, .. } => {
            in_target(target).or_else(|| filters.iter().find_map(in_call))
        }
        NodeKind::For(repeated) => in_target(&repeated.target),
        NodeKind::With { bindings, .. } => bindings.iter().find_map(|(it, _)| in_target(it)),
        NodeKind::FilterBlock { filters, .. } => filters.iter().find_map(in_call),
        NodeKind::Macro(declared) => in_macro(declared),
        NodeKind::CallBlock { caller, .. } => in_macro(caller),
        _ => None,
    }
}

/// A name that is too long, of those that a call consists of.
fn long_name_called(call: &Call) -> Option<SyntaxError> {
    long_name(&call.name.text, call.name.span)
        .or_else(|| call.arguments.iter().find_map(long_name_given))
}

fn long_name_given(argument: &Argument) -> Option<SyntaxError> {
    match argument {
        Argument::Named(name, _) => long_name(&name.text, name.span),
        _ => None,
    }
}

fn long_name(name: &str, span: TemplateSpan) -> Option<SyntaxError> {
    if name.len() <= LONGEST_NAME {
        return None;
    }
    let message = format!("the name is longer than {LONGEST_NAME} bytes");
    Some(SyntaxError::new(span, message).with_help("give it a shorter name"))
}

fn reserved_name(text: &str) -> Option<SyntaxError> {
    let at = text.find(RESERVED)?;
    let message = format!("names beginning with `{RESERVED}` are reserved");
    let span = TemplateSpan::new(at, at + RESERVED.len());
    Some(SyntaxError::new(span, message).with_help("write it otherwise, or give it as an input"))
}

fn first_in_nodes(nodes: &[Node]) -> Option<SyntaxError> {
    nodes.iter().find_map(|node| {
        let own = walk::expressions(node).into_iter().find_map(first_in_expression);
        own.or_else(|| long_name_bound(node))
            .or_else(|| walk::bodies(node).into_iter().find_map(first_in_nodes))
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
        ExprKind::Variable(name) => long_name(name, expr.span),
        ExprKind::Attribute { name, .. } => long_name(&name.text, name.span),
        ExprKind::Filter { call, .. }
        | ExprKind::Test { call, .. }
        | ExprKind::Function(call)
        | ExprKind::Method { call, .. } => long_name_called(call),
        ExprKind::Invocation { arguments, .. } => arguments.iter().find_map(long_name_given),
        _ => None,
    }
    .or_else(|| walk::operands(expr).into_iter().find_map(first_in_expression))
}

/// A whole number that is written in the template.
pub fn constant_integer(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Literal(Value::Integer(number)) => Some(*number),
        ExprKind::Unary { operator: UnaryOperator::Minus, operand } => {
            constant_integer(operand).and_then(i128::checked_neg)
        }
        _ => None,
    }
}
