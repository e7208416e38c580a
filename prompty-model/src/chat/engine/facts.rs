//! What can be said of a template without running it: its texts, and the variables that it reads.

use std::collections::HashSet;

use prompty_core::value::Value;

use super::program::{Argument, Expr, ExprKind, Filter, NameId, Program, Statement, Target};

/// How many constants are noted.
const MOST_COMPARED: usize = 256;

/// The facts about a template.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) strings: Vec<String>,
    pub(super) variables: Vec<String>,
    pub(super) attributes: Vec<String>,
    /// The constants that variables are compared with, by the variable's name.
    pub(super) compared: Vec<(String, Value)>,
    /// The strings and attributes that are words.
    pub(super) words: HashSet<String>,
}

/// Goes through a program once.
pub(super) fn find(program: &Program) -> Facts {
    let mut finder = Finder {
        program,
        strings: Vec::new(),
        seen: HashSet::new(),
        variables: Vec::new(),
        attributes: Vec::new(),
        compared: Vec::new(),
        asked: HashSet::new(),
        read: HashSet::new(),
        scopes: vec![HashSet::new()],
    };
    finder.statements(&program.body);
    let Finder { strings, variables, attributes, compared, seen, asked, .. } = finder;
    let words = seen.into_iter().chain(asked).filter(|it| is_word(it)).map(str::to_owned).collect();
    Facts { strings, variables, attributes, compared, words }
}

fn is_word(text: &str) -> bool {
    text.chars().all(|it| it.is_alphanumeric() || it == '_' || it == '-')
}

struct Finder<'p> {
    program: &'p Program,
    strings: Vec<String>,
    seen: HashSet<&'p str>,
    variables: Vec<String>,
    attributes: Vec<String>,
    compared: Vec<(String, Value)>,
    asked: HashSet<&'p str>,
    read: HashSet<NameId>,
    /// The names that are bound for sure, from the outside in.
    scopes: Vec<HashSet<NameId>>,
}

impl<'p> Finder<'p> {
    fn string(&mut self, text: &'p str) {
        if !text.is_empty() && self.seen.insert(text) {
            self.strings.push(text.to_owned());
        }
    }

    fn attribute(&mut self, name: &'p str) {
        if self.asked.insert(name) {
            self.attributes.push(name.to_owned());
        }
    }

    /// Notes the constants that a variable is compared with, alone or as items of a list.
    fn compare(&mut self, variable: &Expr, operand: &Expr) {
        let ExprKind::Name(name) = &variable.kind else { return };
        let Some(name) = self.program.names.get(*name as usize) else { return };
        let operands = match &operand.kind {
            ExprKind::List(items) | ExprKind::Tuple(items) => items.as_slice(),
            _ => std::slice::from_ref(operand),
        };
        for operand in operands {
            let value = match &operand.kind {
                ExprKind::String(text) => Value::String(text.clone()),
                ExprKind::Integer(number) => Value::Integer(*number),
                _ => continue,
            };
            let is_full = self.compared.len() >= MOST_COMPARED;
            if !is_full
                && !self.compared.iter().any(|(known, it)| **known == **name && *it == value)
            {
                self.compared.push((name.to_string(), value));
            }
        }
    }

    fn read(&mut self, name: NameId) {
        let is_bound = self.scopes.iter().any(|scope| scope.contains(&name));
        let index = name as usize;
        let is_function = matches!(self.program.functions.get(index), Some(Some(_)));
        if is_bound || is_function || !self.read.insert(name) {
            return;
        }
        self.variables.extend(self.program.names.get(index).map(ToString::to_string));
    }

