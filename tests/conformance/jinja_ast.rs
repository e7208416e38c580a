//! Parses a template to a syntax tree.

use prompty_template::jinja::syntax;
use prompty_template::tree::{
    Argument, BinaryOperator, Expr, ExprKind, For, If, Node, NodeKind, Target, UnaryOperator,
};
use serde_json::{Value, json};

use crate::frame::{Case, Outcome};
use crate::prompt;

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    match syntax::parse(case.given("template").as_str().unwrap()) {
        Ok(tree) => prompt::equal(&nodes(&tree.nodes), &case.json["expect"]["nodes"]),
        Err(error) => Outcome::Failed(error.message),
    }
}

/// Converts nodes into the form of the cases.
fn nodes(list: &[Node]) -> Value {
    list.iter().map(node).collect()
}

fn node(node: &Node) -> Value {
    match &node.kind {
        NodeKind::Text(text) => json!({"kind": "text", "value": text}),
        NodeKind::Output(value) => json!({"kind": "interp", "expr": expr(value)}),
        NodeKind::If(branching) => condition(branching),
        NodeKind::For(repeated) => repetition(repeated),
        other => panic!("the subset does not have this node: {other:?}"),
    }
}

fn condition(branching: &If) -> Value {
    let branch =
        |(test, body): &(Expr, Vec<Node>)| json!({"test": expr(test), "body": nodes(body)});
    let branches: Value = branching.branches.iter().map(branch).collect();
    let otherwise = branching.otherwise.as_deref().map(nodes);
    json!({"kind": "if", "branches": branches, "elseBody": otherwise})
}

fn repetition(repeated: &For) -> Value {
    let Target::Name(variable) = &repeated.target else {
        panic!("the subset has one loop variable: {:?}", repeated.target);
    };
    let (sequence, body) = (expr(&repeated.iterable), nodes(&repeated.body));
    json!({"kind": "for", "loopVar": variable.text, "seq": sequence, "body": body})
}

fn expr(it: &Expr) -> Value {
    match &it.kind {
        ExprKind::Variable(_) | ExprKind::Attribute { .. } | ExprKind::Index { .. } => {
            let mut path = Vec::new();
            let root = root_and_path(it, &mut path);
            json!({"kind": "var", "root": root, "path": path})
        }
        ExprKind::Literal(value) => json!({"kind": "lit", "value": value}),
        ExprKind::Filter { value, call } => {
            let arguments: Value = call.arguments.iter().map(argument).collect();
            json!({"kind": "filter", "name": call.name.text, "input": expr(value), "args": arguments})
        }
        ExprKind::Unary { operator: UnaryOperator::Not, operand } => {
            json!({"kind": "unary", "operator": "not", "operand": expr(operand)})
        }
        ExprKind::Binary { operator, left, right } => binary(*operator, left, right),
        other => panic!("the subset does not have this expression: {other:?}"),
    }
}

fn binary(operator: BinaryOperator, left: &Expr, right: &Expr) -> Value {
    let (left, right) = (expr(left), expr(right));
    json!({"kind": "binary", "operator": operator.as_str(), "left": left, "right": right})
}

fn argument(argument: &Argument) -> Value {
    expr(argument.expr())
}

/// The variable at the start of a path. The steps after it are added to `path`.
fn root_and_path(it: &Expr, path: &mut Vec<Value>) -> String {
    match &it.kind {
        ExprKind::Variable(name) => name.clone(),
        ExprKind::Attribute { value, name } => {
            let root = root_and_path(value, path);
            path.push(json!({"kind": "attr", "name": name.text}));
            root
        }
        ExprKind::Index { value, index } => {
            let root = root_and_path(value, path);
            path.push(json!({"kind": "index", "expr": expr(index)}));
            root
        }
        other => panic!("a path of the subset begins with a variable, not with {other:?}"),
    }
}
