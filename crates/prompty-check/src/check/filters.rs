//! Filters and tests: unknown names, input types, arguments, and result types.

use std::rc::Rc;

use super::checker::Checker;
use super::types::{Absence, Type, Value};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::value::Value as Constant;
use prompty_template::builtins::{self, Builtin, NamedArguments, Operand, Output};
use prompty_template::host_functions::argument_count;
use prompty_template::tree::{Argument, Call, Expr, ExprKind, Name};

impl Checker<'_> {
    /// The value of `input | filter`.
    pub(super) fn filter(&mut self, input: &Expr, call: &Call) -> Value {
        let value = self.expr(input);
        if self.reject_rich(&value, input.span, "filtered") {
            self.arguments(&call.arguments);
            return Value::any();
        }
        if matches!(call.name.text.as_str(), "default" | "d") {
            return self.default_filter(value, call);
        }
        let sources = self.read_by_filter(&value, call);
        self.require_present(&value, input, "filtered");
        // In Rust, these filters accept an `Option`.
        if !matches!(call.name.text.as_str(), "tojson" | "length" | "count" | "join" | "string") {
            self.require_present_in_rust(&value, input, "filtered");
        }
        let mut result = self.filter_value(&value, Some(input), call);
        result.sources = sources;
        result
    }

    /// The value of a filter. In a filter block, the input has no expression.
    pub(super) fn filter_value(
        &mut self,
        value: &Value,
        input: Option<&Expr>,
        call: &Call,
    ) -> Value {
        let arguments = self.arguments(&call.arguments);
        let name = call.name.text.as_str();
        if self.extensions.filters.iter().any(|filter| filter == name) {
            return Value::any();
        }
        let Some(filter) = builtins::filter(name) else {
            self.report_unknown_filter(&call.name);
            return Value::any();
        };
        self.check_arity(filter, call, "filter");
        let item = self.check_input(filter, value, input, call);
        // A render fails if one of these filters gets a missing value.
        let is_strict = matches!(
            filter.takes,
            Operand::Number | Operand::Map | Operand::Sequence | Operand::Text
        );
        if is_strict && value.absence == Absence::Computed {
            input.inspect(|input| self.require_present_strictly(value, input, "filtered"));
        }
        self.attribute_arguments(filter, &item, call);
        if matches!(filter.name, "tojson" | "truncate") {
            self.check_argument_types("filter", filter, call, &arguments);
        }
        if filter.name == "format" {
            self.percent_values(input, call, &arguments);
        }
        let kind = self.filter_result(filter, value, &item, call, &arguments);
        let mut result = Value::from_type(&kind);
        if filter.gives == Output::Item {
            result.absence = result.absence.max(Absence::Computed);
        }
        result
    }

    /// The value of `default`. Its input may be missing, and the result is present.
    fn default_filter(&mut self, value: Value, call: &Call) -> Value {
        if let Some(filter) = builtins::filter(&call.name.text) {
            self.check_arity(filter, call, "filter");
        }
        self.uses.mark_tested(&value.sources);
        let fallback = match call.arguments.first() {
            Some(Argument::Positional(expr)) => Some(expr),
            _ => None,
        };
        // If the result is true and the fallback is false, the value itself is present.
        let is_fallback_false =
            fallback.is_none_or(|expr| constant(expr).is_some_and(|literal| !literal.is_true()));
        let mut result = Value::new(value.kind.clone());
        if is_fallback_false {
            result.when_true = self.when_true(&value);
        }
        let other = match fallback {
            None => Value::new(Type::Text),
            Some(expr) => {
                let other = self.expr(expr);
                self.reject_rich(&other, expr.span, "a default");
                other
            }
        };
        for rest in call.arguments.iter().skip(usize::from(fallback.is_some())) {
            self.read_fully(rest.expr(), "an argument");
        }
        result.kind = match &value.kind {
            Type::Null => Value::from_type(&other.kind).kind,
            kind => Value::from_type(&kind.or(&other.kind)).kind,
        };
        result.absence = match other.kind {
            Type::Null => Absence::Computed,
            _ => other.absence,
        };
        result.sources = self.uses.either(value.sources, &other.sources);
        result
    }

    /// Reads the arguments of a call, and returns their values.
    pub(super) fn arguments(&mut self, arguments: &[Argument]) -> Vec<Value> {
        let read = |argument: &Argument| {
            let value = self.read_fully(argument.expr(), "an argument");
            self.require_present(&value, argument.expr(), "an argument");
            value
        };
        arguments.iter().map(read).collect()
    }

    /// Reports an unknown filter. The help is its name here, a similar name, or a list.
    fn report_unknown_filter(&mut self, name: &Name) {
        // `trusted` marks external text as an instruction, so it is never suggested for a typo.
        let mut names: Vec<&str> = builtins::FILTERS
            .iter()
            .map(|filter| filter.name)
            .filter(|name| *name != "trusted")
            .collect();
        names.extend(self.extensions.filters.iter().map(String::as_str));
        let wrong = name.text.as_str();
        let unknown = || Diagnostic::new(Code::UnknownFilter, format!("unknown filter `{wrong}`"));
        let diagnostic = match (other_name_of_filter(wrong), self.similar(wrong, &names)) {
            (Some(help), _) => unknown().with_help(help),
            (None, Some(_)) => self.unknown_finding(Code::UnknownFilter, "filter", wrong, &names),
            (None, None) => {
                let list = format!("available filters: {}", super::checker::listed(&names));
                unknown().with_help(list).with_help(own_filter_help(wrong))
            }
        };
        self.report(diagnostic.with_label("no such filter"), name.span);
    }

    /// Reports too few, too many or unknown arguments.
    pub(super) fn check_arity(&mut self, builtin: &Builtin, call: &Call, what: &str) {
        if call.arguments.iter().any(Argument::is_spread) {
            return;
        }
        let mut positional = 0;
        for argument in &call.arguments {
            let Argument::Named(name, _) = argument else {
                positional += 1;
                continue;
            };
            if builtin.named.allows(&name.text) {
                continue;
            }
            let message = format!("unknown argument `{}` of `{}`", name.text, builtin.name);
            let label = format!("not an argument of this {what}");
            let diagnostic = Diagnostic::new(Code::WrongArguments, message).with_label(label);
            let names = match builtin.named {
                NamedArguments::Only(names) => names,
                _ => &[],
            };
            let diagnostic = match names {
                [] => diagnostic.with_help("pass the arguments by position"),
                names => diagnostic.with_help(format!(
                    "available named arguments: {}",
                    super::checker::listed(names)
                )),
            };
            self.report(diagnostic, name.span);
        }
        let named = call.arguments.len() - positional;
        if positional > builtin.most || positional + named < builtin.least {
            let message = format!(
                "{what} `{}` takes {}, but the call has {positional}",
                builtin.name,
                argument_count(builtin.least, builtin.most)
            );
            let diagnostic = Diagnostic::new(Code::WrongArguments, message)
                .with_help(format!("`{}`: {}", builtin.name, builtin.summary));
            self.report(diagnostic, call.name.span);
        }
    }

    /// Reports a value that the filter or test does not accept. Returns the type of its items.
    fn check_input(
        &mut self,
        builtin: &Builtin,
        value: &Value,
        input: Option<&Expr>,
        call: &Call,
    ) -> Type {
        let item = match &value.kind {
            Type::List(item) | Type::Tuple(item) => Type::clone(item),
            _ => Type::Any,
        };
        if fits(builtin.takes, &value.kind) {
            return item;
        }
        let kind = value.kind.description();
        let name = builtin.name;
        let subject = input.map_or_else(|| "the block".to_owned(), |input| self.quoted(input.span));
        let message = format!("`{name}` does not accept {kind}");
        let label = format!("expected {}; {subject} is {kind}", builtin.takes.description());
        let plain = subject.trim_matches('`');
        let help = match (builtin.takes, &value.kind) {
            (Operand::Text | Operand::Printed, Type::List(_)) => Some(format!(
                "convert it to a string with `{plain} | join(\", \") | {name}`, or loop over it"
            )),
            (Operand::List, Type::Text | Type::Choice(_)) if name == "join" => {
                Some(format!("print the string without a filter: `{{{{ {plain} }}}}`"))
            }
            (Operand::List, Type::Text | Type::Choice(_)) => {
                Some(format!("split it into a list: `{plain} | lines` or `{plain} | split`"))
            }
            (Operand::Number, Type::Text | Type::Choice(_)) => {
                Some(format!("convert it to a number: `{plain} | float | {name}`"))
            }
            (_, Type::Text | Type::Choice(_) | Type::Integer | Type::Float | Type::Boolean) => {
                Some(format!("remove the filter: `{{{{ {plain} }}}}`"))
            }
            _ => None,
        };
        self.report_with_help(Code::WrongValue, message, label, help, call.name.span);
        Type::Any
    }

    /// Checks arguments that are names of attributes, filters and tests.
    fn attribute_arguments(&mut self, filter: &Builtin, item: &Type, call: &Call) {
        let attribute = named(call, "attribute");
        match filter.name {
            "map" if attribute.is_some() => {}
            "map" => match positional(call, 0) {
                Some(expr) => self.filter_name(item, expr),
                None if call.arguments.is_empty() => {
                    let message = "filter `map` needs the name of a filter or an attribute";
                    let diagnostic = Diagnostic::new(Code::WrongArguments, message)
                        .with_help("write `map(attribute=\"name\")` or `map(\"upper\")`");
                    self.report(diagnostic, call.name.span);
                }
                None => {}
            },
            "select" | "reject" => self.test_name(item, call, 0),
            "selectattr" | "rejectattr" => {
                let attribute = positional(call, 0);
                self.attribute_path(item, attribute);
                let kind = attribute.map_or(Type::Any, |path| path_type(item, path));
                self.test_name(&kind, call, 1);
            }
            "groupby" if attribute.is_none() && call.arguments.is_empty() => {
                let message = "filter `groupby` needs the attribute to group by";
                let diagnostic = Diagnostic::new(Code::WrongArguments, message);
                self.report(diagnostic.with_help("write `groupby(\"name\")`"), call.name.span);
            }
            "groupby" | "sum" => self.attribute_path(item, positional(call, 0)),
            "join" => self.attribute_path(item, positional(call, 1)),
            _ => {}
        }
        self.attribute_path(item, attribute);
    }

    /// Checks an argument such as `attribute="author.name"`, or several paths separated by commas.
    fn attribute_path(&mut self, item: &Type, path: Option<&Expr>) {
        let Some((expr, paths)) = path.and_then(|path| Some((path, constant_text(path)?))) else {
            return;
        };
        for path in paths.split(',').map(str::trim).filter(|path| !path.is_empty()) {
            let mut kind = item.clone();
            for name in path.split('.') {
                match self.attribute_step(&kind, name, expr) {
                    Some(next) => kind = next,
                    None => break,
                }
            }
        }
    }

    /// The type of an attribute in a path. `None` if it is unknown, or after a finding.
    fn attribute_step(&mut self, kind: &Type, name: &str, path: &Expr) -> Option<Type> {
        let diagnostic = match kind {
            Type::Any | Type::Never | Type::Group(_) | Type::Namespace | Type::Dict => return None,
            Type::Object(object) => {
                let field = object.fields.get(name);
                if field.is_some() || object.open {
                    return field.cloned();
                }
                let known: Vec<&str> = object.names.iter().map(String::as_str).collect();
                self.unknown_finding(Code::UnknownAttribute, "attribute", name, &known)
                    .with_label("not an attribute of the items")
            }
            Type::Optional(_) => Diagnostic::new(
                Code::WrongValue,
                format!("an item may be missing, so it has no attribute `{name}`"),
            )
            .with_label("some items are missing")
            .with_help("remove the missing items first with `| select`"),
            other => {
                let kind = other.description();
                Diagnostic::new(Code::WrongValue, format!("{kind} has no attribute `{name}`"))
                    .with_label(format!("each item is {kind}"))
                    .with_help("use the items themselves, without an attribute")
            }
        };
        self.report(diagnostic, path.span);
        None
    }

    /// Checks an argument that names a filter for each item.
    fn filter_name(&mut self, item: &Type, expr: &Expr) {
        let Some(name) = constant_text(expr) else { return };
        if self.extensions.filters.iter().any(|filter| filter == name) {
            return;
        }
        match builtins::filter(name) {
            None => self.report_unknown_filter(&Name::new(name, expr.span)),
            Some(filter) => self.each_item(filter, item, expr),
        }
    }

    /// Checks an argument that names a test for each item. `place` is its position.
    fn test_name(&mut self, item: &Type, call: &Call, place: usize) {
        let Some(expr) = positional(call, place) else { return };
        let Some(name) = constant_text(expr) else { return };
        if self.extensions.tests.iter().any(|test| test == name) {
            return;
        }
        let Some(test) = builtins::find_test(name) else {
            self.report_unknown_test(&Name::new(name, expr.span));
            return;
        };
        self.each_item(test, item, expr);
        let given = call.arguments.len() - place - 1;
        if given < test.least || given > test.most {
            let message = format!(
                "test `{name}` takes {}, but the call has {given}",
                argument_count(test.least, test.most)
            );
            let diagnostic = Diagnostic::new(Code::WrongArguments, message)
                .with_help(format!("`{name}`: {}", test.summary));
            self.report(diagnostic, expr.span);
        }
    }

    /// Reports items that a filter or test does not accept.
    fn each_item(&mut self, builtin: &Builtin, item: &Type, expr: &Expr) {
        let kind = match item {
            Type::Optional(inner) => inner,
            other => other,
        };
        if fits(builtin.takes, kind) {
            return;
        }
        let name = builtin.name;
        let kind = kind.description();
        let label = format!("expected {}; each item is {kind}", builtin.takes.description());
        let help = match builtin.takes {
            Operand::Text | Operand::Printed => {
                "convert the items to strings first: `| map(\"string\")`"
            }
            Operand::Number => {
                "convert the items to numbers first: `| map(\"int\")` or `| map(\"float\")`"
            }
            _ => "loop over the items, and use their parts",
        };
        let message = format!("`{name}` does not accept {kind}");
        self.report_with_help(Code::WrongValue, message, label, [help], expr.span);
    }

    fn report_unknown_test(&mut self, name: &Name) {
        let mut names: Vec<&str> = builtins::TESTS
            .iter()
            .map(|test| test.name)
            .filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()))
            .collect();
        names.extend(self.extensions.tests.iter().map(String::as_str));
        let diagnostic = match name.text.as_str() {
            "empty" => Diagnostic::new(Code::UnknownTest, "unknown test `empty`")
                .with_help("an empty value is false: write `{% if not value %}`"),
            "null" => {
                Diagnostic::new(Code::UnknownTest, "unknown test `null`").with_help("write `none`")
            }
            wrong => self.unknown_finding(Code::UnknownTest, "test", wrong, &names),
        };
        self.report(diagnostic.with_label("no such test"), name.span);
    }

    /// The type of the result of a filter.
    fn filter_result(
        &mut self,
        filter: &Builtin,
        value: &Value,
        item: &Type,
        call: &Call,
        arguments: &[Value],
    ) -> Type {
        if let Some(kind) = fixed_type(filter.gives) {
            return kind;
        }
        match filter.gives {
            Output::Anything => self.sum(item, call, arguments),
            Output::Same | Output::SameOrArgument => match &value.kind {
                Type::Choice(_) => Type::Text,
                Type::List(_) | Type::Text | Type::Integer | Type::Float => value.kind.clone(),
                Type::Any => Type::Any,
                _ => Type::Mixed,
            },
            Output::Item => match &value.kind {
                Type::List(item) | Type::Tuple(item) => Type::clone(item),
                Type::Text | Type::Choice(_) => Type::Text,
                Type::Any => Type::Any,
                _ => Type::Mixed,
            },
            // Without a test, `select` removes missing items.
            Output::Items if filter.name == "select" && call.arguments.is_empty() => match item {
                Type::Optional(inner) => Type::List(Rc::clone(inner)),
                _ => value.kind.clone(),
            },
            Output::Items => match &value.kind {
                Type::List(_) => value.kind.clone(),
                Type::Tuple(item) => Type::List(Rc::clone(item)),
                Type::Text | Type::Choice(_) | Type::Object(_) => Type::list(Type::Text),
                Type::Any => Type::list(Type::Any),
                _ => Type::list(Type::Mixed),
            },
            Output::Pairs => Type::list(Type::Pair(field_type(&value.kind).into_part())),
            Output::Groups => Type::list(Type::Group(item.clone().into_part())),
            Output::List => Type::list(map_item_type(item, call)),
            Output::Map => Type::Dict,
            // A value that is unknown here may have any type.
            _ => Type::Any,
        }
    }

    /// The type of the sum of the items, or of an attribute of them: `sum(attribute="price")`. A
    /// second argument is the number to begin with.
    fn sum(&mut self, item: &Type, call: &Call, arguments: &[Value]) -> Type {
        let path = named(call, "attribute").or_else(|| positional(call, 0));
        let has_start = named(call, "start").is_some() || positional(call, 1).is_some();
        let added = match path {
            Some(path) => path_type(item, path),
            None => item.clone(),
        };
        let added = match added {
            // Missing values are not added.
            Type::Optional(inner) if path.is_some() => Type::clone(&inner),
            other => other,
        };
        let start = arguments.last().filter(|_| has_start);
        let start = start.map_or(&Type::Integer, |value| &value.kind);
        let is_number =
            |kind: &Type| matches!(kind, Type::Any | Type::Integer | Type::Float | Type::Boolean);
        if is_number(&added) && is_number(start) {
            return match (start, added) {
                (Type::Any, _) | (_, Type::Any) => Type::Any,
                (Type::Integer, Type::Integer | Type::Boolean) => Type::Integer,
                _ => Type::Float,
            };
        }
        let message = format!("`sum` cannot add {}", added.description());
        let help = match added {
            Type::Text | Type::Choice(_) => Some("join strings with `join`"),
            _ => None,
        };
        self.report_with_help(Code::WrongValue, message, "expected numbers", help, call.name.span);
        Type::Any
    }

    /// The value of `input is test`, with what it implies for the input.
    pub(super) fn test(&mut self, input: &Expr, call: &Call) -> Value {
        let value = self.expr(input);
        let name = call.name.text.as_str();
        if !matches!(name, "defined" | "undefined") {
            self.reject_rich(&value, input.span, "tested");
        }
        if matches!(name, "defined" | "undefined" | "none") {
            self.uses.mark_tested(&value.sources);
        } else {
            self.uses.mark_read(&value.sources);
        }
        let arguments = self.arguments(&call.arguments);
        if !self.extensions.tests.iter().any(|test| test == name) {
            match builtins::find_test(name) {
                None => self.report_unknown_test(&call.name),
                Some(test) => self.known_test(test, (&value, input), call, &arguments),
            }
        }
        let known = value.place.map(|place| self.guards.chain(place)).unwrap_or_default();
        let mut result = Value::new(Type::Boolean);
        // `x is string` implies that `x` is present.
        match name {
            "defined" | "true" | "string" | "number" | "integer" | "int" | "float" | "boolean"
            | "mapping" | "false" => result.when_true = known,
            "undefined" | "none" => result.when_false = known,
            _ => {}
        }
        result
    }

    /// Checks the value and the arguments of a built-in test.
    fn known_test(
        &mut self,
        test: &Builtin,
        value: (&Value, &Expr),
        call: &Call,
        arguments: &[Value],
    ) {
        self.check_arity(test, call, "test");
        if test.takes != Operand::Anything || test.least > 0 {
            self.require_present(value.0, value.1, "tested");
        }
        if !matches!(value.0.kind, Type::Rich(_)) {
            self.check_input(test, value.0, Some(value.1), call);
        }
        let Some(argument) = call.arguments.first().map(Argument::expr) else { return };
        match test.name {
            "eq" | "equalto" | "ne" => self.check_choice(value.0, value.1, argument),
            "in" => {
                if let Some(container) = arguments.first() {
                    self.check_containment(value, (container, argument));
                }
            }
            "divisibleby" if constant(argument).and_then(Constant::as_f64) == Some(0.0) => {
                let diagnostic = Diagnostic::new(Code::WrongArguments, "division by zero")
                    .with_label("zero")
                    .with_help("divide by another number");
                self.report(diagnostic, argument.span);
            }
            _ => {}
        }
    }

    /// The value of a filter block: its filters applied to a string.
    pub(super) fn block_filters(&mut self, filters: &[Call]) -> Value {
        let mut value = Value::new(Type::Text);
        for call in filters {
            value = self.filter_value(&value, None, call);
        }
        value
    }
}

