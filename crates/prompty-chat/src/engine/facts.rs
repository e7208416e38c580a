//! Facts about a template that are known without running it: its strings and its variables.
//!
//! A visitor follows the order of execution, so that it knows which names are bound where a
//! variable is read.

use std::collections::HashSet;

use super::compile::concatenated;
use super::value::Function;
use prompty_core::value::Value;
use prompty_template::tree::{
    Argument, BinaryOperator, Call, Expr, ExprKind, Macro, Node, NodeKind, Target, Template,
};
use prompty_template::walk::{self, each_operand};

/// The maximum number of constants that variables are compared with.
const MOST_COMPARED: usize = 256;

/// The facts about a template.
#[derive(Debug, Default)]
pub(super) struct TemplateFacts {
    /// The strings in expressions and the literal text.
    pub(super) strings: Vec<String>,
    /// The variables that may be read before they are bound: the inputs.
    pub(super) variables: Vec<String>,
    /// The attributes and constant keys that are read.
    pub(super) attributes: Vec<String>,
    /// The constants that variables are compared with, by the variable's name.
    pub(super) compared: Vec<(String, Value)>,
    /// The strings and attributes that are words.
    pub(super) words: HashSet<String>,
}

/// Collects the facts of a template.
pub(super) fn find(template: &Template) -> TemplateFacts {
    let mut finder = FactFinder { scopes: vec![HashSet::new()], ..FactFinder::default() };
    finder.nodes(&template.nodes);
    let FactFinder { mut facts, seen_strings, seen_attributes, .. } = finder;
    let words = seen_strings.into_iter().chain(seen_attributes).filter(|it| is_word(it));
    facts.words = words.map(str::to_owned).collect();
    facts
}

fn is_word(text: &str) -> bool {
    text.chars().all(|it| it.is_alphanumeric() || it == '_' || it == '-')
}

#[derive(Default)]
struct FactFinder<'t> {
    facts: TemplateFacts,
    seen_strings: HashSet<&'t str>,
    seen_attributes: HashSet<&'t str>,
    seen_variables: HashSet<&'t str>,
    /// The names that are certainly bound, from the outermost scope inwards.
    scopes: Vec<HashSet<&'t str>>,
}

impl<'t> FactFinder<'t> {
    fn string(&mut self, text: &'t str) {
        if !text.is_empty() && self.seen_strings.insert(text) {
            self.facts.strings.push(text.to_owned());
        }
    }

    fn attribute(&mut self, name: &'t str) {
        if self.seen_attributes.insert(name) {
            self.facts.attributes.push(name.to_owned());
        }
    }

    /// Collects the constants that a variable is compared with, alone or as items of a list.
    fn compare(&mut self, variable: &Expr, operand: &Expr) {
        let ExprKind::Variable(name) = &variable.kind else { return };
        let operands = match &operand.kind {
            ExprKind::List(items) | ExprKind::Tuple(items) => items.as_slice(),
            _ => std::slice::from_ref(operand),
        };
        let compared = &mut self.facts.compared;
        for operand in operands {
            if let ExprKind::Literal(value @ (Value::String(_) | Value::Integer(_))) = &operand.kind
                && compared.len() < MOST_COMPARED
                && !compared.iter().any(|(known, it)| known == name && it == value)
            {
                compared.push((name.clone(), value.clone()));
            }
        }
    }

    fn read(&mut self, name: &'t str) {
        let is_bound = || self.scopes.iter().any(|scope| scope.contains(name));
        if !self.seen_variables.contains(name) && !is_bound() && Function::named(name).is_none() {
            self.seen_variables.insert(name);
            self.facts.variables.push(name.to_owned());
        }
    }

