//! Generates code for the helpers of Handlebars.

use prompty_check::definition::ValueType;
use prompty_core::value::Value;
use prompty_template::tree::{Argument, BinaryOperator, Call, Expr, ExprKind};
use quote::quote_spanned;

use super::places::constant_value;
use super::{Compiler, Result, Scope, Tokens, unsupported};

impl Compiler<'_> {
    /// Generates code for the supported helpers: `(concat a b)` and `(or a b)`.
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
            _ => unsupported(format!("the helper `{name}`")),
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
        let is_same_kind = left.kind.is_some() && left.kind == right.kind;
        let is_plain = if operator == BinaryOperator::Equal {
            // A string only equals a string.
            let is_text = |it: &Operand| it.kind == Some(OperandKind::Text) && it.is_required;
            let is_one_required = left.is_required || right.is_required;
            is_text(&left) || is_text(&right) || (is_same_kind && is_one_required)
        } else {
            let are_required = left.is_required && right.is_required;
            is_same_kind && are_required && left.kind != Some(OperandKind::Boolean)
        };
        match is_plain {
            true => Ok(()),
            false => unsupported("a comparison of values whose types may differ"),
        }
    }

    /// What is known about an operand.
    fn operand(&self, expr: &Expr, scope: &Scope) -> Result<Operand> {
        let expr = self.resolved(expr, scope);
        if let Some(constant) = constant_value(expr) {
            let kind = OperandKind::of_constant(&constant);
            return Ok(Operand { kind, is_required: true });
        }
        if self.counter_of_block(expr, scope)?.is_some() {
            // `@first` and `@last`, but not a name after `as`.
            let is_boolean = matches!(&expr.kind, ExprKind::Variable(name)
                if name.starts_with('@') && (name.ends_with("first") || name.ends_with("last")));
            let kind = if is_boolean { OperandKind::Boolean } else { OperandKind::Integer };
            return Ok(Operand { kind: Some(kind), is_required: true });
        }
        let Some(place) = self.place(expr, scope)? else {
            return Ok(Operand { kind: None, is_required: false });
        };
        let is_required = place.reference.is_some() && place.fallback.is_none();
        Ok(Operand { kind: OperandKind::of_type(&place.value_type), is_required })
    }
}

/// An operand of a comparison.
struct Operand {
    /// The kind of its values, if it is known.
    kind: Option<OperandKind>,
    /// Whether it is never missing.
    is_required: bool,
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
