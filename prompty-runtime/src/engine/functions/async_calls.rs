//! Finds calls of async functions in a template whose engine cannot wait for them.

use std::collections::HashSet;

use prompty_core::diagnostic::TemplateSpan;
use prompty_template::tree::{Expr, ExprKind, Template};
use prompty_template::walk;

use crate::engine::Extensions;
use prompty_template::{Language, SyntaxError};

/// The error for the first call of an async function.
pub(crate) fn find_async_call(
    language: &dyn Language,
    template: &Template,
    extensions: &Extensions,
) -> Option<SyntaxError> {
    let names: Vec<_> = (extensions.functions())
        .filter(|(_, function)| function.is_async())
        .map(|(name, _)| language.function_name(name))
        .collect();
    if names.is_empty() {
        return None;
    }
    let (mut calls, mut bound) = (Vec::new(), HashSet::new());
    let mut bodies = vec![template.nodes.as_slice()];
    while let Some(nodes) = bodies.pop() {
        for node in nodes {
            bound.extend(walk::bound_names(node).into_iter().map(|name| &*name.text));
            let mut pending = walk::expressions(node);
            while let Some(expr) = pending.pop() {
                let call = called_name(expr, language);
                calls.extend(call.filter(|(name, _)| names.iter().any(|known| known == name)));
                pending.extend(walk::operands(expr));
            }
            bodies.extend(walk::bodies(node));
        }
    }
    // A name that the template binds, such as a macro, is not the host's function. Scopes are
    // ignored: a name that is bound anywhere counts as bound everywhere.
    calls.retain(|(name, _)| !bound.contains(name));
    let (name, span) = calls.into_iter().min_by_key(|(_, span)| *span)?;
    let message =
        format!("the function `{name}` is async, and this template format cannot wait for it");
    let help = "call it before the render and pass the result as an input; or use the format \
                `handlebars` or `semantic-kernel`, which support async functions";
    Some(SyntaxError::new(span, message).with_help(help))
}

/// The name by which an expression calls a function. A helper may have no arguments.
fn called_name<'e>(expr: &'e Expr, language: &dyn Language) -> Option<(&'e str, TemplateSpan)> {
    match &expr.kind {
        ExprKind::Function(call) => Some((&*call.name.text, call.name.span)),
        ExprKind::Variable(name) if language.has_helpers() => Some((name, expr.span)),
        _ => None,
    }
}
