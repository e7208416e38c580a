//! The statements of a template: what they bind, and for how long.

use std::collections::HashMap;
use std::rc::Rc;

use super::checker::Checker;
use super::guards::PlaceId;
use super::scope::{Binding, Block, NameKind};
use super::types::{Absence, CallerUse, LoopType, MacroType, Type, Value};
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_template::tree::{Expr, ExprKind, For, If, Macro, Name, Node, NodeKind, Target};
use prompty_template::walk;

impl Checker<'_> {
    pub(super) fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Text(_) => {}
            NodeKind::Output(expr) => self.output(expr),
            NodeKind::If(branches) => self.branches(branches),
            NodeKind::For(node) => self.for_loop(node),
            NodeKind::Set { target, value } => {
                let bound = self.expr(value);
                self.forbid_rich(&bound, value.span, "bound to another name");
                self.set(target, bound, value.span);
            }
            NodeKind::SetBlock { target, filters, body } => {
                self.captured("set", |checker| checker.nodes(body));
                let value = self.block_filters(filters);
                self.set(target, value, node.span);
            }
            NodeKind::With { bindings, body } => {
                let mark = self.scope.mark();
                for (target, expr) in bindings {
                    let value = self.expr(expr);
                    self.forbid_rich(&value, expr.span, "bound to another name");
                    self.target(target, &value, expr.span, NameKind::With);
                }
                self.nodes(body);
                self.scope.end(mark, Block::With);
            }
            NodeKind::FilterBlock { filters, body } => {
                self.captured("filter", |checker| checker.nodes(body));
                self.block_filters(filters);
            }
            NodeKind::Macro(node) => self.template_macro(node),
            NodeKind::CallBlock { call, caller } => match self.message_block(call) {
                Some(call) => self.message_body(call, caller),
                None if !self.language.has_statement_tags() => {
                    self.message_without_parser(node.span);
                    self.nodes(&caller.body);
                }
                None => {
                    self.call_block(call);
                    self.macro_body(caller, "call");
                }
            },
            NodeKind::Do(expr) => {
                self.expr(expr);
            }
            NodeKind::Section(section) => self.section(section),
            NodeKind::Context(block) => self.context_block(block),
            NodeKind::RecursivePartial(partial) => self.partial(partial),
            NodeKind::Recursion { number, .. } => self.recursion(*number, node.span),
            NodeKind::Indentation => {}
            // Constructs that prompts cannot use, and those that are unknown here.
            _ => {
                self.unsupported(node);
                for expr in walk::expressions(node) {
                    self.whole(expr, "used here");
                }
                for body in walk::bodies(node) {
                    self.nodes(body);
                }
            }
        }
    }

    fn output(&mut self, expr: &Expr) {
        // Where a language has no filters, a filter is the escaping of an output.
        let written = expr.span;
        let expr = match &expr.kind {
            ExprKind::Filter { value, .. } if !self.language.has_filters() => {
                self.escaped_output(value, written);
                value
            }
            _ => expr,
        };
        let value = self.expr(expr);
        self.outside_messages(&value, written);
        if let Type::Rich(rich) = value.kind {
            self.rich_outputs.insert(expr.span, rich);
            if let Some(block) = self.capture {
                let doing = match block {
                    "filter" => "filtered",
                    "set" => "bound to another name",
                    _ => "written by a macro",
                };
                self.forbid_rich(&value, expr.span, doing);
            } else if matches!(expr.kind, ExprKind::Binary { .. }) {
                self.forbid_rich(&value, expr.span, "chosen by an expression");
            }
        }
        if let Type::Macro(_) = value.kind {
            let quoted = self.quoted(expr.span);
            let message = format!("{quoted} is a macro, and is not called");
            self.report_labelled(Code::WrongValue, message, "a macro", expr.span);
        }
        self.demand(&value, expr, "printed");
        self.demand_of_rust(&value, expr, "printed");
        self.uses.whole(&value.sources);
    }

    fn captured(&mut self, block: &'static str, read: impl FnOnce(&mut Self)) {
        // What lies deepest says best why a thing is wrong, but a filter ruins all in it.
        let outer = self.capture;
        self.capture = if outer == Some("filter") { outer } else { Some(block) };
        read(self);
        self.capture = outer;
    }

    /// Each branch is read with what its condition says. What branches set holds after them.
    fn branches(&mut self, node: &If) {
        let mut known: Vec<PlaceId> = Vec::new();
        let mut outcomes: Vec<HashMap<String, Binding>> = Vec::new();
        for (condition, body) in &node.branches {
            let entered_false = self.guards.enter(&known);
            let value = self.condition(condition);
            let entered_true = self.guards.enter(&self.when_true(&value));
            let mark = self.scope.mark();
            self.nodes(body);
            outcomes.push(self.scope.undo(mark));
            self.guards.leave(&entered_true);
            self.guards.leave(&entered_false);
            known.extend(value.when_false);
        }
        let entered = self.guards.enter(&known);
        let mark = self.scope.mark();
        self.nodes(node.otherwise.as_deref().unwrap_or_default());
        outcomes.push(self.scope.undo(mark));
        let merged = self.merge(outcomes);
        self.guards.leave(&entered);
        for (name, binding) in merged {
            self.bind_as(&name, binding.value, binding.kind);
        }
    }

    /// What the names stand for after branches of which one was taken.
    fn merge(&mut self, outcomes: Vec<HashMap<String, Binding>>) -> Vec<(String, Binding)> {
        let branches = outcomes.len();
        let mut merged: HashMap<String, (usize, Binding)> = HashMap::new();
        for outcome in outcomes {
            for (name, binding) in outcome {
                match merged.remove(&name) {
                    None => {
                        merged.insert(name, (1, binding));
                    }
                    Some((count, other)) => {
                        let value = self.either(other.value, &binding.value);
                        merged.insert(name, (count + 1, Binding { value, kind: other.kind }));
                    }
                }
            }
        }
        let mut result = Vec::new();
        for (name, (count, binding)) in merged {
            if count == branches {
                result.push((name, binding));
                continue;
            }
            // In some branch it stayed what it was. This runs with what is known in the last one.
            let before = self.scope.get(&name).map(|before| before.value.clone());
            let before = before.or_else(|| self.quiet_input(&name));
            let value = match before {
                Some(mut before) => {
                    if let Some(place) = before.place {
                        before.absence = self.absence_at(before.absence, place);
                    }
                    self.either(binding.value, &before)
                }
                None => {
                    let absence = binding.value.absence.max(Absence::Computed);
                    Value { absence, place: None, ..binding.value }
                }
            };
            result.push((name, Binding { value, kind: binding.kind }));
        }
        result
    }

    fn either(&mut self, left: Value, right: &Value) -> Value {
        let mut value = Value::one_of(&left, right);
        value.sources = self.uses.either(left.sources, &right.sources);
        value
    }

    /// An input's value, where its name does not stand in the template.
    fn quiet_input(&mut self, name: &str) -> Option<Value> {
        if !self.is_input(name) {
            return None;
        }
        let value = self.input(name, TemplateSpan::default());
        self.variables.pop();
        value
    }

    fn for_loop(&mut self, node: &For) {
        // A thread that is written in another form than the one that is known is told where the role is.
        let writes_roles = self.role_lines.are_written_for(node.iterable.span);
        let outer = std::mem::replace(&mut self.is_role_list, writes_roles);
        let iterable = self.expr(&node.iterable);
        let item = self.items(&iterable, &node.iterable);
        self.is_role_list = outer;
        let mark = self.scope.mark();
        self.target(&node.target, &item, node.iterable.span, NameKind::Loop);
        let mut known = self.when_true(&iterable);
        if let Some(condition) = &node.condition {
            let value = self.condition(condition);
            known.extend(self.when_true(&value));
        }
        let entered = self.guards.enter(&known);
        let kind = LoopType { item: item.without_facts(), recursive: node.recursive };
        self.bind_as("loop", Value::new(Type::Loop(Rc::new(kind))), NameKind::Loop);
        self.nodes(&node.body);
        self.guards.leave(&entered);
        self.scope.end(mark, Block::Loop);
        self.nodes(&node.otherwise);
    }

    /// An item of what is looped over.
    fn items(&mut self, iterable: &Value, expr: &Expr) -> Value {
        if self.forbid_rich(iterable, expr.span, "looped over") {
            return Value::any();
        }
        let quoted = self.quoted(expr.span);
        let plain = quoted.trim_matches('`');
        let (kind, help) = match &iterable.kind {
            Type::List(item) | Type::Tuple(item) => {
                let mut value = Value::from_type(item);
                value.sources = self.uses.item(&iterable.sources);
                value.is_read = true;
                value.place = Some(self.guards.fresh());
                return value;
            }
            Type::Any | Type::Null | Type::Optional(_) => {
                let mut value = Value::any();
                value.sources = self.uses.item(&iterable.sources);
                value.is_read = true;
                return value;
            }
            Type::Object(_) | Type::Dict => {
                self.uses.whole(&iterable.sources);
                return Value::new(Type::Text);
            }
            Type::Pair(_) => {
                self.uses.whole(&iterable.sources);
                return Value::any();
            }
            Type::Text | Type::Choice(_) => (
                iterable.kind.description(),
                format!("`{plain} | lines` and `{plain} | split` are lists"),
            ),
            Type::Integer => (iterable.kind.description(), format!("count with `range({plain})`")),
            Type::Boolean => {
                (iterable.kind.description(), format!("ask for it: `{{% if {plain} %}}`"))
            }
            other => (other.description(), String::new()),
        };
        self.uses.whole(&iterable.sources);
        let message = format!("{quoted} is {kind}, and a loop needs a list");
        let diagnostic = Diagnostic::new(Code::WrongValue, message).with_label(kind);
        let diagnostic = if help.is_empty() { diagnostic } else { diagnostic.with_help(help) };
        self.report(diagnostic, expr.span);
        Value::any()
    }

    /// Binds the names of a loop or a `with`.
    fn target(&mut self, target: &Target, value: &Value, span: TemplateSpan, kind: NameKind) {
        match target {
            Target::Name(name) => self.bind(name, value.clone(), kind),
            Target::Tuple(targets) => {
                self.uses.whole(&value.sources);
                let parts = self.parts(value, targets.len(), span);
                for (target, part) in targets.iter().zip(parts) {
                    self.target(target, &part, span, kind);
                }
            }
            Target::Attribute(expr) => self.namespace_attribute(expr),
            _ => {
                let unknown = self.unknown_construct(span);
                for name in target.names() {
                    self.bind(name, unknown.clone(), kind);
                }
            }
        }
    }

    /// What the names of a tuple stand for.
    fn parts(&mut self, value: &Value, count: usize, span: TemplateSpan) -> Vec<Value> {
        let any = || vec![Value::any(); count];
        match &value.kind {
            Type::Pair(item) if count == 2 => {
                // An entry that is missing is not among the entries.
                let mut entry = Value::from_type(item);
                entry.absence = entry.absence.min(Absence::Computed);
                vec![Value::new(Type::Text), entry]
            }
            Type::Group(item) if count == 2 => {
                vec![Value::any(), Value::new(Type::List(Rc::clone(item)))]
            }
            Type::List(item) | Type::Tuple(item) => vec![Value::from_type(item); count],
            Type::Any | Type::Optional(_) => any(),
            Type::Rich(_) => any(),
            other => {
                let kind = match other {
                    Type::Pair(_) | Type::Group(_) => "two values".to_owned(),
                    other => other.description().to_owned(),
                };
                let quoted = self.quoted(span);
                let message = format!("{kind} cannot be taken apart into {count} names");
                let help = match (other, count) {
                    (Type::Text, 2) => Some(
                        "the entries of a map are looped over with `{% for key, value in map | items %}`",
                    ),
                    (Type::Object(_), _) => {
                        Some("bind one name and read its attributes: `{{ item.name }}`")
                    }
                    _ => None,
                };
                let label = format!("each item of {quoted} is {kind}");
                self.report_with_help(Code::WrongValue, message, label, help, span);
                any()
            }
        }
    }

    fn set(&mut self, target: &Target, value: Value, span: TemplateSpan) {
        match target {
            Target::Name(name) => self.bind(name, value, NameKind::Set),
            Target::Attribute(expr) => {
                self.uses.whole(&value.sources);
                self.namespace_attribute(expr);
            }
            _ => self.target(target, &value, span, NameKind::Set),
        }
    }

    fn namespace_attribute(&mut self, expr: &Expr) {
        let ExprKind::Attribute { value: owner, .. } = &expr.kind else { return };
        let value = self.whole(owner, "changed");
        if matches!(value.kind, Type::Namespace | Type::Any) {
            return;
        }
        let quoted = self.quoted(owner.span);
        let message = format!("{quoted} is {} and cannot be changed", value.kind.description());
        let label = "only a namespace can be changed";
        let help = "make one with `{% set ns = namespace() %}`";
        self.report_with_help(Code::WrongValue, message, label, [help], expr.span);
    }

    fn template_macro(&mut self, node: &Macro) {
        // A macro may call itself.
        let parameters: Vec<String> =
            node.parameters.iter().map(|parameter| parameter.text.clone()).collect();
        let kind = MacroType { parameters: parameters.clone(), caller: CallerUse::Guarded };
        let mark = self.scope.mark();
        self.bind(&node.name, Value::new(Type::Macro(Rc::new(kind))), NameKind::Macro);
        let outer = std::mem::take(&mut self.caller);
        let caller = MacroType { parameters: Vec::new(), caller: CallerUse::Guarded };
        self.bind_as("caller", Value::new(Type::Macro(Rc::new(caller))), NameKind::Macro);
        self.macro_body(node, "macro");
        let caller = std::mem::replace(&mut self.caller, outer);
        self.scope.undo(mark);
        let kind = MacroType { parameters, caller };
        self.bind(&node.name, Value::new(Type::Macro(Rc::new(kind))), NameKind::Macro);
    }

    /// The body of a macro or of a `call` block. Nothing is known of the parameters.
    fn macro_body(&mut self, node: &Macro, block: &'static str) {
        for default in &node.defaults {
            self.whole(default, "a default");
        }
        let mark = self.scope.mark();
        if block == "macro" {
            self.scope.hide("loop");
        }
        let parameter = |checker: &mut Self, name: &Name| {
            checker.bind(name, Value::any(), NameKind::Parameter);
        };
        for name in &node.parameters {
            parameter(self, name);
        }
        self.captured(block, |checker| checker.nodes(&node.body));
        self.scope.end(mark, Block::Macro);
    }

    fn unsupported(&mut self, node: &Node) {
        let Some(construct) = walk::unsupported(node) else {
            self.unknown_construct(node.span);
            return;
        };
        let span = node.span;
        let help = match construct {
            "partial" | "include" | "import" | "from" | "extends" | "block" => {
                "put the template's files together first: load the prompt, or name its folder"
            }
            "autoescape" => "prompts are plain text: nothing is escaped",
            _ => "leave it out",
        };
        let length = span.text_in(self.text).map_or(0, |tag| {
            tag.find("%}").or_else(|| tag.find("}}")).map_or(tag.len(), |end| end + 2)
        });
        let diagnostic =
            Diagnostic::new(Code::UnsupportedConstruct, format!("`{construct}` cannot work here"))
                .with_label("has nothing to load")
                .with_help(help);
        let diagnostic = match construct {
            "autoescape" | "block" => diagnostic.with_label("has no effect in a prompt"),
            _ => diagnostic,
        };
        self.report(diagnostic, TemplateSpan::new(span.start, span.start + length));
    }

    /// Reports a construct that is unknown here. Its value may be anything.
    pub(super) fn unknown_construct(&mut self, span: TemplateSpan) -> Value {
        let label = "cannot be checked";
        self.report_labelled(Code::UnsupportedConstruct, "unsupported construct", label, span);
        Value::any()
    }
}
