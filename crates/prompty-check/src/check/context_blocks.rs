//! Handlebars blocks: a name in a block is looked up only in the value of that block. In
//! `{{#each docs}}{{title}}{{../city}}{{/each}}`, `title` is an attribute of an item of `docs`, and
//! `../city` is an input. `up` is the number of `../` before a name.

use super::checker::Checker;
use super::result_types::fixed_type;
use super::scope::{NameBinding, NameKind};
use super::types::{Absence, BlockValue, Type, Value};
use prompty_core::diagnostic::Code;
use prompty_template::builtins::{Builtin, Operand, Output};
use prompty_template::tree::{Call, ContextBlock, ContextKind, Expr, ExprKind, Name};

/// The value of a variable such as `@index`.
pub(super) fn each_variable(name: &str) -> Value {
    Value::new(match name.rsplit(['@', '/']).next() {
        Some("index") => Type::Integer,
        Some("first" | "last") => Type::Boolean,
        _ => Type::Any,
    })
}

impl Checker<'_> {
    /// Whether a name without arguments calls a function of the host.
    pub(super) fn is_bare_call(&self, name: &str) -> bool {
        self.language.has_helpers() && self.host_function(name).is_some()
    }

    /// Whether values of a type have a `length`.
    pub(super) fn has_length(&self, kind: &Type) -> bool {
        self.language.has_lengths()
            && matches!(kind, Type::Text | Type::Choice(_) | Type::List(_) | Type::Tuple(_))
    }

    /// Checks a block. It is written for each item of a list, once for another value, and otherwise
    /// its `else` is written.
    pub(super) fn context_block(&mut self, block: &ContextBlock) {
        let subject = self.condition(&block.subject);
        let doing = match block.kind {
            ContextKind::Each => "iterated over",
            _ => "entered",
        };
        self.reject_rich(&subject, block.subject.span, doing);
        let value = match block.kind {
            ContextKind::Each => BlockValue::Value(self.item_of_each(&subject, &block.subject)),
            ContextKind::With => BlockValue::Value(subject.clone()),
            ContextKind::Section => self.section_value(&subject),
            _ => BlockValue::Value(self.unknown_construct(block.subject.span)),
        };
        let value = match value {
            BlockValue::Value(value) => BlockValue::Value(self.as_present(value)),
            around => around,
        };
        let entered = self.guards.enter(&self.when_true(&subject));
        let outer = self.bind_parameters(block, &subject, &value);
        self.blocks.push(value);
        self.nodes(&block.body);
        self.blocks.pop();
        self.unbind_parameters(block, outer);
        self.guards.leave(&entered);
        let entered = self.guards.enter(&subject.when_false);
        self.nodes(&block.otherwise);
        self.guards.leave(&entered);
    }

    /// The value of an open block, which is always present.
    fn as_present(&mut self, value: Value) -> Value {
        let mut value = value.without_facts();
        value.absence = Absence::Never;
        if value.place.is_none() {
            value.place = Some(self.guards.fresh());
        }
        value
    }

    /// The value of an item in an `each` block.
    fn item_of_each(&mut self, subject: &Value, expr: &Expr) -> Value {
        match &subject.kind {
            Type::List(item) | Type::Tuple(item) => self.item_of(subject, item),
            // It may be a list or a map.
            Type::Any | Type::Optional(_) | Type::Never => self.item_or_value(subject),
            Type::Object(_) | Type::Dict | Type::Null | Type::Mixed | Type::Rich(_) => {
                self.uses.mark_read(&subject.sources);
                Value::any()
            }
            other => {
                let kind = other.description();
                let quoted = self.quoted(expr.span);
                let message = format!("{quoted} is {kind} and cannot be iterated over");
                let plain = quoted.trim_matches('`');
                let label = "expected a list or a map";
                let help = format!("print it without a loop: `{}`", self.language.output(plain));
                self.report_with_help(Code::WrongValue, message, label, [help], expr.span);
                Value::any()
            }
        }
    }

    /// The value of an item of a list.
    pub(super) fn item_of(&mut self, list: &Value, item: &Type) -> Value {
        Value { sources: self.uses.item(&list.sources), ..Value::from_type(item) }
    }

    /// The value of an item if a value is a list, and otherwise the value itself. Both may be read.
    fn item_or_value(&mut self, value: &Value) -> Value {
        let items = self.uses.item(&value.sources);
        Value { sources: self.uses.either(value.sources.clone(), &items), ..Value::any() }
    }

    /// The value of `{{#name}}`, which is an `each` or `with` block depending on the value.
    fn section_value(&mut self, subject: &Value) -> BlockValue {
        match &subject.kind {
            // A block of `true` is a condition: its names have the same meaning as outside.
            Type::Boolean => BlockValue::Around,
            Type::List(item) | Type::Tuple(item) => BlockValue::Value(self.item_of(subject, item)),
            Type::Any => BlockValue::Value(self.item_or_value(subject)),
            _ => BlockValue::Value(subject.clone()),
        }
    }

    /// Binds the names after `as`. Returns their previous bindings.
    fn bind_parameters(
        &mut self,
        block: &ContextBlock,
        subject: &Value,
        value: &BlockValue,
    ) -> Vec<Option<NameBinding>> {
        let first = match value {
            BlockValue::Value(value) => value.clone(),
            BlockValue::Around => Value::new(Type::Boolean),
        };
        // The index of the item, or its key.
        let second = Value::new(match &subject.kind {
            Type::List(_) | Type::Tuple(_) => Type::Integer,
            Type::Object(_) | Type::Dict => Type::Text,
            _ => Type::Any,
        });
        let mut outer = Vec::new();
        for (name, value) in block.parameters.iter().zip([first, second]) {
            outer.push(self.scope.get(&name.text).cloned());
            self.bind(name, value, NameKind::Loop);
        }
        outer
    }

    /// Restores the bindings before [`Checker::bind_parameters`].
    fn unbind_parameters(&mut self, block: &ContextBlock, outer: Vec<Option<NameBinding>>) {
        for (name, before) in block.parameters.iter().zip(outer) {
            match before {
                Some(binding) => self.scope.bind(&name.text, binding),
                None => self.scope.hide(&name.text),
            }
        }
    }

    /// The value of a block; `None` if its names are those of the inputs.
    fn block_value(&self, up: usize) -> Option<Value> {
        let blocks = self.blocks.iter().rev().skip(up);
        blocks.into_iter().find_map(|block| match block {
            BlockValue::Value(value) => Some(value.clone()),
            BlockValue::Around => None,
        })
    }

    /// The value of `this`, or of `..` for an enclosing block.
    pub(super) fn context_value(&mut self, up: usize) -> Value {
        self.block_value(up).unwrap_or_else(Value::any)
    }

    /// The value of a name in a block, or of `this.name`.
    pub(super) fn context_attribute(&mut self, up: usize, owner: &Expr, name: &Name) -> Value {
        // A name without `this.` has an owner without text.
        let is_plain = owner.span.start == owner.span.end;
        if is_plain && self.is_bare_call(&name.text) {
            return self.bare_call(&name.text, name.span);
        }
        let Some(value) = self.block_value(up) else {
            let variable = ExprKind::Variable(name.text.clone());
            return self.expr(&Expr::new(variable, name.span));
        };
        let is_known = match &value.kind {
            Type::Object(object) => object.open || object.fields.contains_key(&name.text),
            Type::Text
            | Type::Choice(_)
            | Type::List(_)
            | Type::Integer
            | Type::Float
            | Type::Boolean => self.has_length(&value.kind) && name.text == "length",
            _ => true,
        };
        if is_known || !is_plain {
            return self.attribute_of(&value, owner, name);
        }
        self.report_unknown_in_block(&value, up, name);
        Value::any()
    }

    fn report_unknown_in_block(&mut self, value: &Value, up: usize, name: &Name) {
        let fields: Vec<&str> = match &value.kind {
            Type::Object(object) => object.names.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        };
        let message = format!("unknown attribute `{}`", name.text);
        let label = "not an attribute of the value of this block";
        let outside = "../".repeat(self.blocks.len() - up.min(self.blocks.len()));
        let help = if self.is_input(&name.text) {
            format!("use the input outside of the block: `{outside}{}`", name.text)
        } else if let Some(similar) = self.similar(&name.text, &fields) {
            format!("an attribute with a similar name exists: `{similar}`")
        } else if fields.is_empty() {
            format!("print the value, {}, with `{{{{this}}}}`", value.kind.description())
        } else {
            format!("available attributes: {}", super::checker::listed(&fields))
        };
        self.report_with_help(Code::UnknownAttribute, message, label, [help], name.span);
    }

    /// The value that a helper of the language returns.
    pub(super) fn helper(&mut self, helper: &Builtin, call: &Call, values: &[Value]) -> Value {
        if helper.takes == Operand::Number {
            for (argument, value) in call.arguments.iter().zip(values) {
                self.require_number(value, argument.expr(), &format!("`{}`", helper.name));
            }
        }
        Value::new(match helper.gives {
            Output::List => Type::list(Type::Any),
            gives => fixed_type(gives).unwrap_or(Type::Any),
        })
    }
}
