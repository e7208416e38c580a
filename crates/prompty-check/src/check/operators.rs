//! Checks the operand types of arithmetic and comparisons.

use super::call_arguments::constant;
use super::checker::Checker;
use super::types::{Type, TypeClass, Value};
use prompty_core::diagnostic::Code;
use prompty_core::value::Value as Constant;
use prompty_template::tree::{BinaryOperator, Expr, ExprKind};

impl Checker<'_> {
    /// The value of an arithmetic operation.
    pub(super) fn arithmetic(
        &mut self,
        expr: &Expr,
        operator: BinaryOperator,
        left: &Expr,
        right: &Expr,
    ) -> Value {
        let first = self.read_fully(left, "used in arithmetic");
        let second = self.read_fully(right, "used in arithmetic");
        self.require_present_strictly(&first, left, "used in arithmetic");
        self.require_present_strictly(&second, right, "used in arithmetic");
        let divides = matches!(
            operator,
            BinaryOperator::Divide | BinaryOperator::FloorDivide | BinaryOperator::Remainder
        );
        let is_zero = constant(right).and_then(Constant::as_f64) == Some(0.0);
        if divides && is_zero {
            let help = "divide by another number";
            self.report_with_help(Code::WrongValue, "division by zero", "zero", [help], right.span);
        }
        if let Some(kind) = arithmetic_type(operator, &first.kind, &second.kind) {
            return Value::new(kind);
        }
        let sides = [first.kind.description(), second.kind.description()];
        let message =
            format!("cannot apply `{}` to {} and {}", operator.as_str(), sides[0], sides[1]);
        let is_text =
            [&first, &second].iter().any(|side| side.kind.class() == Some(TypeClass::Text));
        let help = match (operator, is_text) {
            (BinaryOperator::Add, true) => Some("join strings with `~`, which accepts any value"),
            (BinaryOperator::Remainder, true) if first.kind.class() == Some(TypeClass::Text) => {
                Some("`%` does not format strings: join the parts with `~`")
            }
            (_, true) => Some("convert the string to a number with `| int` or `| float`"),
            _ => None,
        };
        self.report_with_help(Code::WrongValue, message, "unsupported operands", help, expr.span);
        Value::any()
    }

    /// A comparison of two values.
    pub(super) fn compare(
        &mut self,
        operator: BinaryOperator,
        left: (&Value, &Expr),
        right: (&Value, &Expr),
    ) -> Value {
        let mut result = Value::new(Type::Boolean);
        let is_none = |side: (&Value, &Expr)| matches!(side.0.kind, Type::Null);
        let is_equality = matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual);
        if is_equality && (is_none(left) || is_none(right)) {
            // `x == none` is false only if `x` is present, and `x != none` is true only then.
            let other = if is_none(left) { right.0 } else { left.0 };
            let known = other.place.map(|place| self.guards.chain(place)).unwrap_or_default();
            match operator {
                BinaryOperator::Equal => result.when_false = known,
                _ => result.when_true = known,
            }
            return result;
        }
        self.require_present(left.0, left.1, "compared");
        self.require_present(right.0, right.1, "compared");
        match operator {
            BinaryOperator::In | BinaryOperator::NotIn => self.check_containment(left, right),
            _ => {
                self.check_choice(left.0, left.1, right.1);
                self.check_choice(right.0, right.1, left.1);
                self.check_same_class(operator, left, right);
            }
        }
        result
    }

    /// Reports a comparison of values that can never be equal, or have no order.
    fn check_same_class(
        &mut self,
        operator: BinaryOperator,
        left: (&Value, &Expr),
        right: (&Value, &Expr),
    ) {
        let (Some(first), Some(second)) = (left.0.kind.class(), right.0.kind.class()) else {
            return;
        };
        if first == second {
            return;
        }
        let quoted = self.quoted(left.1.span);
        let kinds = [left.0.kind.description(), right.0.kind.description()];
        let message = format!("{quoted} is {} and is compared with {}", kinds[0], kinds[1]);
        let label = match operator {
            BinaryOperator::Equal | BinaryOperator::NotEqual => "never equal",
            _ => "these types have no order",
        };
        let help = match (first, second) {
            (TypeClass::Text, TypeClass::Number) | (TypeClass::Number, TypeClass::Text) => {
                "convert one of them: `| int`, `| float` or `| string`"
            }
            _ => "compare values of the same type",
        };
        let span = left.1.span.to(right.1.span);
        self.report_with_help(Code::WrongValue, message, label, [help], span);
    }

    /// Checks `item in container`.
    pub(super) fn check_containment(&mut self, item: (&Value, &Expr), container: (&Value, &Expr)) {
        match &container.0.kind {
            Type::Integer
            | Type::Float
            | Type::Boolean
            | Type::Macro(_)
            | Type::Null
            | Type::Mixed => {
                let quoted = self.quoted(container.1.span);
                let kind = container.0.kind.description();
                let message = format!("`in` cannot search {quoted}, which is {kind}");
                let label = "expected a string, a list or a map";
                let help = "compare it with `==`, or search a list";
                self.report_with_help(Code::WrongValue, message, label, [help], container.1.span);
            }
            Type::List(_) | Type::Tuple(_) => {
                if let ExprKind::List(literals) | ExprKind::Tuple(literals) = &container.1.kind {
                    for literal in literals {
                        self.check_choice(item.0, item.1, literal);
                    }
                }
                let choices = match &container.0.kind {
                    Type::List(inner) | Type::Tuple(inner) => Value::from_type(inner),
                    _ => Value::any(),
                };
                self.check_choice(&choices, container.1, item.1);
            }
            _ => {}
        }
    }

    /// Checks `first < second <= third`.
    pub(super) fn comparison(&mut self, first: &Expr, rest: &[(BinaryOperator, Expr)]) -> Value {
        let mut left = first;
        let mut left_value = self.read_fully(first, "compared");
        let mut result = Value::new(Type::Boolean);
        for (operator, right) in rest {
            let right_value = self.read_fully(right, "compared");
            let part = self.compare(*operator, (&left_value, left), (&right_value, right));
            result.when_true.extend(part.when_true);
            (left, left_value) = (right, right_value);
        }
        result
    }
}

