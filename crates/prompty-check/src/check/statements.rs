//! The statements of a template, and the scopes of the names that they bind.

use std::collections::HashMap;
use std::rc::Rc;

use super::checker::{CONDITIONAL_VALUE, Checker};
use super::guards::PlaceId;
use super::scope::{BlockKind, NameBinding, NameKind};
use super::types::{Absence, CallerUse, LoopType, MacroType, Type, Value};
use prompty_core::diagnostic::{Code, TemplateSpan};
use prompty_template::tree::{Expr, ExprKind, For, If, Macro, Node, NodeKind, Target};
use prompty_template::walk;

impl Checker<'_> {
    pub(super) fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.node(node);
        }
    }

    /// Checks a node, and all nodes in it.
    fn node(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Text(_) => {}
            NodeKind::Output(expr) => self.output(expr),
            NodeKind::If(branches) => self.branches(branches),
            NodeKind::For(node) => self.for_loop(node),
            NodeKind::Set { target, value } => {
                let bound = self.expr(value);
                self.reject_rich(&bound, value.span, "assigned to another name");
                self.set(target, bound, value.span);
            }
            NodeKind::SetBlock { target, filters, body } => {
                self.with_capture("set", |checker| checker.nodes(body));
                let value = self.block_filters(filters);
                self.set(target, value, node.span);
            }
            NodeKind::With { bindings, body } => self.with_block(bindings, body),
            NodeKind::FilterBlock { filters, body } => {
                self.with_capture("filter", |checker| checker.nodes(body));
                self.block_filters(filters);
            }
            NodeKind::Macro(node) => self.template_macro(node),
            NodeKind::CallBlock { call, caller } => match self.message_block(call) {
                Some(call) => self.message_body(call, caller),
                None if !self.language.has_statement_tags() => {
                    self.report_message_without_parser(node.span);
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
            // Constructs that prompts do not support, and unknown constructs.
            _ => self.unsupported_node(node),
        }
    }

    fn with_block(&mut self, bindings: &[(Target, Expr)], body: &[Node]) {
        let mark = self.scope.mark();
        for (target, expr) in bindings {
            let value = self.expr(expr);
            self.reject_rich(&value, expr.span, "assigned to another name");
            self.bind_target(target, &value, expr.span, NameKind::With);
        }
        self.nodes(body);
        self.scope.end(mark, BlockKind::With);
    }

    /// Reports a construct that prompts do not support, and checks its parts.
    fn unsupported_node(&mut self, node: &Node) {
        self.report_unsupported(node);
        for expr in walk::expressions(node) {
            self.read_fully(expr, "used here");
        }
        for body in walk::bodies(node) {
            self.nodes(body);
        }
    }

    /// Checks a printed value.
    fn output(&mut self, expr: &Expr) {
        // In a language without filters, a filter expression represents the escaping of an output:
        // Mustache escapes `{{name}}`, but not `{{{name}}}`.
        let written = expr.span;
        let expr = match &expr.kind {
            ExprKind::Filter { value, .. } if !self.language.has_filters() => {
                self.check_escaped_output(value, written);
                value
            }
            _ => expr,
        };
        let value = self.expr(expr);
        self.check_outside_messages(&value, written);
        if let Type::Rich(rich) = value.kind {
            self.rich_outputs.insert(expr.span, rich);
            if let Some(block) = self.capture {
                let doing = match block {
                    "filter" => "filtered",
                    "set" => "assigned to another name",
                    _ => "written by a macro",
                };
                self.reject_rich(&value, expr.span, doing);
            } else if matches!(expr.kind, ExprKind::Binary { .. }) {
                self.reject_rich(&value, expr.span, CONDITIONAL_VALUE);
            }
        }
        if let Type::Macro(_) = value.kind {
            let quoted = self.quoted(expr.span);
            let message = format!("macro {quoted} is not called");
            let help = format!("call it: `{}(...)`", quoted.trim_matches('`'));
            self.report_with_help(Code::WrongValue, message, "a macro", [help], expr.span);
        }
        self.require_present(&value, expr, "printed");
        self.require_present_in_rust(&value, expr, "printed");
        self.uses.mark_read(&value.sources);
    }

    /// Reads a body whose text `block` captures instead of writing it.
    fn with_capture(&mut self, block: &'static str, read: impl FnOnce(&mut Self)) {
        // The innermost block explains a finding best, but a filter affects all text inside it.
        let outer = self.capture;
        self.capture = if outer == Some("filter") { outer } else { Some(block) };
        read(self);
        self.capture = outer;
    }

    /// Checks the branches of an `if`. Each is read with the facts of its condition, and of the
    /// conditions before it, which are false. The assignments of all branches are merged after it.
    fn branches(&mut self, node: &If) {
        // The values that are present because the conditions so far are false, as in `not x`.
        let mut known: Vec<PlaceId> = Vec::new();
        let mut outcomes: Vec<HashMap<String, NameBinding>> = Vec::new();
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

    /// The bindings after branches of which one was taken. After
    /// `{% if a %}{% set x = 1 %}{% endif %}`, `x` is 1 or has its previous value.
    fn merge(&mut self, outcomes: Vec<HashMap<String, NameBinding>>) -> Vec<(String, NameBinding)> {
        let branches = outcomes.len();
        let mut merged: HashMap<String, (usize, NameBinding)> = HashMap::new();
        for outcome in outcomes {
            for (name, binding) in outcome {
                match merged.remove(&name) {
                    None => {
                        merged.insert(name, (1, binding));
                    }
                    Some((count, other)) => {
                        let value = self.either(other.value, &binding.value);
                        merged.insert(name, (count + 1, NameBinding { value, kind: other.kind }));
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
            // Some branch did not change the name, so its previous value counts as well. The guards
            // of the last branch are still active here.
            let before = self.scope.get(&name).map(|before| before.value.clone());
            let before = before.or_else(|| self.unrecorded_input(&name));
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
            result.push((name, NameBinding { value, kind: binding.kind }));
        }
        result
    }

    /// A value that is one of two.
    fn either(&mut self, left: Value, right: &Value) -> Value {
        let mut value = Value::one_of(&left, right);
        value.sources = self.uses.either(left.sources, &right.sources);
        value
    }

    /// The value of an input that is read without a variable in the template.
    fn unrecorded_input(&mut self, name: &str) -> Option<Value> {
        if !self.is_input(name) {
            return None;
        }
        let value = self.use_input(name, TemplateSpan::default());
        // This use has no place in the template.
        self.variables.pop();
        value
    }

    /// Checks a loop. In its body, the list has items, and the condition after `if` is true.
    fn for_loop(&mut self, node: &For) {
        // A thread in a loop that is not exactly a thread loop is reported at its role line.
        let writes_roles = self.printed_role_lines.has_lines_of_loop(node.iterable.span);
        let was_role_list = std::mem::replace(&mut self.is_role_list, writes_roles);
        let iterable = self.expr(&node.iterable);
        let item = self.item_of_loop(&iterable, &node.iterable);
        self.is_role_list = was_role_list;
        let mark = self.scope.mark();
        self.bind_target(&node.target, &item, node.iterable.span, NameKind::Loop);
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
        self.scope.end(mark, BlockKind::Loop);
        self.nodes(&node.otherwise);
    }

    /// The value of an item of the list in a loop.
    fn item_of_loop(&mut self, iterable: &Value, expr: &Expr) -> Value {
        if self.reject_rich(iterable, expr.span, "iterated over") {
            return Value::any();
        }
        let quoted = self.quoted(expr.span);
        let plain = quoted.trim_matches('`');
        let help = match &iterable.kind {
            Type::List(item) | Type::Tuple(item) => {
                let place = Some(self.guards.fresh());
                return Value { is_read: true, place, ..self.item_of(iterable, item) };
            }
            Type::Any | Type::Null | Type::Optional(_) => {
                return Value { is_read: true, ..self.item_of(iterable, &Type::Any) };
            }
            Type::Object(_) | Type::Dict => {
                self.uses.mark_read(&iterable.sources);
                // The keys of the map.
                return Value::new(Type::Text);
            }
            Type::Pair(_) => {
                self.uses.mark_read(&iterable.sources);
                return Value::any();
            }
            Type::Text | Type::Choice(_) => {
                Some(format!("split it into a list: `{plain} | lines` or `{plain} | split`"))
            }
            Type::Integer => Some(format!("count with `range({plain})`")),
            Type::Boolean => Some(format!("test it with `{{% if {plain} %}}`")),
            _ => None,
        };
        self.uses.mark_read(&iterable.sources);
        let kind = iterable.kind.description();
        let message = format!("{quoted} is {kind}, but a loop needs a list");
        self.report_with_help(Code::WrongValue, message, kind, help, expr.span);
        Value::any()
    }

    /// Binds the names of a loop or a `with`.
    fn bind_target(&mut self, target: &Target, value: &Value, span: TemplateSpan, kind: NameKind) {
        match target {
            Target::Name(name) => self.bind(name, value.clone(), kind),
            Target::Tuple(targets) => {
                self.uses.mark_read(&value.sources);
                let parts = self.unpacked_values(value, targets.len(), span);
                for (target, part) in targets.iter().zip(parts) {
                    self.bind_target(target, &part, span, kind);
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

    /// The values of the names in a tuple, as in `{% for key, value in map | items %}`.
    fn unpacked_values(&mut self, value: &Value, count: usize, span: TemplateSpan) -> Vec<Value> {
        let any = || vec![Value::any(); count];
        match &value.kind {
            Type::Pair(item) if count == 2 => {
                // A missing entry does not occur among the entries.
                let mut entry = Value::from_type(item);
                entry.absence = entry.absence.min(Absence::Computed);
                vec![Value::new(Type::Text), entry]
            }
            Type::Group(item) if count == 2 => {
                vec![Value::any(), Value::new(Type::List(Rc::clone(item)))]
            }
            Type::List(item) | Type::Tuple(item) => vec![Value::from_type(item); count],
            Type::Any | Type::Optional(_) | Type::Rich(_) => any(),
            other => {
                let kind = match other {
                    Type::Pair(_) | Type::Group(_) => "two values".to_owned(),
                    other => other.description().to_owned(),
                };
                let quoted = self.quoted(span);
                let message = format!("cannot unpack {kind} into {count} names");
                let help = match (other, count) {
                    (Type::Text, 2) => Some(
                        "loop over the entries of a map with `{% for key, value in map | items %}`",
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

    /// Binds the name of a `set`, or changes an attribute of a namespace.
    fn set(&mut self, target: &Target, value: Value, span: TemplateSpan) {
        match target {
            Target::Name(name) => self.bind(name, value, NameKind::Set),
            Target::Attribute(expr) => {
                self.uses.mark_read(&value.sources);
                self.namespace_attribute(expr);
            }
            _ => self.bind_target(target, &value, span, NameKind::Set),
        }
    }

    /// Checks the owner in `{% set owner.name = ... %}`. Only a namespace can be changed.
    fn namespace_attribute(&mut self, expr: &Expr) {
        let ExprKind::Attribute { value: owner, .. } = &expr.kind else { return };
        let value = self.read_fully(owner, "changed");
        if matches!(value.kind, Type::Namespace | Type::Any) {
            return;
        }
        let quoted = self.quoted(owner.span);
        let message = format!("{quoted} is {} and cannot be changed", value.kind.description());
        let label = "only attributes of a namespace can be set";
        let help = "create one with `{% set ns = namespace() %}`";
        self.report_with_help(Code::WrongValue, message, label, [help], expr.span);
    }

    /// Checks a macro, and binds its name.
    fn template_macro(&mut self, node: &Macro) {
        // A macro may call itself. How it uses `caller` is known after its body.
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

    /// Checks the body of a macro or of a `call` block. The types of its parameters are unknown.
    fn macro_body(&mut self, node: &Macro, block: &'static str) {
        for default in &node.defaults {
            self.read_fully(default, "a default");
        }
        let mark = self.scope.mark();
        // A macro may be called anywhere. A `call` block sees the loop that encloses it.
        if block == "macro" {
            self.scope.hide("loop");
        }
        for name in &node.parameters {
            self.bind(name, Value::any(), NameKind::Parameter);
        }
        self.with_capture(block, |checker| checker.nodes(&node.body));
        self.scope.end(mark, BlockKind::Macro);
    }

    fn report_unsupported(&mut self, node: &Node) {
        let Some(construct) = walk::unsupported(node) else {
            self.unknown_construct(node.span);
            return;
        };
        let span = node.span;
        let help = match construct {
            "partial" | "include" | "import" | "from" | "extends" | "block" => {
                "load the prompt from a file, or set the folder of its templates"
            }
            "autoescape" => "remove it: prompts are plain text, and nothing is escaped",
            _ => "remove it",
        };
        // Only the first tag of a block is marked.
        let length = span.text_in(self.text).map_or(0, |tag| {
            tag.find("%}").or_else(|| tag.find("}}")).map_or(tag.len(), |end| end + 2)
        });
        let label = match construct {
            "autoescape" | "block" => "has no effect in a prompt",
            _ => "no file to load",
        };
        let message = format!("`{construct}` is not supported here");
        let first_tag = TemplateSpan::new(span.start, span.start + length);
        self.report_with_help(Code::UnsupportedConstruct, message, label, [help], first_tag);
    }

    /// Reports an unknown construct. Its value may have any type.
    pub(super) fn unknown_construct(&mut self, span: TemplateSpan) -> Value {
        let label = "this version cannot check it";
        let (message, help) =
            ("unsupported tag or expression", "write it with other tags or expressions");
        self.report_with_help(Code::UnsupportedConstruct, message, label, [help], span);
        Value::any()
    }
}
