//! Calls of functions, macros, `loop`, and methods.

use super::call_arguments::constant;
use super::checker::Checker;
use super::operands::fits;
use super::result_types::{field_type, fixed_type};
use super::types::{Absence, CallerUse, MacroType, Type, Value};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::value::Value as Constant;
use prompty_template::builtins::{self, Builtin, Operand};
use prompty_template::host_functions::argument_count;
use prompty_template::jinja::foreign_syntax;
use prompty_template::tree::{Argument, Call, Expr, ExprKind, Name};

/// The maximum length of a `range`.
const MAX_RANGE: i128 = 100_000;

impl CallerUse {
    /// Raises `None` to `Guarded`.
    pub(super) fn at_least_guarded(self) -> Self {
        if self == Self::None { Self::Guarded } else { self }
    }
}

impl Checker<'_> {
    /// The value of a call by name. In a `call` block, the macro also gets `caller`.
    ///
    /// The name is searched for among the names that the template binds, then among the inputs, and
    /// then among the functions of the host and of the language.
    pub(super) fn function(&mut self, call: &Call, has_caller: bool) -> Value {
        if self.marks_message(call) {
            self.arguments(&call.arguments);
            return Value::any();
        }
        if self.language.has_plugins() {
            return self.plugin_function(call);
        }
        let name = call.name.text.as_str();
        if let Some(binding) = self.scope.get(name) {
            let value = binding.value.clone();
            return self.call_variable(&value, call, has_caller);
        }
        if self.is_input(name) && !self.is_helper(name) {
            self.use_input(name, call.name.span);
            self.arguments(&call.arguments);
            let message = format!("`{name}` is an input and cannot be called");
            let label = "not a function";
            let help = format!("print it without a call: `{}`", self.language.output(name));
            self.report_with_help(Code::UnknownFunction, message, label, [help], call.name.span);
            return Value::any();
        }
        let values = self.arguments(&call.arguments);
        if has_caller {
            let message = format!("unknown macro `{name}`");
            let label = "expected a macro that the template defines above";
            let help = format!("define it above: `{{% macro {name}() %}}...{{% endmacro %}}`");
            self.report_with_help(Code::UnknownFunction, message, label, [help], call.name.span);
            return Value::any();
        }
        if let Some(function) = self.host_function(name).map(str::to_owned) {
            self.check_host_arguments(&function, call);
            if self.language.functions_see_inputs() {
                self.read_as_arguments(&function, call);
            }
            return Value::any();
        }
        self.builtin_function(call, &values)
    }

    /// Whether a name calls a helper even if an input has the same name.
    fn is_helper(&self, name: &str) -> bool {
        self.language.has_helpers()
            && (self.host_function(name).is_some()
                || builtins::find(self.language.functions(), name).is_some())
    }

    /// The value of a call of a function of the language.
    fn builtin_function(&mut self, call: &Call, values: &[Value]) -> Value {
        let Some(function) = builtins::find(self.language.functions(), &call.name.text) else {
            self.report_unknown_function(call);
            return Value::any();
        };
        self.check_arity(function, call, "function");
        match call.name.text.as_str() {
            _ if self.language.has_helpers() => self.helper(function, call, values),
            "range" => self.range(call, values),
            "namespace" => Value::new(Type::Namespace),
            "dict" => Value::new(Type::Dict),
            "zip" => self.zip(call, values),
            _ => Value::any(),
        }
    }

    /// The value of `range`: a list of integers. Constant bounds are checked.
    fn range(&mut self, call: &Call, values: &[Value]) -> Value {
        let mut bounds = Vec::new();
        for (argument, value) in call.arguments.iter().zip(values) {
            let expr = argument.expr();
            if value.absence == Absence::Computed {
                self.require_present_strictly(value, expr, "used as a count");
            }
            if matches!(value.kind, Type::Float) {
                let message = format!("{} is a floating-point number", self.quoted(expr.span));
                let label = "`range` expects an integer";
                let help = "convert it with `| int`";
                self.report_with_help(Code::WrongValue, message, label, [help], expr.span);
            }
            self.require_number(value, expr, "`range`");
            bounds.push(constant(expr).and_then(Constant::as_integer));
        }
        if let [_, _, Some(0)] = bounds.as_slice() {
            let diagnostic = Diagnostic::new(Code::WrongArguments, "the step of `range` is 0")
                .with_label("never reaches the end")
                .with_help("write another step, or remove it");
            self.report(diagnostic, call.name.span);
        }
        let count = match bounds.as_slice() {
            [Some(end)] => *end,
            [Some(start), Some(end)] => end.saturating_sub(*start),
            [Some(start), Some(end), Some(step)] => {
                let distance = end.saturating_sub(*start).saturating_add(*step);
                distance.saturating_sub(1).checked_div(*step).unwrap_or(0)
            }
            _ => 0,
        };
        if count > MAX_RANGE {
            let message = "`range` has more than 100000 numbers";
            let diagnostic = Diagnostic::new(Code::WrongArguments, message)
                .with_help("loop over a list that the program passes");
            self.report(diagnostic, call.name.span);
        }
        Value::new(Type::list(Type::Integer))
    }

    /// The value of `zip`: lists with one item of each argument.
    fn zip(&mut self, call: &Call, values: &[Value]) -> Value {
        let mut items: Option<Type> = None;
        for (argument, value) in call.arguments.iter().zip(values) {
            let expr = argument.expr();
            if argument.is_spread() {
                items = Some(Type::Any);
                continue;
            }
            self.require_present_strictly(value, expr, "iterated over");
            if !fits(Operand::Collection, &value.kind) {
                let kind = value.kind.description();
                let message = format!("`zip` does not accept {kind}");
                let (label, help) = ("expected a list", "pass lists: `zip(a, b)`");
                self.report_with_help(Code::WrongValue, message, label, [help], expr.span);
            }
            let item = match &value.kind {
                Type::List(item) | Type::Tuple(item) => Type::clone(item),
                Type::Text | Type::Choice(_) | Type::Object(_) | Type::Dict => Type::Text,
                _ => Type::Any,
            };
            // One row has an item of each list. If their types differ, the type is unknown.
            items = Some(match items.map(|known| known.or(&item)) {
                None => item,
                Some(Type::Mixed) => Type::Any,
                Some(joined) => joined,
            });
        }
        Value::new(Type::list(Type::list(items.unwrap_or(Type::Any))))
    }

    /// Reports an unknown function. The help may be about another language, a filter, or a similar
    /// name.
    fn report_unknown_function(&mut self, call: &Call) {
        let name = call.name.text.as_str();
        let mut names: Vec<&str> =
            self.language.functions().iter().map(|function| function.name).collect();
        let called = self.extensions.functions.iter().map(|it| self.language.function_name(it));
        let called: Vec<_> = called.collect();
        names.extend(called.iter().map(AsRef::as_ref));
        names.extend(self.bound_names(|kind| kind == super::scope::NameKind::Macro));
        let unknown =
            || Diagnostic::new(Code::UnknownFunction, format!("unknown function `{name}`"));
        let diagnostic = if name == "caller" {
            unknown().with_help("`caller` exists only in a macro that is used with `{% call %}`")
        } else if name == "message" {
            unknown()
                .with_help("to mark messages, set the parser: `template: {parser: message-tags}`")
        } else if !self.language.has_statement_tags() {
            self.unknown_finding(Code::UnknownFunction, "function", name, &names)
        } else if name == "loop" {
            unknown().with_help("call `loop` inside `{% for item in list recursive %}`")
        } else if matches!(name, "super" | "self" | "block") {
            unknown().with_help(super::checker::SUPER_HELP)
        } else if let Some(help) = foreign_syntax::function_help(name, &self.first_argument(call)) {
            unknown().with_help(help)
        } else if builtins::filter(name).is_some() {
            unknown().with_help(format!("`{name}` is a filter: `{{{{ value | {name} }}}}`"))
        } else {
            self.unknown_finding(Code::UnknownFunction, "function", name, &names)
        };
        self.report(diagnostic.with_label("no such function"), call.name.span);
    }

    /// The first argument of a call, in the form of a message.
    fn first_argument(&self, call: &Call) -> String {
        let Some(argument) = call.arguments.first() else { return "value".to_owned() };
        self.quoted(argument.expr().span).trim_matches('`').to_owned()
    }

    /// A call of a variable: a macro, `caller`, or `loop` in a recursive loop.
    fn call_variable(&mut self, value: &Value, call: &Call, has_caller: bool) -> Value {
        let name = call.name.text.as_str();
        self.macro_arguments(call);
        match &value.kind {
            Type::Macro(_) if name == "caller" => {
                let is_there = value.place.is_some_and(|place| self.guards.is_present(place));
                self.caller =
                    if is_there { self.caller.at_least_guarded() } else { CallerUse::Needed };
                Value::new(Type::Text)
            }
            Type::Macro(kind) => {
                self.macro_call(kind, call, has_caller);
                Value::new(Type::Text)
            }
            Type::Loop(kind) => {
                if !kind.recursive {
                    let message = "`loop` is called in a loop that is not recursive";
                    let diagnostic = Diagnostic::new(Code::UnknownFunction, message)
                        .with_label("cannot be called here")
                        .with_help("write `{% for item in list recursive %}`");
                    self.report(diagnostic, call.name.span);
                } else if call.arguments.len() != 1 {
                    let message = "`loop` takes 1 argument: the list to continue with";
                    let diagnostic = Diagnostic::new(Code::WrongArguments, message)
                        .with_help("pass the inner list, such as `loop(item.children)`");
                    self.report(diagnostic, call.name.span);
                }
                Value::new(Type::Text)
            }
            Type::Any => Value::any(),
            other => {
                let message = format!("`{name}` is {} and cannot be called", other.description());
                let label = "not a function";
                let help = format!("use it without a call: `{name}`");
                let span = call.name.span;
                self.report_with_help(Code::UnknownFunction, message, label, [help], span);
                Value::any()
            }
        }
    }

    /// Reads the arguments of a macro. They may be missing, since a macro can test its parameters.
    fn macro_arguments(&mut self, call: &Call) {
        for argument in &call.arguments {
            self.read_fully(argument.expr(), "an argument");
        }
    }

    /// Checks the call of a macro: its use with or without `call`, and its arguments.
    fn macro_call(&mut self, kind: &MacroType, call: &Call, has_caller: bool) {
        let name = &call.name.text;
        let wrong = |message: String| Diagnostic::new(Code::WrongArguments, message);
        match (kind.caller, has_caller) {
            (CallerUse::Needed, false) => {
                let message = format!("macro `{name}` needs a `caller`, but the call has no body");
                let help = format!("use it with `{{% call {name}(...) %}}...{{% endcall %}}`");
                self.report(wrong(message).with_help(help), call.name.span);
            }
            (CallerUse::None, true) => {
                let message = format!("macro `{name}` does not use `caller`");
                let help = format!("write `{{{{ {name}(...) }}}}`");
                self.report(wrong(message).with_help(help), call.name.span);
            }
            _ => {}
        }
        if !call.arguments.iter().any(Argument::is_spread) {
            self.check_macro_arguments(kind, call);
        }
    }

    /// Reports arguments of a macro that are passed twice, unknown, or too many.
    fn check_macro_arguments(&mut self, kind: &MacroType, call: &Call) {
        let name = &call.name.text;
        let wrong = |message: String| Diagnostic::new(Code::WrongArguments, message);
        let mut positional = 0;
        for argument in &call.arguments {
            let Argument::Named(argument, _) = argument else {
                positional += 1;
                continue;
            };
            match kind.parameters.iter().position(|parameter| *parameter == argument.text) {
                Some(index) if index < positional => {
                    let message = format!("argument `{}` is specified twice", argument.text);
                    let help = "remove one of them; the positional arguments come first";
                    self.report(wrong(message).with_help(help), argument.span);
                }
                Some(_) => {}
                None => {
                    let known: Vec<&str> = kind.parameters.iter().map(String::as_str).collect();
                    let wrong = &argument.text;
                    let mut diagnostic =
                        self.unknown_finding(Code::WrongArguments, "parameter", wrong, &known);
                    diagnostic.message = format!("unknown argument `{wrong}` of `{name}`");
                    let label = format!("not a parameter of `{name}`");
                    self.report(diagnostic.with_label(label), argument.span);
                }
            }
        }
        if positional > kind.parameters.len() {
            let message = format!(
                "macro `{name}` takes {}, but the call has {positional}",
                argument_count(0, kind.parameters.len())
            );
            let parameters: Vec<&str> = kind.parameters.iter().map(String::as_str).collect();
            let help = match parameters.as_slice() {
                [] => "remove the arguments".to_owned(),
                names => format!("available parameters: {}", super::checker::listed(names)),
            };
            self.report(wrong(message).with_help(help), call.name.span);
        }
    }

    /// The value of `owner.method(...)`.
    pub(super) fn method(&mut self, owner: &Expr, call: &Call) -> Value {
        let value = self.read_fully(owner, "used with a method");
        let arguments = self.arguments(&call.arguments);
        let name = call.name.text.as_str();
        match (&value.kind, name) {
            (Type::Loop(_), "changed") => return Value::new(Type::Boolean),
            (Type::Loop(_), "cycle") => {
                if call.arguments.is_empty() {
                    let message = "`loop.cycle` needs at least 1 argument";
                    let diagnostic = Diagnostic::new(Code::WrongArguments, message)
                        .with_help("pass the values, as in `loop.cycle(\"odd\", \"even\")`");
                    self.report(diagnostic, call.name.span);
                }
                return Value::any();
            }
            (Type::Namespace, _) => return Value::any(),
            (Type::Object(_) | Type::Dict | Type::Any, "items" | "keys" | "values" | "get") => {
                self.require_present_strictly(&value, owner, "used with a method");
                return self.map_method(&value, call);
            }
            _ => {}
        }
        let tables = methods(&value.kind);
        let known = tables.iter().find_map(|table| builtins::find(table, name));
        match known {
            Some(method) => {
                self.require_present_strictly(&value, owner, "used with a method");
                self.check_arity(method, call, "method");
                if method.name == "format" {
                    self.brace_values(owner, call, &arguments);
                } else if method.takes == Operand::Text {
                    self.check_argument_types("method", method, call, &arguments);
                }
                Value::new(fixed_type(method.gives).unwrap_or(Type::Any))
            }
            None => self.unknown_method(&value, owner, &call.name, tables),
        }
    }

    /// Reports arguments whose type a method or filter does not accept at their position. `what` is
    /// "method" or "filter".
    pub(super) fn check_argument_types(
        &mut self,
        what: &str,
        called: &Builtin,
        call: &Call,
        values: &[Value],
    ) {
        if call.arguments.iter().any(Argument::is_spread) {
            return;
        }
        let values = call.arguments.iter().zip(values).take(called.most);
        for (position, (argument, value)) in values.enumerate() {
            let name = match argument {
                Argument::Named(name, _) => name.text.as_str(),
                _ => argument_name(called.name, position),
            };
            let expr = argument.expr();
            let Some(takes) = operand_of_argument(name) else { continue };
            if value.absence == Absence::Computed {
                self.require_present_strictly(value, expr, "an argument");
            }
            // All numbers are counts or widths, so a fraction is wrong.
            let is_fraction = takes == Operand::Number && matches!(value.kind, Type::Float);
            if fits(takes, &value.kind) && !is_fraction {
                continue;
            }
            let wanted = match takes {
                Operand::Number => "an integer",
                other => other.description(),
            };
            let kind = value.kind.description();
            let message = format!("{what} `{}` does not accept {kind}", called.name);
            let label = format!("expected {wanted}");
            let help = format!("`{}`: {}", called.name, called.summary);
            self.report_with_help(Code::WrongValue, message, label, [help], expr.span);
        }
    }

    /// Reports a method that a value does not have.
    fn unknown_method(
        &mut self,
        value: &Value,
        owner: &Expr,
        name: &Name,
        tables: &[&'static [Builtin]],
    ) -> Value {
        let quoted = self.quoted(owner.span);
        let plain = quoted.trim_matches('`');
        let wrong = name.text.as_str();
        let label = match (&value.kind, tables) {
            (_, []) => format!("{quoted} has no methods"),
            (Type::Any, _) => "no such method".to_owned(),
            (kind, _) => format!("{} has no such method", kind.description()),
        };
        let mut names = tables.iter().copied().flatten().map(|it| it.name).collect::<Vec<_>>();
        names.sort_unstable();
        let help = foreign_syntax::method_help(wrong, plain).or_else(|| method_help(plain, wrong));
        let filter_help = || "use a filter instead of a method: `value | filter`".to_owned();
        let diagnostic = match help.or_else(|| names.is_empty().then(filter_help)) {
            Some(help) => {
                Diagnostic::new(Code::UnknownFunction, format!("unknown method `{wrong}`"))
                    .with_help(help)
            }
            None if matches!(value.kind, Type::Any) => {
                let unknown = self.unknown_finding(Code::UnknownFunction, "method", wrong, &names);
                unknown.with_help(
                    "inputs have no methods of their own: pass the result of the method as an input",
                )
            }
            None => self.unknown_finding(Code::UnknownFunction, "method", wrong, &names),
        };
        self.report(diagnostic.with_label(label), name.span);
        // The unknown method still acts as a guard, so that no second finding follows.
        let mut result = Value::any();
        match wrong {
            "is_some" | "is_ok" => result.when_true = self.when_true(value),
            "is_none" | "is_err" | "is_empty" => result.when_false = self.when_true(value),
            _ => {}
        }
        result
    }

    /// The value of a method of maps. Authors know these methods from Python.
    fn map_method(&mut self, value: &Value, call: &Call) -> Value {
        let name = call.name.text.as_str();
        let count = call.arguments.len();
        let is_right = if name == "get" { matches!(count, 1 | 2) } else { count == 0 };
        let is_named = |argument: &Argument| !matches!(argument, Argument::Positional(_));
        if !is_right || call.arguments.iter().any(is_named) {
            let (wanted, help) = match name {
                "get" => ("1 or 2 positional arguments", "write `get(\"key\", default)`"),
                _ => ("no arguments", "remove the arguments"),
            };
            let message = format!("method `{name}` takes {wanted}");
            let diagnostic = Diagnostic::new(Code::WrongArguments, message).with_help(help);
            self.report(diagnostic, call.name.span);
        }
        Value::new(match name {
            "items" => Type::list(Type::Pair(field_type(&value.kind).into_part())),
            "keys" => Type::list(Type::Text),
            "values" => Type::list(field_type(&value.kind)),
            _ if matches!(value.kind, Type::Any) => Type::Any,
            _ => Type::Mixed,
        })
    }

    /// The value of the call in a `call` block.
    pub(super) fn call_block(&mut self, call: &Expr) -> Value {
        match &call.kind {
            ExprKind::Function(function) => self.function(function, true),
            _ => {
                let label = "not a macro of this template";
                let message = "`call` expects a macro";
                let help = "define a macro and call it: `{% call name() %}...{% endcall %}`";
                self.report_with_help(Code::UnknownFunction, message, label, [help], call.span);
                self.expr(call)
            }
        }
    }
}

