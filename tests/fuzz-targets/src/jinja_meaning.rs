//! Our Jinja parser and the engine accept the same texts, and a template has the same meaning for
//! both.

use minijinja::Value;
use prompty_template::jinja::syntax::parse_accepted;
use prompty_template::tree::{BinaryOperator, Expr, ExprKind, Node, NodeKind};
use prompty_template::walk;

use crate::inputs::read_data;

#[path = "../../../prompty-runtime/tests/rendering/jinja_meaning/printer.rs"]
mod printer;
#[path = "../../../prompty-runtime/tests/rendering/jinja_meaning/property.rs"]
mod property;

/// Filters whose result is not much longer than their input.
const FILTERS: [&str; 12] = [
    "abs", "default", "first", "int", "last", "length", "lower", "reverse", "string", "title",
    "trim", "upper",
];

/// Whether a template ends early with a small output, even without the limits of our renders.
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

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    // Each concatenation may double the value of a variable.
    let concatenations = text.bytes().filter(|byte| matches!(byte, b'~' | b'+')).count();
    let may_render =
        concatenations < 16 && parse_accepted(text).is_ok_and(|tree| is_cheap(&tree.nodes));
    let inputs = Value::from_iter([
        ("a", Value::from("text")),
        ("n", Value::from(3)),
        ("xs", Value::from_iter([1, 2])),
        ("m", Value::from_iter([("name", "Ada")])),
    ]);
    property::check(&property::engine(), text, may_render.then_some(&inputs));
    may_render
}