/// The result type of an arithmetic operation; `None` if the types do not fit. The result is `Any`
/// only if both types are unknown: if one is known, the other must fit it.
fn arithmetic_type(operator: BinaryOperator, left: &Type, right: &Type) -> Option<Type> {
    if is_unknown(left) && is_unknown(right) {
        return Some(Type::Any);
    }
    let joined_or_repeated = match operator {
        BinaryOperator::Add => joined_type(left, right),
        BinaryOperator::Multiply => {
            repeated_type(left, right).or_else(|| repeated_type(right, left))
        }
        _ => None,
    };
    if joined_or_repeated.is_some() {
        return joined_or_repeated;
    }
    let is_number = |kind: &Type| matches!(kind, Type::Integer | Type::Float) || is_unknown(kind);
    if !is_number(left) || !is_number(right) {
        return None;
    }
    Some(match (operator, left, right) {
        (BinaryOperator::Divide | BinaryOperator::Power, _, _) => Type::Float,
        (_, Type::Integer, Type::Integer) => Type::Integer,
        _ => Type::Float,
    })
}

/// Whether a value may have any type.
fn is_unknown(kind: &Type) -> bool {
    matches!(kind, Type::Any | Type::Rich(_) | Type::Optional(_))
}

/// The type of two strings or two lists that are joined with `+`.
fn joined_type(left: &Type, right: &Type) -> Option<Type> {
    let is_text = |kind: &Type| matches!(kind, Type::Text | Type::Choice(_)) || is_unknown(kind);
    match (left, right) {
        _ if is_text(left) && is_text(right) => Some(Type::Text),
        (Type::List(_), Type::List(_)) | (Type::Tuple(_), Type::Tuple(_)) => Some(left.or(right)),
        (Type::List(_) | Type::Tuple(_), other) | (other, Type::List(_) | Type::Tuple(_))
            if is_unknown(other) =>
        {
            Some(Type::list(Type::Any))
        }
        _ => None,
    }
}

/// The type of a repeated string or list: `"-" * 3`.
fn repeated_type(repeated: &Type, times: &Type) -> Option<Type> {
    match repeated {
        _ if !matches!(times, Type::Integer) && !is_unknown(times) => None,
        Type::Text | Type::Choice(_) => Some(Type::Text),
        Type::List(_) => Some(repeated.clone()),
        _ => None,
    }
}
