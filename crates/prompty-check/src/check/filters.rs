//! Filters: the value of `input | filter`, and of a filter block.
//!
//! For `users | map("name") | join(", ")`, [`Checker::filter`] takes these steps for each filter:
//!
//! 1. It reports an input that may be missing:
//!
//!    - `require_present` reports a value that is declared optional: `nickname | upper`;
//!    - `require_present_in_rust` leaves it to rustc, which reports an `Option`, if only rustc may
//!      know the type: `user.name | upper`;
//!    - `require_present_strictly` reports any value that may be missing. It is used if the render
//!      would fail: `list | first | round`.
//!
//! 2. It checks the type of the input (`operands`) and the arguments (`argument_checks`).
//! 3. It determines the type of the result (`result_types`).
//!
//! The sources of a value are the inputs, items and attributes that it comes from. The checker
//! records how they are used: as a condition (`mark_tested`) or completely (`mark_read`).

use super::call_arguments::constant;
use super::checker::Checker;
use super::types::{Absence, Type, Value};
use prompty_template::builtins::{self, Operand, Output};
use prompty_template::tree::{Argument, Call, Expr};

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
        let item = self.check_operand(filter, value, input, call);
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
        // `first` of an empty list is missing. An item that is declared optional stays so.
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
        // In `{% if x | default("") %}`, a true condition implies that `x` is present, because the
        // fallback is false.
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
            Type::Null => other.kind.without_optional(),
            kind => kind.or(&other.kind).without_optional(),
        };
        result.absence = match other.kind {
            // In `x | default(none)`, the result may be missing, but is not declared optional.
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

    /// The value of a filter block: its filters applied to a string.
    pub(super) fn block_filters(&mut self, filters: &[Call]) -> Value {
        let mut value = Value::new(Type::Text);
        for call in filters {
            value = self.filter_value(&value, None, call);
        }
        value
    }
}