    fn bind(&mut self, name: &'t str) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name);
        }
    }

    fn target(&mut self, target: &'t Target) {
        match target {
            Target::Name(name) => self.bind(&name.text),
            Target::Tuple(targets) => targets.iter().for_each(|target| self.target(target)),
            // The object of the attribute is read.
            Target::Attribute(place) => each_operand(place, &mut |operand| self.expr(operand)),
            _ => target.names().into_iter().for_each(|name| self.bind(&name.text)),
        }
    }

    /// Visits an inner scope. Names that are bound in it are not bound outside; they are returned.
    fn in_scope(&mut self, walk: impl FnOnce(&mut Self)) -> HashSet<&'t str> {
        self.scopes.push(HashSet::new());
        walk(self);
        self.scopes.pop().unwrap_or_default()
    }

    fn nodes(&mut self, nodes: &'t [Node]) {
        nodes.iter().for_each(|node| self.node(node));
    }

    fn node(&mut self, node: &'t Node) {
        match &node.kind {
            NodeKind::Text(text) => self.string(text),
            NodeKind::Output(value) | NodeKind::Do(value) => self.expr(value),
            NodeKind::If(branching) => {
                // A name that every branch binds is also bound after the condition.
                let mut bound = None;
                for (test, body) in &branching.branches {
                    self.expr(test);
                    let inside = self.in_scope(|finder| finder.nodes(body));
                    bound = Some(common(bound, inside));
                }
                let otherwise = branching.otherwise.as_deref().unwrap_or_default();
                let inside = self.in_scope(|finder| finder.nodes(otherwise));
                common(bound, inside).into_iter().for_each(|name| self.bind(name));
            }
            NodeKind::For(looped) => {
                self.expr(&looped.iterable);
                self.in_scope(|finder| {
                    finder.target(&looped.target);
                    finder.bind("loop");
                    finder.exprs(&looped.condition);
                    finder.nodes(&looped.body);
                });
                self.in_scope(|finder| finder.nodes(&looped.otherwise));
            }
            NodeKind::Set { target, value } => {
                self.expr(value);
                self.target(target);
            }
            NodeKind::SetBlock { target, filters, body } => {
                self.in_scope(|finder| finder.nodes(body));
                self.filters(filters);
                self.target(target);
            }
            NodeKind::With { bindings, body } => {
                self.exprs(bindings.iter().map(|(_, value)| value));
                self.in_scope(|finder| {
                    bindings.iter().for_each(|(target, _)| finder.target(target));
                    finder.nodes(body);
                });
            }
            NodeKind::FilterBlock { filters, body } => {
                self.in_scope(|finder| finder.nodes(body));
                self.filters(filters);
            }
            NodeKind::Macro(declared) => {
                self.bind(&declared.name.text);
                self.in_macro(declared);
            }
            NodeKind::CallBlock { call, caller } => {
                self.expr(call);
                self.in_macro(caller);
            }
            _ => {
                self.exprs(walk::expressions(node));
                for body in walk::bodies(node) {
                    self.in_scope(|finder| finder.nodes(body));
                }
            }
        }
    }

    fn in_macro(&mut self, declared: &'t Macro) {
        let required = declared.parameters.len().saturating_sub(declared.defaults.len());
        self.in_scope(|finder| {
            ["caller", "varargs", "kwargs"].into_iter().for_each(|name| finder.bind(name));
            for (index, parameter) in declared.parameters.iter().enumerate() {
                let default = index.checked_sub(required);
                finder.exprs(default.and_then(|index| declared.defaults.get(index)));
                finder.bind(&parameter.text);
            }
            finder.nodes(&declared.body);
        });
    }

    fn filters(&mut self, filters: &'t [Call]) {
        self.exprs(filters.iter().flat_map(|filter| &filter.arguments).map(Argument::expr));
    }

    fn exprs(&mut self, exprs: impl IntoIterator<Item = &'t Expr>) {
        exprs.into_iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &'t Expr) {
        match &expr.kind {
            ExprKind::Literal(Value::String(text)) => self.string(text),
            ExprKind::Variable(name) => self.read(name),
            ExprKind::Attribute { name, .. } => self.attribute(&name.text),
            ExprKind::Function(call) => self.read(&call.name.text),
            ExprKind::Method { call, .. } => self.attribute(&call.name.text),
            ExprKind::Binary { operator: BinaryOperator::Concatenate, .. } => {
                return self.exprs(concatenated(expr));
            }
            ExprKind::Binary { operator, left, right } if operator.is_comparison() => {
                self.compare(left, right);
            }
            ExprKind::Comparison { first, rest } => {
                rest.iter().for_each(|(_, operand)| self.compare(first, operand));
            }
            // The condition is visited first, because it is evaluated first.
            ExprKind::Conditional { condition, value, otherwise } => {
                self.expr(condition);
                self.expr(value);
                return self.exprs(otherwise.as_deref());
            }
            _ => {}
        }
        each_operand(expr, &mut |operand| self.expr(operand));
        // `value["name"]` and `value.get("name")` read an attribute, too.
        let key = match &expr.kind {
            ExprKind::Index { index, .. } => Some(&**index),
            ExprKind::Method { call, .. } if call.name.text == "get" => {
                call.arguments.first().map(Argument::expr)
            }
            _ => None,
        };
        if let Some(ExprKind::Literal(Value::String(name))) = key.map(|it| &it.kind) {
            self.attribute(name);
        }
    }
}

/// The names that are in both sets; without a first set, those of the second.
fn common<'t>(first: Option<HashSet<&'t str>>, second: HashSet<&'t str>) -> HashSet<&'t str> {
    match first {
        Some(first) => first.into_iter().filter(|name| second.contains(name)).collect(),
        None => second,
    }
}