/// The argument with a name.
pub(super) fn named<'call>(call: &'call Call, name: &str) -> Option<&'call Expr> {
    call.arguments.iter().find_map(|argument| match argument {
        Argument::Named(found, expr) if found.text == name => Some(expr),
        _ => None,
    })
}

/// The argument at a position.
pub(super) fn positional(call: &Call, place: usize) -> Option<&Expr> {
    match call.arguments.get(place) {
        Some(Argument::Positional(expr)) => Some(expr),
        _ => None,
    }
}

/// The string that an expression is, if it is a constant string.
pub(super) fn constant_text(expr: &Expr) -> Option<&str> {
    constant(expr)?.as_str()
}

/// The value of a literal.
pub(super) fn constant(expr: &Expr) -> Option<&Constant> {
    match &expr.kind {
        ExprKind::Literal(value) => Some(value),
        _ => None,
    }
}

/// The type at the end of a path such as `author.name`.
fn path_type(item: &Type, path: &Expr) -> Type {
    let Some(path) = constant_text(path) else { return Type::Any };
    let mut kind = item.clone();
    for name in path.split('.') {
        kind = match &kind {
            Type::Object(object) => object.fields.get(name).cloned().unwrap_or(Type::Any),
            _ => return Type::Any,
        };
    }
    kind
}

