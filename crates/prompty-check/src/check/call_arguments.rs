//! Access to the arguments of a call and to constants.

use prompty_core::value::Value as Constant;
use prompty_template::tree::{Argument, Call, Expr, ExprKind};

/// The argument with a name.
pub(super) fn named<'call>(call: &'call Call, name: &str) -> Option<&'call Expr> {
    call.arguments.iter().find_map(|argument| match argument {
        Argument::Named(found, expr) if found.text == name => Some(expr),
        _ => None,
    })
}

/// The argument at a position.
pub(super) fn positional(call: &Call, place: usize) -> Option<&Expr> {
    match call.arguments.get(place) {
        Some(Argument::Positional(expr)) => Some(expr),
        _ => None,
    }
}

/// The string that an expression is, if it is a constant string.
pub(super) fn constant_text(expr: &Expr) -> Option<&str> {
    constant(expr)?.as_str()
}

/// The value of a literal.
pub(super) fn constant(expr: &Expr) -> Option<&Constant> {
    match &expr.kind {
        ExprKind::Literal(value) => Some(value),
        _ => None,
    }
}