    fn bind(&mut self, name: NameId) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name);
        }
    }

    fn target(&mut self, target: &'p Target) {
        match target {
            Target::Name(name) => self.bind(*name),
            Target::Tuple(targets) => targets.iter().for_each(|target| self.target(target)),
            Target::Attribute { namespace, .. } => self.read(*namespace),
        }
    }

    /// What is bound inside, is not outside.
    fn inside(&mut self, walk: impl FnOnce(&mut Self)) -> HashSet<NameId> {
        self.scopes.push(HashSet::new());
        walk(self);
        self.scopes.pop().unwrap_or_default()
    }

    fn statements(&mut self, statements: &'p [Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'p Statement) {
        match statement {
            Statement::Text(text) => self.string(text),
            Statement::Output(value) | Statement::Do(value) => self.expr(value),
            Statement::If { branches, otherwise } => {
                let mut bound: Option<HashSet<NameId>> = None;
                for (test, body) in branches {
                    self.expr(test);
                    let inside = self.inside(|finder| finder.statements(body));
                    bound = Some(common(bound, inside));
                }
                let inside = self.inside(|finder| finder.statements(otherwise));
                common(bound, inside).into_iter().for_each(|name| self.bind(name));
            }
            Statement::For(id) => {
                let program = self.program;
                let Some(looped) = program.loops.get(*id as usize) else { return };
                self.expr(&looped.iterable);
                self.inside(|finder| {
                    finder.target(&looped.target);
                    finder.bind(program.known.r#loop);
                    looped.condition.iter().for_each(|condition| finder.expr(condition));
                    finder.statements(&looped.body);
                });
                self.inside(|finder| finder.statements(&looped.otherwise));
            }
            Statement::Set { target, value } => {
                self.expr(value);
                self.target(target);
            }
            Statement::SetBlock { target, filters, body } => {
                self.inside(|finder| finder.statements(body));
                self.filters(filters);
                self.target(target);
            }
            Statement::With { bindings, body } => {
                bindings.iter().for_each(|(_, value)| self.expr(value));
                self.inside(|finder| {
                    bindings.iter().for_each(|(target, _)| finder.target(target));
                    finder.statements(body);
                });
            }
            Statement::FilterBlock { filters, body } => {
                self.inside(|finder| finder.statements(body));
                self.filters(filters);
            }
            Statement::Macro(id) => {
                if let Some(definition) = self.program.macros.get(*id as usize) {
                    self.bind(definition.name);
                }
                self.in_macro(*id);
            }
            Statement::CallBlock { call, caller } => {
                self.expr(call);
                self.in_macro(*caller);
            }
            Statement::Scope(body) => {
                self.inside(|finder| finder.statements(body));
            }
            Statement::Break | Statement::Continue => {}
        }
    }

    fn in_macro(&mut self, id: u32) {
        let program = self.program;
        let Some(definition) = program.macros.get(id as usize) else { return };
        self.inside(|finder| {
            let known = program.known;
            for name in [known.caller, known.varargs, known.kwargs] {
                finder.bind(name);
            }
            for (parameter, default) in &definition.parameters {
                default.iter().for_each(|default| finder.expr(default));
                finder.bind(*parameter);
            }
            finder.statements(&definition.body);
        });
    }

    fn filters(&mut self, filters: &'p [Filter]) {
        for filter in filters {
            self.arguments(&filter.arguments);
        }
    }

    fn arguments(&mut self, arguments: &'p [Argument]) {
        arguments.iter().for_each(|argument| self.expr(argument.expr()));
    }

    fn expr(&mut self, expr: &'p Expr) {
        match &expr.kind {
            ExprKind::None | ExprKind::Bool(_) | ExprKind::Integer(_) | ExprKind::Float(_) => {}
            ExprKind::String(text) => self.string(text),
            ExprKind::Name(name) => self.read(*name),
            ExprKind::List(items) | ExprKind::Tuple(items) | ExprKind::Concatenate(items) => {
                items.iter().for_each(|item| self.expr(item));
            }
            ExprKind::Dict(entries) => {
                for (key, value) in entries {
                    self.expr(key);
                    self.expr(value);
                }
            }
            ExprKind::Attribute(value, name) => {
                self.attribute(name);
                self.expr(value);
            }
            ExprKind::Not(value) | ExprKind::Minus(value) | ExprKind::Plus(value) => {
                self.expr(value);
            }
            ExprKind::Item(left, right)
            | ExprKind::And(left, right)
            | ExprKind::Or(left, right)
            | ExprKind::Arithmetic(_, left, right) => {
                self.expr(left);
                self.expr(right);
                if let (ExprKind::Item(..), ExprKind::String(name)) = (&expr.kind, &right.kind) {
                    self.attribute(name);
                }
            }
            ExprKind::Slice(value, bounds) => {
                self.expr(value);
                bounds.iter().flatten().for_each(|bound| self.expr(bound));
            }
            ExprKind::Call(value, arguments) | ExprKind::Test { value, arguments, .. } => {
                self.expr(value);
                self.arguments(arguments);
                if let ExprKind::Attribute(_, method) = &value.kind
                    && &**method == "get"
                    && let Some(ExprKind::String(name)) =
                        arguments.first().map(|it| &it.expr().kind)
                {
                    self.attribute(name);
                }
            }
            ExprKind::Filter(value, filter) => {
                self.expr(value);
                self.arguments(&filter.arguments);
            }
            ExprKind::Compare(first, rest) => {
                self.expr(first);
                for (_, operand) in rest {
                    self.compare(first, operand);
                    self.expr(operand);
                }
            }
            ExprKind::Conditional { condition, value, otherwise } => {
                self.expr(condition);
                self.expr(value);
                otherwise.iter().for_each(|otherwise| self.expr(otherwise));
            }
        }
    }
}

/// The names that both have; the second's where there is no first.
fn common(first: Option<HashSet<NameId>>, second: HashSet<NameId>) -> HashSet<NameId> {
    match first {
        Some(first) => first.into_iter().filter(|name| second.contains(name)).collect(),
        None => second,
    }
}
