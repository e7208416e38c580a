//! Which inputs the outputs of a template come from.

use std::collections::{HashMap, HashSet};

use prompty_core::jinja::tree::{Expr, ExprKind, Node, NodeKind, Target, Template};
use prompty_core::jinja::walk;

/// Where what an output writes comes from.
#[derive(Debug)]
pub(super) struct Source {
    /// The input or variable that the expression begins with.
    pub(super) name: Option<String>,
    /// Whether the value of a strict input may be in it.
    pub(super) strict: bool,
}

/// The sources of all outputs that are fenced, in the order of their fences.
pub(super) fn output_sources(template: &Template, strict: &[&str]) -> Vec<Source> {
    let strict = reached_from(strict, &template.nodes);
    let mut sources = Vec::new();
    walk::direct_outputs(&template.nodes, &mut |node, sections| {
        let mut names = names_in_node(node);
        // A name in a Mustache section may be one of what the section is about.
        sections.iter().for_each(|subject| add_names(subject, &mut names));
        let name = match &node.kind {
            NodeKind::Output(value) => root_variable(value, sections),
            _ => None,
        };
        sources.push(Source { name, strict: names.iter().any(|name| strict.contains(name)) });
    });
    sources
}

/// The variable that an expression begins with; for Mustache's `.`, that of the section around it.
fn root_variable(expr: &Expr, sections: &[&Expr]) -> Option<String> {
    match &expr.kind {
        ExprKind::Variable(name) => Some(name.clone()),
        ExprKind::Implicit => {
            let (subject, outer) = sections.split_last()?;
            root_variable(subject, outer)
        }
        ExprKind::Attribute { value, .. }
        | ExprKind::Index { value, .. }
        | ExprKind::Slice { value, .. }
        | ExprKind::Filter { value, .. }
        | ExprKind::Test { value, .. }
        | ExprKind::Method { value, .. }
        | ExprKind::Conditional { value, .. } => root_variable(value, sections),
        ExprKind::Unary { operand, .. } => root_variable(operand, sections),
        ExprKind::Binary { left, right, .. } => {
            root_variable(left, sections).or_else(|| root_variable(right, sections))
        }
        _ => None,
    }
}

/// The given names, and all that a loop, `set`, `with` or macro makes of them. Where a name is bound
/// does not matter: one that is bound twice counts as both, which can only be too careful.
fn reached_from<'t>(names: &[&'t str], nodes: &'t [Node]) -> HashSet<&'t str> {
    let mut bindings = Bindings::default();
    bindings.add_nodes(nodes);
    let mut reached: HashSet<&str> = names.iter().copied().collect();
    let mut waiting: Vec<&str> = names.to_vec();
    while let Some(name) = waiting.pop() {
        // Each binding is followed once for each name in it.
        for index in bindings.by_name.get(name).into_iter().flatten() {
            let bound = bindings.bound.get(*index).into_iter().flatten();
            waiting.extend(bound.filter(|bound| reached.insert(bound)));
        }
    }
    reached
}

/// What a template binds.
#[derive(Default)]
struct Bindings<'t> {
    /// For each binding, the names that are bound.
    bound: Vec<Vec<&'t str>>,
    /// For each name, the bindings whose value it is in.
    by_name: HashMap<&'t str, Vec<usize>>,
}

impl<'t> Bindings<'t> {
    fn add(&mut self, bound: Vec<&'t str>, value: &[&'t str]) {
        for name in value {
            self.by_name.entry(name).or_default().push(self.bound.len());
        }
        self.bound.push(bound);
    }

    fn add_nodes(&mut self, nodes: &'t [Node]) {
        for node in nodes {
            self.add_node(node);
            walk::bodies(node).into_iter().for_each(|body| self.add_nodes(body));
        }
    }

    fn add_node(&mut self, node: &'t Node) {
        match &node.kind {
            NodeKind::For(repeated) => {
                let mut bound = targets(&repeated.target);
                // `loop` knows the items before and behind.
                bound.push("loop");
                self.add(bound, &names_in(&repeated.iterable));
            }
            NodeKind::Set { target, value } => self.add(targets(target), &names_in(value)),
            NodeKind::SetBlock { target, .. } => self.add(targets(target), &names_in_node(node)),
            NodeKind::With { bindings, .. } => {
                bindings
                    .iter()
                    .for_each(|(target, value)| self.add(targets(target), &names_in(value)));
            }
            NodeKind::Macro(declared) => {
                self.add(vec![&declared.name.text], &names_in_node(node));
            }
            _ => {}
        }
    }
}

fn targets(target: &Target) -> Vec<&str> {
    match target {
        Target::Name(name) => vec![&name.text],
        Target::Tuple(several) => several.iter().flat_map(targets).collect(),
        Target::Attribute(expr) => names_in(expr),
    }
}

/// The names whose values may be in what a node writes.
fn names_in_node(node: &Node) -> Vec<&str> {
    let mut names = Vec::new();
    add_node_names(node, &mut names);
    names
}

fn add_node_names<'t>(node: &'t Node, names: &mut Vec<&'t str>) {
    for expr in walk::expressions(node) {
        add_names(expr, names);
    }
    for body in walk::bodies(node) {
        body.iter().for_each(|node| add_node_names(node, names));
    }
}

/// The names whose values may be in that of an expression.
fn names_in(expr: &Expr) -> Vec<&str> {
    let mut names = Vec::new();
    add_names(expr, &mut names);
    names
}

fn add_names<'t>(expr: &'t Expr, names: &mut Vec<&'t str>) {
    match &expr.kind {
        ExprKind::Variable(name) => names.push(name),
        ExprKind::Function(call) => names.push(&call.name.text),
        ExprKind::Conditional { value, otherwise, .. } => {
            // The condition only decides.
            add_names(value, names);
            otherwise.iter().for_each(|otherwise| add_names(otherwise, names));
            return;
        }
        _ => {}
    }
    walk::operands(expr).into_iter().for_each(|operand| add_names(operand, names));
}