/// The tables of the methods that values of a type may have.
fn methods(kind: &Type) -> &'static [&'static [Builtin]] {
    match kind {
        Type::Any => &[builtins::TEXT_METHODS, builtins::LIST_METHODS, builtins::MAP_METHODS],
        Type::Text | Type::Choice(_) => &[builtins::TEXT_METHODS],
        Type::List(_) | Type::Tuple(_) | Type::Pair(_) => &[builtins::LIST_METHODS],
        Type::Object(_) | Type::Dict => &[builtins::MAP_METHODS],
        _ => &[],
    }
}

/// The values that an argument accepts, by Python's name for it; `None` if it accepts all.
fn operand_of_argument(name: &str) -> Option<Operand> {
    Some(match name {
        "keepends" | "killwords" => return None,
        "width" | "maxsplit" | "count" | "tabsize" | "start" | "length" | "leeway" | "indent" => {
            Operand::Number
        }
        "end" => Operand::Printed,
        "iterable" | "affix" => Operand::Sequence,
        _ => Operand::Text,
    })
}

/// Python's name for an argument of a string method or a filter, by its position.
fn argument_name(method: &str, position: usize) -> &'static str {
    match (method, position) {
        ("center" | "ljust" | "rjust" | "zfill", 0) => "width",
        ("split" | "rsplit", 1) => "maxsplit",
        ("splitlines", 0) => "keepends",
        ("expandtabs", 0) => "tabsize",
        ("replace", 2) => "count",
        ("startswith" | "endswith", 0) => "affix",
        ("startswith" | "endswith", _) => "start",
        ("join", _) => "iterable",
        ("tojson", _) => "indent",
        ("truncate", 0) => "length",
        ("truncate", 1) => "killwords",
        ("truncate", 2) => "end",
        ("truncate", _) => "leeway",
        _ => "text",
    }
}

/// The help for a method of Python, with what to write instead.
fn method_help(owner: &str, method: &str) -> Option<String> {
    let filter = match method {
        "upper" | "lower" | "title" | "capitalize" | "replace" | "split" | "items" | "sort"
        | "reverse" => method,
        "strip" | "lstrip" | "rstrip" => "trim",
        "splitlines" => "lines",
        "count" | "len" | "length" | "size" => "length",
        "keys" => return Some(format!("loop over `{owner}` to get its keys")),
        "get" => return Some(format!("write `{owner}[name] | default(...)`")),
        "startswith" => return Some(format!("write `{owner} is startingwith(...)`")),
        "endswith" => return Some(format!("write `{owner} is endingwith(...)`")),
        "join" => return Some("write `list | join(separator)`".to_owned()),
        "append" | "extend" | "insert" | "remove" | "clear" | "update" | "pop" | "setdefault" => {
            return Some("values cannot be changed: bind a new value with `set`".to_owned());
        }
        _ => return None,
    };
    Some(format!("write `{owner} | {filter}`"))
}
