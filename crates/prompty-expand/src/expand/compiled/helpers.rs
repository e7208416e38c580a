//! Generates code for the helpers of Handlebars.

use prompty_check::definition::ValueType;
use prompty_core::value::Value;
use prompty_template::tree::{Argument, BinaryOperator, Call, Expr, ExprKind};
use quote::quote_spanned;

use super::places::constant;
use super::{Compiler, Result, Scope, Tokens, reason};

impl Compiler<'_> {
    /// Generates code for the helpers that are supported.
    pub(super) fn helper(&self, call: &Call, scope: &Scope) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        let name = call.name.text.as_str();
        self.refuse_function(name)?;
        let arguments = call.arguments.iter().map(Argument::expr);
        match name {
            "concat" => {
                let mut code = quote_spanned!(span=> "");
                for argument in arguments {
                    let value = self.value(argument, scope)?;
                    code = quote_spanned!(span=>
                        #facade::__private::filters::Concatenated(#code, #value)
                    );
                }
                Ok(code)
            }
            "or" => {
                let conditions = arguments.map(|argument| self.condition(argument, scope));
                let conditions = conditions.collect::<Result<Vec<_>>>()?;
                Ok(quote_spanned!(span=> (#((#conditions))||*)))
            }
            _ => reason(format!("the helper `{name}`")),
        }
    }

    /// Returns an error for comparisons in which Handlebars differs from compiled code. In
    /// Handlebars, `true` is 1, a missing value differs from `null`, and any two values have an
    /// order.
    pub(super) fn require_plain_comparison(
        &self,
        operator: BinaryOperator,
        operands: [&Expr; 2],
        scope: &Scope,
    ) -> Result<()> {
        if !self.is_handlebars() {
            return Ok(());
        }
        let [left, right] = operands.map(|expr| self.operand(expr, scope));
        let (left, right) = (left?, right?);
        let is_text = |operand| operand == (Some(OperandKind::Text), true);
        let is_plain = if operator == BinaryOperator::Equal {
            // A string only equals a string.
            is_text(left)
                || is_text(right)
                || (left.0.is_some() && left.0 == right.0 && (left.1 || right.1))
        } else {
            left == right && matches!(left, (Some(OperandKind::Text | OperandKind::Integer), true))
        };
        match is_plain {
            true => Ok(()),
            false => reason("a comparison of values whose types may differ"),
        }
    }

    /// The kind of an operand, if it is known, and whether it is always present.
    fn operand(&self, expr: &Expr, scope: &Scope) -> Result<(Option<OperandKind>, bool)> {
        let expr = self.resolved(expr, scope);
        if let Some(constant) = constant(expr) {
            return Ok((OperandKind::of_constant(&constant), true));
        }
        if self.counter_of_block(expr, scope)?.is_some() {
            let is_boolean = matches!(&expr.kind, ExprKind::Variable(name)
                if name.ends_with("first") || name.ends_with("last"));
            let is_data = matches!(&expr.kind, ExprKind::Variable(name) if name.starts_with('@'));
            let kind =
                if is_boolean && is_data { OperandKind::Boolean } else { OperandKind::Integer };
            return Ok((Some(kind), true));
        }
        let Some(place) = self.place(expr, scope)? else { return Ok((None, false)) };
        let is_required = place.reference.is_some() && place.fallback.is_none();
        Ok((OperandKind::of_type(&place.value_type), is_required))
    }
}

/// The kind of an operand of a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OperandKind {
    Text,
    Integer,
    Boolean,
}

impl OperandKind {
    fn of_constant(value: &Value) -> Option<Self> {
        match value {
            Value::String(_) => Some(Self::Text),
            Value::Integer(_) => Some(Self::Integer),
            Value::Bool(_) => Some(Self::Boolean),
            _ => None,
        }
    }

    fn of_type(value_type: &ValueType) -> Option<Self> {
        match value_type {
            ValueType::String | ValueType::Choice(_) => Some(Self::Text),
            ValueType::Integer => Some(Self::Integer),
            ValueType::Boolean => Some(Self::Boolean),
            _ => None,
        }
    }
}
