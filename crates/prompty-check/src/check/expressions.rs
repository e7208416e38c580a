//! The value of each expression, and the findings about it.

use super::call_arguments::{constant, constant_text};
use super::checker::{CONDITIONAL_VALUE, Checker, listed};
use super::context_blocks::each_variable;
use super::guards::in_both;
use super::scope::{BlockKind, NameKind};
use super::types::{Absence, Type, TypeClass, Value};
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_core::value::Value as Constant;
use prompty_core::work::add_steps;
use prompty_template::tree::{Argument, BinaryOperator, Expr, ExprKind, Name, UnaryOperator};
use prompty_template::walk::operands;

/// The attributes of `loop`.
const LOOP_ATTRIBUTES: [&str; 11] = [
    "index",
    "index0",
    "first",
    "last",
    "length",
    "revindex",
    "revindex0",
    "depth",
    "depth0",
    "previtem",
    "nextitem",
];

/// The maximum number of choices that each comparison is checked against.
const MOST_CHOICES: usize = 1_000;

impl Checker<'_> {
    /// Reads an expression and returns its value.
    pub(super) fn expr(&mut self, expr: &Expr) -> Value {
        let value = match &expr.kind {
            ExprKind::Variable(name) => self.variable(name, expr.span),
            ExprKind::Implicit => self.implicit(),
            ExprKind::Context(up) => self.context_value(*up),
            ExprKind::Literal(value) => Value::new(literal_type(value)),
            ExprKind::Attribute { value, name } => self.attribute(value, name),
            ExprKind::Index { value, index } => self.index(expr, value, index),
            ExprKind::Slice { value, bounds } => self.slice(expr, value, bounds),
            ExprKind::Unary { operator, operand } => self.unary(expr, *operator, operand),
            ExprKind::Binary { operator, left, right } => self.binary(expr, *operator, left, right),
            ExprKind::Comparison { first, rest } => self.comparison(first, rest),
            ExprKind::Conditional { condition, value, otherwise } => {
                self.conditional(condition, value, otherwise.as_deref())
            }
            ExprKind::Filter { value, call } => self.filter(value, call),
            ExprKind::Test { value, call } => self.test(value, call),
            ExprKind::Function(call) => self.function(call, false),
            ExprKind::Method { value, call } => self.method(value, call),
            ExprKind::Invocation { value, arguments } => self.invocation(expr, value, arguments),
            ExprKind::List(items) => Value::new(Type::list(self.list_items(items))),
            ExprKind::Tuple(items) => Value::new(Type::tuple(self.list_items(items))),
            ExprKind::Map(entries) => self.map_literal(entries),
            _ => self.unknown_expr(expr),
        };
        self.uses.here = Some(expr.span.in_source(self.body));
        value
    }

    /// Reports an unknown expression, and checks its operands.
    fn unknown_expr(&mut self, expr: &Expr) -> Value {
        for operand in operands(expr) {
            self.read_fully(operand, "used here");
        }
        self.unknown_construct(expr.span)
    }

    /// Reads a condition. The returned value has the facts that follow from it.
    pub(super) fn condition(&mut self, expr: &Expr) -> Value {
        let value = self.expr(expr);
        self.uses.mark_tested(&value.sources);
        value
    }

    /// Reads an expression whose value is used completely, such as an argument.
    pub(super) fn read_fully(&mut self, expr: &Expr, doing: &str) -> Value {
        let value = self.expr(expr);
        self.reject_rich(&value, expr.span, doing);
        self.uses.mark_read(&value.sources);
        value
    }

    /// The value of a name: of a binding of the template, or of an input. Mustache sections have
    /// their own lookup, and a name such as `@index` is a variable of Handlebars.
    fn variable(&mut self, name: &str, span: TemplateSpan) -> Value {
        if !self.contexts.is_empty() {
            return self.context_variable(name, span);
        }
        if name.starts_with('@') {
            return each_variable(name);
        }
        if name == "caller" && self.scope.get(name).is_some() {
            self.caller = self.caller.at_least_guarded();
        }
        if let Some(binding) = self.scope.get(name) {
            let mut value = binding.value.clone();
            if let Some(place) = value.place {
                value.absence = self.absence_at(value.absence, place);
            }
            return value;
        }
        if self.is_bare_call(name) {
            return self.bare_call(name, span);
        }
        if let Some(value) = self.use_input(name, span) {
            return value;
        }
        if prompty_template::builtins::find(self.language.functions(), name).is_some()
            || (!self.language.has_plugins() && self.host_function(name).is_some())
        {
            let message = format!("function `{name}` is not called");
            let help = format!("call it: `{name}(...)`");
            self.report_with_help(Code::WrongValue, message, "a function", [help], span);
            return Value::any();
        }
        self.report_unbound(name, span);
        Value::any()
    }

    /// Reports a name that is not bound. It may be bound by a block that has ended.
    fn report_unbound(&mut self, name: &str, span: TemplateSpan) {
        let has_tags = self.language.has_statement_tags();
        if name == "loop" && has_tags {
            let diagnostic =
                Diagnostic::new(Code::UnknownInput, "`loop` is used outside of a loop")
                    .with_label("no enclosing loop")
                    .with_help("use it between `{% for %}` and `{% endfor %}`");
            self.report(diagnostic, span);
            return;
        }
        let Some(ended) = self.scope.ended(name) else {
            self.report_unknown_variable(name, span);
            return;
        };
        let diagnostic = match (ended.kind, ended.block) {
            (NameKind::Set, BlockKind::Loop) => {
                let message = format!("`{name}` is used outside of the loop that sets it");
                Diagnostic::new(Code::UnknownInput, message).with_help(format!(
                    "a variable that `set` binds in a loop is lost at the end of the iteration: keep it in a namespace, \
                     `{{% set ns = namespace({name}=...) %}}`"
                ))
            }
            (_, BlockKind::Loop) => {
                let message = format!("`{name}` is used outside of its loop");
                Diagnostic::new(Code::UnknownInput, message).with_help(match has_tags {
                    true => "use it between `{% for %}` and `{% endfor %}`",
                    false => "use it before the block of the loop ends",
                })
            }
            (_, block) => {
                let tag = if block == BlockKind::With { "with" } else { "macro" };
                let message = format!("`{name}` is used outside of its `{tag}` block");
                Diagnostic::new(Code::UnknownInput, message)
                    .with_help(format!("use it before `{{% end{tag} %}}`"))
            }
        };
        self.report(diagnostic.with_label("is not defined here"), span);
    }

    fn attribute(&mut self, owner: &Expr, name: &Name) -> Value {
        if let ExprKind::Context(up) = owner.kind {
            return self.context_attribute(up, owner, name);
        }
        let value = self.expr(owner);
        self.attribute_of(&value, owner, name)
    }

    /// The value of an attribute of a value. `owner` is the expression of that value.
    pub(super) fn attribute_of(&mut self, value: &Value, owner: &Expr, name: &Name) -> Value {
        if self.reject_rich(value, owner.span, "accessed by attribute") {
            return Value::any();
        }
        self.require_present(value, owner, "accessed by attribute");
        if name.text == "length" && self.has_length(&value.kind) {
            self.uses.mark_read(&value.sources);
            return Value::new(Type::Integer);
        }
        if let Type::Loop(kind) = &value.kind {
            return self.loop_attribute(&kind.item, name);
        }
        let Some(kind) = self.attribute_type(value, owner, name) else { return Value::any() };
        let mut result = Value::from_type(&kind);
        let span = name.span.in_source(self.body);
        result.sources = self.uses.attribute(&value.sources, &name.text, span);
        result.is_read = true;
        if let Some(place) = value.place {
            let place = self.guards.child(place, &name.text);
            result.place = Some(place);
            result.absence = self.absence_at(result.absence, place);
        }
        result
    }

    /// The type of an attribute; `None` if the value has no attributes, which is reported.
    fn attribute_type(&mut self, value: &Value, owner: &Expr, name: &Name) -> Option<Type> {
        Some(match &value.kind {
            Type::Any | Type::Never | Type::Namespace | Type::Optional(_) | Type::Macro(_) => {
                Type::Any
            }
            Type::Null | Type::Dict | Type::Mixed => Type::Mixed,
            Type::Object(object) => match object.fields.get(&name.text) {
                Some(kind) => kind.clone(),
                None => {
                    if !object.open {
                        let names: Vec<&str> = object.names.iter().map(String::as_str).collect();
                        self.report_unknown_attribute(owner, name, &names);
                    }
                    Type::Any
                }
            },
            Type::Group(item) => match name.text.as_str() {
                "grouper" => Type::Any,
                "list" => Type::List(item.clone()),
                _ => {
                    self.report_unknown_attribute(owner, name, &["grouper", "list"]);
                    Type::Any
                }
            },
            Type::Text
            | Type::Choice(_)
            | Type::Integer
            | Type::Float
            | Type::Boolean
            | Type::List(_)
            | Type::Tuple(_)
            | Type::Pair(_)
            | Type::Loop(_)
            | Type::Rich(_) => {
                self.report_no_attributes(value, owner, name);
                return None;
            }
        })
    }

    /// The value of an attribute of `loop`.
    fn loop_attribute(&mut self, item: &Value, name: &Name) -> Value {
        match name.text.as_str() {
            "index" | "index0" | "length" | "revindex" | "revindex0" | "depth" | "depth0" => {
                Value::new(Type::Integer)
            }
            "first" | "last" => Value::new(Type::Boolean),
            "previtem" | "nextitem" => {
                let absence = item.absence.max(Absence::Computed);
                let place = Some(self.guards.fresh());
                Value { absence, place, ..item.clone() }
            }
            _ => {
                let diagnostic = self.unknown_finding(
                    Code::UnknownAttribute,
                    "attribute",
                    &name.text,
                    &LOOP_ATTRIBUTES,
                );
                self.report(diagnostic.with_label("not an attribute of `loop`"), name.span);
                Value::any()
            }
        }
    }

    pub(super) fn report_unknown_attribute(&mut self, owner: &Expr, name: &Name, names: &[&str]) {
        let owner = self.quoted(owner.span);
        let mut diagnostic =
            self.unknown_finding(Code::UnknownAttribute, "attribute", &name.text, names);
        for help in &mut diagnostic.help {
            if let Some(list) = help.strip_prefix("available attributes: ") {
                *help = format!("available attributes of {owner}: {list}");
            }
        }
        self.report(diagnostic.with_label(format!("not an attribute of {owner}")), name.span);
    }

    /// Reports an attribute of a value without attributes. The help is how to use the value.
    fn report_no_attributes(&mut self, value: &Value, owner: &Expr, name: &Name) {
        let quoted = self.quoted(owner.span);
        let plain = quoted.trim_matches('`');
        let kind = value.kind.description();
        let attribute = &name.text;
        let help = match (&value.kind, attribute.as_str()) {
            (_, "length" | "size" | "count" | "len") if self.language.has_filters() => {
                format!("write `{plain} | length`")
            }
            (_, "length" | "size" | "count" | "len") => {
                "pass its length as a separate input".to_owned()
            }
            (Type::List(_), _) if !self.language.has_statement_tags() => {
                format!("loop over it, and print `{attribute}` in the loop")
            }
            (Type::List(_), _) => format!(
                "loop over it: `{{% for item in {plain} %}}{{{{ item.{attribute} }}}}{{% endfor %}}`, \
                 or take one: `{plain}[0].{attribute}`"
            ),
            _ => format!("use the value itself: `{}`", self.language.output(plain)),
        };
        let message = format!("{quoted} is {kind} and has no attributes");
        let label = format!("no attribute `{attribute}`");
        self.report_with_help(Code::WrongValue, message, label, [help], name.span);
    }

    /// The value of `owner[index]`. A constant string is the name of an attribute.
    fn index(&mut self, expr: &Expr, owner: &Expr, index: &Expr) -> Value {
        let value = self.expr(owner);
        let at = self.read_fully(index, "an index");
        if self.reject_rich(&value, owner.span, "indexed") {
            return Value::any();
        }
        self.require_present(&value, owner, "indexed");
        let is_list = matches!(value.kind, Type::List(_) | Type::Tuple(_) | Type::Pair(_));
        if let (Some(name), false) = (constant_text(index), is_list) {
            return self.attribute_of(&value, owner, &Name::new(name, index.span));
        }
        if is_list && at.kind.class() == Some(TypeClass::Text) {
            let message = format!("{} is a list and has no named items", self.quoted(owner.span));
            let label = "a list is indexed with an integer";
            let help = "take an item first, such as `list[0]`, or loop over the list";
            self.report_with_help(Code::WrongValue, message, label, [help], index.span);
            return Value::any();
        }
        let Some(item) = item_type(&value.kind) else {
            let kind = value.kind.description();
            let quoted = self.quoted(owner.span);
            let message = format!("{quoted} is {kind} and has no items");
            let help = format!("use the value itself: {quoted}");
            self.report_with_help(Code::WrongValue, message, "indexed here", [help], expr.span);
            return Value::any();
        };
        let mut result = Value::from_type(&item);
        // The list may be shorter.
        result.absence = result.absence.max(Absence::Computed);
        let number = constant(index).and_then(Constant::as_integer);
        match number.filter(|_| matches!(value.kind, Type::List(_) | Type::Any)) {
            Some(number) => {
                result.sources = self.uses.item(&value.sources);
                if let Some(place) = value.place {
                    let place = self.guards.child(place, &format!("[{number}]"));
                    result.place = Some(place);
                    result.absence = self.absence_at(result.absence, place);
                }
            }
            None => self.uses.mark_read(&value.sources),
        }
        result
    }

    /// The value of `owner[start:stop:step]`.
    fn slice(&mut self, expr: &Expr, owner: &Expr, bounds: &[Option<Box<Expr>>; 3]) -> Value {
        let value = self.read_fully(owner, "sliced");
        for bound in bounds.iter().flatten() {
            let at = self.read_fully(bound, "an index");
            self.require_number(&at, bound, "the bound of a slice");
        }
        self.require_present(&value, owner, "sliced");
        self.check_slice_step(bounds);
        match &value.kind {
            Type::Text | Type::Choice(_) => Value::new(Type::Text),
            Type::List(_) | Type::Tuple(_) => Value::new(value.kind.clone()),
            Type::Any | Type::Rich(_) | Type::Optional(_) => Value::any(),
            other => {
                let kind = other.description();
                let quoted = self.quoted(owner.span);
                let message = format!("{quoted} is {kind} and cannot be sliced");
                let label = "only strings and lists can be sliced";
                let help = format!("use the value itself: {quoted}");
                self.report_with_help(Code::WrongValue, message, label, [help], expr.span);
                Value::any()
            }
        }
    }

    /// Reports steps that the engine does not support.
    fn check_slice_step(&mut self, bounds: &[Option<Box<Expr>>; 3]) {
        let [start, stop, Some(step)] = bounds else { return };
        let is_backwards =
            matches!(&step.kind, ExprKind::Unary { operator: UnaryOperator::Minus, .. });
        let diagnostic = match &step.kind {
            ExprKind::Literal(zero) if zero.as_integer() == Some(0) => {
                Diagnostic::new(Code::WrongValue, "the step of a slice is 0")
                    .with_label("selects no item")
                    .with_help("remove the step")
            }
            _ if is_backwards && (start.is_some() || stop.is_some()) => {
                Diagnostic::new(Code::WrongValue, "a slice with bounds has a negative step")
                    .with_label("a negative step is only supported without bounds")
                    .with_help("slice first, then reverse the result with `| reverse`")
            }
            _ => return,
        };
        self.report(diagnostic, step.span);
    }

    /// The value of `not x`, `-x` or `+x`. The facts of a true `x` are those of a false `not x`.
    fn unary(&mut self, expr: &Expr, operator: UnaryOperator, operand: &Expr) -> Value {
        match operator {
            UnaryOperator::Not => {
                let value = self.condition(operand);
                let mut result = Value::new(Type::Boolean);
                result.when_false = self.when_true(&value);
                result.when_true = value.when_false;
                result
            }
            UnaryOperator::Minus | UnaryOperator::Plus => {
                let value = self.read_fully(operand, "used in arithmetic");
                self.require_present_strictly(&value, operand, "used in arithmetic");
                self.require_number(&value, operand, "`-`");
                Value::new(match value.kind {
                    Type::Integer => Type::Integer,
                    Type::Float => Type::Float,
                    _ => Type::Any,
                })
            }
            _ => self.unknown_expr(expr),
        }
    }

    /// Reports a value that is not a number.
    pub(super) fn require_number(&mut self, value: &Value, expr: &Expr, needed_by: &str) {
        if matches!(
            value.kind,
            Type::Any | Type::Integer | Type::Float | Type::Rich(_) | Type::Optional(_)
        ) {
            return;
        }
        let kind = value.kind.description();
        let message =
            format!("{} is {kind}, but {needed_by} needs a number", self.quoted(expr.span));
        let help = match value.kind {
            Type::Text | Type::Choice(_) if self.language.has_filters() => {
                "convert it with `| int` or `| float`"
            }
            _ => "pass a number",
        };
        self.report_with_help(Code::WrongValue, message, "expected a number", [help], expr.span);
    }

    /// The value of an operation with two operands.
    fn binary(
        &mut self,
        expr: &Expr,
        operator: BinaryOperator,
        left: &Expr,
        right: &Expr,
    ) -> Value {
        match operator {
            BinaryOperator::And => self.and(left, right),
            BinaryOperator::Or => self.or(left, right),
            BinaryOperator::Concatenate => {
                for side in [left, right] {
                    let value = self.read_fully(side, "concatenated with `~`");
                    self.require_present(&value, side, "concatenated with `~`");
                    self.require_present_in_rust(&value, side, "concatenated with `~`");
                }
                Value::new(Type::Text)
            }
            operator if operator.is_comparison() => {
                let left_value = self.read_fully(left, "compared");
                let right_value = self.read_fully(right, "compared");
                self.compare(operator, (&left_value, left), (&right_value, right))
            }
            BinaryOperator::Add
            | BinaryOperator::Subtract
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::FloorDivide
            | BinaryOperator::Remainder
            | BinaryOperator::Power => self.arithmetic(expr, operator, left, right),
            _ => self.unknown_expr(expr),
        }
    }

    /// The value of `left and right`. `right` is read only if `left` is true. If the result is
    /// true, both are. If it is false, either may be, so only facts that both have are certain.
    fn and(&mut self, left: &Expr, right: &Expr) -> Value {
        let first = self.condition(left);
        let known = self.when_true(&first);
        let entered = self.guards.enter(&known);
        let second = self.expr(right);
        self.guards.leave(&entered);
        let mut when_true = known;
        when_true.extend(self.when_true(&second));
        let when_false = in_both(&first.when_false, &second.when_false);
        let joined = Value::one_of(&first, &second);
        let sources = self.uses.either(first.sources, &second.sources);
        Value { sources, when_true, when_false, ..joined }
    }

    /// The value of `left or right`. `right` is read only if `left` is false. The facts are those
    /// of `and` with true and false exchanged.
    fn or(&mut self, left: &Expr, right: &Expr) -> Value {
        let first = self.condition(left);
        let entered = self.guards.enter(&first.when_false);
        let second = self.expr(right);
        self.guards.leave(&entered);
        let when_true = in_both(&self.when_true(&first), &self.when_true(&second));
        let mut when_false = first.when_false;
        when_false.extend(&second.when_false);
        // The result is never the first operand if that is `none` or missing.
        let taken = Value { absence: Absence::Never, ..Value::from_type(&first.kind) };
        let joined = match taken.kind {
            Type::Null => Value { absence: second.absence, ..Value::new(second.kind.clone()) },
            _ => Value::one_of(&taken, &second),
        };
        let sources = self.uses.either(first.sources, &second.sources);
        Value { sources, when_true, when_false, ..joined }
    }

    /// The value of `value if condition else otherwise`. Without `else` it may be missing.
    fn conditional(&mut self, condition: &Expr, value: &Expr, otherwise: Option<&Expr>) -> Value {
        let decides = self.condition(condition);
        let known = self.when_true(&decides);
        let entered = self.guards.enter(&known);
        let first = self.expr(value);
        self.reject_rich(&first, value.span, CONDITIONAL_VALUE);
        self.guards.leave(&entered);
        let Some(otherwise) = otherwise else {
            // The condition decides whether there is a result, so it is not the place of `value`.
            let absence = first.absence.max(Absence::Computed);
            return Value { absence, place: None, ..first.without_facts() };
        };
        let entered = self.guards.enter(&decides.when_false);
        let second = self.expr(otherwise);
        self.reject_rich(&second, otherwise.span, CONDITIONAL_VALUE);
        self.guards.leave(&entered);
        let mut result = Value::one_of(&first, &second);
        result.sources = self.uses.either(first.sources, &second.sources);
        result
    }

    /// The type of the items of a list in the template.
    fn list_items(&mut self, items: &[Expr]) -> Type {
        let mut kind: Option<Type> = None;
        for item in items {
            let value = self.read_fully(item, "put into a list");
            let own = match value.absence {
                Absence::Never => value.kind,
                _ => value.kind.into_optional(),
            };
            kind = Some(match kind {
                None => own,
                Some(kind) => kind.or(&own),
            });
        }
        kind.unwrap_or(Type::Never)
    }

    fn map_literal(&mut self, entries: &[(Expr, Expr)]) -> Value {
        for (key, value) in entries {
            self.read_fully(key, "a key");
            self.read_fully(value, "put into a map");
        }
        Value::new(Type::Dict)
    }

    /// Reports a call of an expression that is not a name, such as `a[0]()`.
    fn invocation(&mut self, expr: &Expr, value: &Expr, arguments: &[Argument]) -> Value {
        self.read_fully(value, "called");
        for argument in arguments {
            self.read_fully(argument.expr(), "an argument");
        }
        let message = "only functions and macros can be called";
        let label = "neither a function nor a macro";
        let help = "remove the parentheses and the arguments";
        self.report_with_help(Code::UnknownFunction, message, label, [help], expr.span);
        Value::any()
    }

    /// Reports a comparison of a choice with a string that is not one of its values. `named` is the
    /// expression of the choice.
    pub(super) fn check_choice(&mut self, choice: &Value, named: &Expr, literal: &Expr) {
        let (Type::Choice(values), Some(text)) = (&choice.kind, constant_text(literal)) else {
            return;
        };
        if values.len() > MOST_CHOICES {
            return;
        }
        add_steps(values.len());
        if values.iter().any(|value| value == text) {
            return;
        }
        let names: Vec<&str> = values.iter().map(String::as_str).collect();
        let quoted = self.quoted(named.span);
        let message = format!("`{text}` is not a value of {quoted}");
        let help = match self.similar(text, &names) {
            Some(similar) => format!("a similar value exists: `{similar}`"),
            None => format!("available values: {}", listed(&names)),
        };
        self.report_with_help(Code::WrongValue, message, "never equal", [help], literal.span);
    }
}

/// The type of an item of a value; `None` if the value has no items.
fn item_type(kind: &Type) -> Option<Type> {
    match kind {
        Type::List(item) | Type::Tuple(item) => Some(Type::clone(item)),
        Type::Any | Type::Never | Type::Optional(_) | Type::Namespace => Some(Type::Any),
        Type::Object(object) if object.open => Some(Type::Any),
        Type::Null
        | Type::Object(_)
        | Type::Dict
        | Type::Mixed
        | Type::Pair(_)
        | Type::Group(_) => Some(Type::Mixed),
        _ => None,
    }
}

/// The type of a constant.
fn literal_type(value: &Constant) -> Type {
    match value {
        Constant::Null => Type::Null,
        Constant::Bool(_) => Type::Boolean,
        Constant::Integer(_) => Type::Integer,
        Constant::Float(_) => Type::Float,
        Constant::String(_) => Type::Text,
        _ => Type::Any,
    }
}
