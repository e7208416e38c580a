//! Tests: the value of `input is test`, and what it implies for the input.

use super::call_arguments::constant;
use super::checker::Checker;
use super::types::{Type, Value};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::value::Value as Constant;
use prompty_template::builtins::{self, Builtin, Operand};
use prompty_template::tree::{Argument, Call, Expr};

impl Checker<'_> {
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
        let place_and_owners =
            value.place.map(|place| self.guards.chain(place)).unwrap_or_default();
        let mut result = Value::new(Type::Boolean);
        // `x.name is string` implies that `x.name` and `x` are present. If `x is none` is false, `x`
        // is present.
        match name {
            "defined" | "true" | "string" | "number" | "integer" | "int" | "float" | "boolean"
            | "mapping" | "false" => result.when_true = place_and_owners,
            "undefined" | "none" => result.when_false = place_and_owners,
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
            self.check_operand(test, value.0, Some(value.1), call);
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
}
