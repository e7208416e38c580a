//! Our front end of Jinja and the engine judge any text alike, and a template means to both the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use minijinja::Value;
use prompty_template::jinja::syntax::accepted;
use prompty_template::tree::{BinaryOperator, Expr, ExprKind, Node, NodeKind};
use prompty_template::walk;

#[path = "../../prompty-runtime/tests/rendering/jinja_meaning/printer.rs"]
mod printer;
#[path = "../../prompty-runtime/tests/rendering/jinja_meaning/property.rs"]
mod property;

/// Filters whose result is not much longer than what they are given.
const FILTERS: [&str; 12] = [
    "abs", "default", "first", "int", "last", "length", "lower", "reverse", "string", "title",
    "trim", "upper",
];

/// Whether a template without the limits of our renders ends soon and stays small.
fn is_cheap(nodes: &[Node]) -> bool {
    nodes.iter().all(|node| {
        !matches!(node.kind, NodeKind::For(_) | NodeKind::Macro(_) | NodeKind::CallBlock { .. })
            && walk::expressions(node).into_iter().all(is_cheap_expression)
            && walk::bodies(node).into_iter().all(is_cheap)
    })
}

fn is_cheap_expression(value: &Expr) -> bool {
    let is_cheap = match &value.kind {
        ExprKind::Binary { operator, .. } => {
            !matches!(operator, BinaryOperator::Multiply | BinaryOperator::Power)
        }
        ExprKind::Filter { call, .. } => FILTERS.contains(&call.name.text.as_str()),
        ExprKind::Function(_) | ExprKind::Method { .. } | ExprKind::Invocation { .. } => false,
        _ => true,
    };
    is_cheap && walk::operands(value).into_iter().all(is_cheap_expression)
}

fuzz_target!(|text: &str| {
    // Each join may double what a variable holds.
    let joins = text.bytes().filter(|byte| matches!(byte, b'~' | b'+')).count();
    let may_render = joins < 16 && accepted(text).is_ok_and(|tree| is_cheap(&tree.nodes));
    let inputs = Value::from_iter([
        ("a", Value::from("text")),
        ("n", Value::from(3)),
        ("xs", Value::from_iter([1, 2])),
        ("m", Value::from_iter([("name", "Ada")])),
    ]);
    property::check(&property::engine(), text, may_render.then_some(&inputs));
});
