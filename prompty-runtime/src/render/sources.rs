//! Finds the inputs that the outputs of a template depend on.
//!
//! In `{% set note = key %}{{ note | upper }}`, with the strict input `key`: the output begins with
//! the variable `note`, whose value contains `key`. So the name of its source is `note`, and it is
//! strict. The analysis is by names and never misses a dependency, but it may see too many.

use std::collections::{HashMap, HashSet};

use prompty_core::diagnostic::TemplateSpan;
use prompty_template::tree::{Expr, ExprKind, Node, NodeKind, Target, Template};
use prompty_template::walk;

/// The source of an output.
#[derive(Debug)]
pub(super) struct OutputSource {
    /// The input or variable with which the expression begins.
    pub(super) name: Option<String>,
    /// Whether the output may contain the value of a strict input.
    pub(super) strict: bool,
}

/// The sources of all outputs, in the order of their fences. `marks_message` returns whether a call
/// marks a message. Function calls also read the inputs in `read_by_calls`.
pub(super) fn output_sources(
    template: &Template,
    marks_message: &impl Fn(&Node) -> bool,
    strict: &[&str],
    read_by_calls: &[&str],
) -> Vec<OutputSource> {
    let calls_read_strict = read_by_calls.iter().any(|name| strict.contains(name));
    let strict_names = names_derived_from(strict, &template.nodes);
    let mut strict_partials: Vec<TemplateSpan> = Vec::new();
    add_strict_partials(&template.nodes, &strict_names, &mut strict_partials);
    let mut sources = Vec::new();
    walk::direct_outputs(&template.nodes, marks_message, &mut |node, sections| {
        let mut names = names_in_node(node);
        // In a Mustache section, a name may refer to a field of the section's value.
        sections.iter().for_each(|subject| add_names(subject, &mut names));
        let name = match &node.kind {
            NodeKind::Output(value) => root_variable(value, sections),
            _ => None,
        };
        let is_call =
            matches!(node.kind, NodeKind::Output(Expr { kind: ExprKind::Function(_), .. }));
        let is_strict = names.iter().any(|name| strict_names.contains(name))
            || (is_call && calls_read_strict)
            || strict_partials.iter().any(|partial| partial.contains(node.span));
        sources.push(OutputSource { name, strict: is_strict });
    });
    sources
}

/// Finds the recursive partials that contain a section over a strict value. Each name in such a
/// partial may refer to a field of the value.
fn add_strict_partials(
    nodes: &[Node],
    strict_names: &HashSet<&str>,
    partials: &mut Vec<TemplateSpan>,
) {
    for node in nodes {
        let mut names = Vec::new();
        if let NodeKind::RecursivePartial(partial) = &node.kind {
            add_subjects(&partial.body, &mut names);
        }
        if names.iter().any(|name| strict_names.contains(name)) {
            partials.push(node.span);
            continue;
        }
        for body in walk::bodies(node) {
            add_strict_partials(body, strict_names, partials);
        }
    }
}

/// The names in the subjects of sections.
fn add_subjects<'t>(nodes: &'t [Node], names: &mut Vec<&'t str>) {
    for node in nodes {
        if let NodeKind::Section(section) = &node.kind {
            add_names(&section.subject, names);
        }
        walk::bodies(node).into_iter().for_each(|body| add_subjects(body, names));
    }
}

/// The variable with which an expression begins; for Mustache's `.`, the variable of the section.
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
        // Handlebars' `this` and `../this`: the value of a section, counted from the innermost.
        ExprKind::Context(up) => {
            let index = sections.len().checked_sub(up + 1)?;
            root_variable(sections.get(index)?, sections.get(..index)?)
        }
        _ => None,
    }
}

/// The given names, and all names that loops, `set`, `with` and macros bind to values that contain
/// them: for `key`, also `a` and `b` of `{% set a = key %}{% for b in [a] %}`. Scopes are ignored:
/// a name that is bound twice counts as both, which is safe.
fn names_derived_from<'t>(names: &[&'t str], nodes: &'t [Node]) -> HashSet<&'t str> {
    let mut bindings = Bindings::default();
    bindings.add_nodes(nodes);
    let mut derived: HashSet<&str> = names.iter().copied().collect();
    let mut pending: Vec<&str> = names.to_vec();
    while let Some(name) = pending.pop() {
        // Each binding is followed once for each name in its value.
        for index in bindings.by_name.get(name).into_iter().flatten() {
            let bound = bindings.bound.get(*index).into_iter().flatten();
            pending.extend(bound.filter(|bound| derived.insert(bound)));
        }
    }
    derived
}

/// The bindings of a template.
#[derive(Default)]
struct Bindings<'t> {
    /// For each binding, the names that it binds.
    bound: Vec<Vec<&'t str>>,
    /// For each name, the bindings whose values contain it.
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
                let mut bound = bound_by(&repeated.target);
                // `loop` gives access to the previous and the next item.
                bound.push("loop");
                self.add(bound, &names_in(&repeated.iterable));
            }
            NodeKind::Set { target, value } => self.add(bound_by(target), &names_in(value)),
            NodeKind::SetBlock { target, .. } => self.add(bound_by(target), &names_in_node(node)),
            NodeKind::With { bindings, .. } => {
                bindings
                    .iter()
                    .for_each(|(target, value)| self.add(bound_by(target), &names_in(value)));
            }
            NodeKind::Macro(declared) => {
                self.add(vec![&declared.name.text], &names_in_node(node));
            }
            // The block is one output, so its parameters need no binding.
            NodeKind::CallBlock { .. } => {}
            // Blocks of Handlebars with parameters.
            _ => {
                let names = walk::bound_names(node).into_iter();
                let bound: Vec<&str> = names.map(|name| name.text.as_str()).collect();
                if !bound.is_empty() {
                    self.add(bound, &names_in_node(node));
                }
            }
        }
    }
}

/// The names that an assignment to a target changes.
fn bound_by(target: &Target) -> Vec<&str> {
    match target {
        Target::Tuple(several) => several.iter().flat_map(bound_by).collect(),
        // `{% set found.name = … %}` changes `found`.
        Target::Attribute(expr) => names_in(expr),
        _ => target.names().into_iter().map(|name| name.text.as_str()).collect(),
    }
}

/// The names whose values may be in the output of a node.
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

/// The names whose values may be in the value of an expression.
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
            // The condition is not part of the value.
            add_names(value, names);
            otherwise.iter().for_each(|otherwise| add_names(otherwise, names));
            return;
        }
        _ => {}
    }
    walk::operands(expr).into_iter().for_each(|operand| add_names(operand, names));
}