/// The type of the items of the list that `map` returns.
fn map_item_type(item: &Type, call: &Call) -> Type {
    if let Some(attribute) = named(call, "attribute") {
        let kind = path_type(item, attribute);
        return match (named(call, "default"), kind) {
            // A missing attribute has the value of `default`, which may have any type.
            (Some(_), Type::Optional(_)) => Type::Mixed,
            (_, kind) => kind,
        };
    }
    let name = positional(call, 0).and_then(constant_text);
    let Some(filter) = name.and_then(builtins::filter) else { return Type::Any };
    let kind = fixed_type(filter.gives).filter(|kind| !matches!(kind, Type::List(_)));
    kind.unwrap_or(Type::Mixed)
}

/// The type of the result of a filter, a method or a helper, unless it depends on the operands.
pub(super) fn fixed_type(gives: Output) -> Option<Type> {
    Some(match gives {
        Output::Text => Type::Text,
        Output::Integer => Type::Integer,
        Output::Float => Type::Float,
        Output::Boolean => Type::Boolean,
        Output::Texts => Type::list(Type::Text),
        Output::Integers => Type::list(Type::Integer),
        _ => return None,
    })
}

/// Whether a filter or test accepts values of a type.
pub(super) fn fits(takes: Operand, kind: &Type) -> bool {
    let is_text = matches!(kind, Type::Text | Type::Choice(_));
    let is_number = matches!(kind, Type::Integer | Type::Float);
    let is_list = matches!(kind, Type::List(_) | Type::Tuple(_) | Type::Pair(_) | Type::Group(_));
    let is_map = matches!(kind, Type::Object(_) | Type::Dict);
    if matches!(kind, Type::Any | Type::Optional(_) | Type::Rich(_)) {
        return true;
    }
    match takes {
        Operand::Anything => !matches!(kind, Type::Macro(_)),
        Operand::Text => is_text,
        Operand::Printed => is_text || is_number || matches!(kind, Type::Boolean | Type::Mixed),
        Operand::Number => is_number,
        Operand::Scalar => is_text || is_number || matches!(kind, Type::Boolean),
        Operand::List => is_list,
        Operand::Map => is_map,
        Operand::Sequence => is_text || is_list,
        Operand::Collection => is_text || is_list || is_map,
        // A kind that is unknown here may accept anything.
        _ => true,
    }
}

