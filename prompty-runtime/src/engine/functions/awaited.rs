//! Calls of async functions in a template whose engine cannot wait: they are found before anything is rendered.

use std::collections::HashSet;

use prompty_core::diagnostic::TemplateSpan;
use prompty_template::tree::{Expr, ExprKind, Template};
use prompty_template::walk;

use crate::engine::Extensions;
use prompty_template::{Language, SyntaxError};

/// The error of the first call of an async function.
pub(crate) fn awaited_call(
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
            let mut waiting = walk::expressions(node);
            while let Some(expr) = waiting.pop() {
                let call = called(expr, language);
                calls.extend(call.filter(|(name, _)| names.iter().any(|known| known == name)));
                waiting.extend(walk::operands(expr));
            }
            bodies.extend(walk::bodies(node));
        }
    }
    // What the template binds, such as a macro, is what it means.
    calls.retain(|(name, _)| !bound.contains(name));
    let (name, span) = calls.into_iter().min_by_key(|(_, span)| *span)?;
    let message =
        format!("the function `{name}` is async, and templates of this format cannot wait");
    let help = "call it before the render, and give what it says as an input; or write the template in the \
                format `handlebars` or `semantic-kernel`, whose renders wait";
    Some(SyntaxError::new(span, message).with_help(help))
}

/// The name that an expression calls a function by. Where functions are helpers, it may stand alone.
fn called<'e>(expr: &'e Expr, language: &dyn Language) -> Option<(&'e str, TemplateSpan)> {
    match &expr.kind {
        ExprKind::Function(call) => Some((&*call.name.text, call.name.span)),
        ExprKind::Variable(name) if language.has_helpers() => Some((name, expr.span)),
        _ => None,
    }
}