/// The common type of all fields of a map; `Any` if it is unknown.
pub(super) fn field_type(kind: &Type) -> Type {
    let Type::Object(object) = kind else { return Type::Any };
    if object.open {
        return Type::Any;
    }
    let mut fields = object.names.iter().filter_map(|name| object.fields.get(name));
    let Some(first) = fields.next() else { return Type::Any };
    fields.fold(first.clone(), |kind, field| kind.or(field))
}

/// The help that explains how to register a filter.
fn own_filter_help(name: &str) -> String {
    format!(
        "register your own filter with `Registry::new().with_filter(\"{name}\", ...)`; a typed prompt \
         lists it in `#[prompt(registry = ..., filters({name}))]`"
    )
}

/// The help for a filter of another engine.
fn other_name_of_filter(name: &str) -> Option<&'static str> {
    Some(match name {
        "safe" | "escape" | "e" | "forceescape" => {
            "remove it: prompts are plain text, and nothing is escaped"
        }
        "uppercase" | "upcase" => "write `upper`",
        "lowercase" | "downcase" => "write `lower`",
        "strip" => "write `trim`",
        "size" | "len" => "write `length`",
        "json" | "to_json" | "dump" => "write `tojson`",
        "keys" => "loop over the map to get its keys",
        "values" => "loop over the entries: `{% for key, value in map | items %}`",
        "attr" => "write `value[name]`",
        "wordcount" => "write `value | split | length`",
        _ => return None,
    })
}
