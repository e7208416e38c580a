//! Expressions as conditions, and as values that are compared.

use proc_macro2::TokenStream;
use prompty_runtime::check::Shape;
use prompty_runtime::template::ast::{BinaryOperator, Expr, ExprKind, UnaryOperator};
use prompty_runtime::value::Value;
use quote::quote_spanned;

use super::places::{Fallback, Place, is_loop};
use super::values::is_comparison;
use super::{Compiler, Result, Scope, reason};
use crate::expand::site::Ability;

impl Compiler<'_> {
    /// An expression of type `bool`: whether a condition holds.
    pub(super) fn condition(&self, expr: &Expr, scope: &Scope) -> Result<TokenStream> {
        let (span, facade) = (self.span, self.facade);
        if let Some(place) = self.place(expr, scope)? {
            return self.truth(&place);
        }
        match &expr.kind {
            ExprKind::Unary { operator: UnaryOperator::Not, operand } => {
                let operand = self.condition(operand, scope)?;
                Ok(quote_spanned!(span=> !#operand))
            }
            ExprKind::Binary { operator: BinaryOperator::And, left, right } => {
                let (left, right) = (self.condition(left, scope)?, self.condition(right, scope)?);
                Ok(quote_spanned!(span=> (#left && #right)))
            }
            ExprKind::Binary { operator: BinaryOperator::Or, left, right } => {
                let (left, right) = (self.condition(left, scope)?, self.condition(right, scope)?);
                Ok(quote_spanned!(span=> (#left || #right)))
            }
            ExprKind::Binary { operator, left, right } if is_comparison(*operator) => {
                self.comparison(*operator, left, right, scope)
            }
            ExprKind::Comparison { first, rest } => {
                let mut left = &**first;
                let mut all = Vec::new();
                for (operator, right) in rest {
                    all.push(self.comparison(*operator, left, right, scope)?);
                    left = right;
                }
                Ok(quote_spanned!(span=> (#(#all)&&*)))
            }
            ExprKind::Test { value, call } if call.arguments.is_empty() => {
                self.test(value, &call.name.text, scope)
            }
            ExprKind::Literal(literal) => {
                let holds = literal.is_true();
                Ok(quote_spanned!(span=> #holds))
            }
            ExprKind::Attribute { value, name } if is_loop(value) => {
                let counter = self.counter(&name.text, scope)?;
                Ok(quote_spanned!(span=> #facade::Truth::truth(&#counter)))
            }
            ExprKind::Filter { call, .. }
                if call.name.text == "default" || call.name.text == "d" =>
            {
                reason("the filter 'default' in a condition")
            }
            ExprKind::Filter { call, .. }
                if matches!(call.name.text.as_str(), "length" | "count") =>
            {
                let length = self.value(expr, scope)?;
                Ok(quote_spanned!(span=> (#length != 0)))
            }
            ExprKind::Filter { .. }
            | ExprKind::Binary { operator: BinaryOperator::Concatenate, .. } => {
                let value = self.value(expr, scope)?;
                Ok(quote_spanned!(span=> !#facade::Print::text(&#value).is_empty()))
            }
            ExprKind::Test { call, .. } => reason(format!("the test '{}'", call.name.text)),
            ExprKind::Function(call) => reason(format!("the function '{}'", call.name.text)),
            ExprKind::Method { call, .. } => reason(format!("the method '{}'", call.name.text)),
            ExprKind::Binary { operator, .. } => {
                reason(format!("the operator '{}' in a condition", operator.as_str()))
            }
            _ => reason("a condition that only the engine knows"),
        }
    }

    fn truth(&self, place: &Place) -> Result<TokenStream> {
        let (span, facade, value) = (self.span, self.facade, &place.value);
        let site = self.site(Ability::Ask, place);
        if let (Some(optional), None) = (&place.optional, &place.fallback) {
            return Ok(site.holds(optional));
        }
        let holds = site.holds(&quote_spanned!(span=> it));
        let truth = quote_spanned!(span=> |it| #holds);
        Ok(match &place.fallback {
            None => quote_spanned!(span=> #value.is_some_and(#truth)),
            Some(Fallback::Literal(literal)) => {
                let otherwise = literal.is_true();
                quote_spanned!(span=> #value.map_or(#otherwise, #truth))
            }
            Some(Fallback::Expression(expression)) => quote_spanned!(span=>
                match #value {
                    #facade::__private::Option::Some(it) => (#truth)(it),
                    #facade::__private::Option::None => #facade::Truth::truth(&(#expression)),
                }
            ),
        })
    }

    fn test(&self, value: &Expr, name: &str, scope: &Scope) -> Result<TokenStream> {
        let (span, facade) = (self.span, self.facade);
        let Some(place) = self.place(value, scope)? else {
            return reason(format!("the test '{name}' of what is computed"));
        };
        let (has_default, value) = (place.fallback.is_some(), &place.value);
        Ok(match name {
            "defined" => quote_spanned!(span=> (#has_default || #value.is_some())),
            "undefined" => quote_spanned!(span=> !(#has_default || #value.is_some())),
            "none" => quote_spanned!(span=>
                #value.is_some_and(|it| #facade::__private::place::Place(it).get().is_none())
            ),
            other => return reason(format!("the test '{other}'")),
        })
    }

    fn comparison(
        &self,
        operator: BinaryOperator,
        left: &Expr,
        right: &Expr,
        scope: &Scope,
    ) -> Result<TokenStream> {
        let span = self.span;
        if matches!(operator, BinaryOperator::In | BinaryOperator::NotIn) {
            let contained = self.contained(left, right, scope)?;
            let not = (operator == BinaryOperator::NotIn).then(|| quote_spanned!(span=> !));
            return Ok(quote_spanned!(span=> #not #contained));
        }
        let (left, right) = (self.scalar(left, scope)?, self.scalar(right, scope)?);
        let order = quote_spanned!(span=> #left.order(#right));
        Ok(match operator {
            BinaryOperator::Equal => quote_spanned!(span=> #left.equals(#right)),
            BinaryOperator::NotEqual => quote_spanned!(span=> !#left.equals(#right)),
            BinaryOperator::Less => quote_spanned!(span=> #order.is_lt()),
            BinaryOperator::LessOrEqual => quote_spanned!(span=> #order.is_le()),
            BinaryOperator::Greater => quote_spanned!(span=> #order.is_gt()),
            _ => quote_spanned!(span=> #order.is_ge()),
        })
    }

    fn contained(&self, left: &Expr, right: &Expr, scope: &Scope) -> Result<TokenStream> {
        let (span, facade) = (self.span, self.facade);
        let Some(place) = self.place(right, scope)? else {
            return reason("'in' what is computed");
        };
        let value = self.scalar(left, scope)?;
        let whole = self.present(&place)?;
        match place.shape {
            Shape::List(_) => Ok(quote_spanned!(span=>
                #whole.is_some_and(|it| #facade::__private::scalar::contains(it, #value))
            )),
            Shape::Text => Ok(quote_spanned!(span=>
                #whole.is_some_and(|it| #facade::__private::scalar::contains_text(it, #value))
            )),
            _ => reason("'in' a value whose type is not known"),
        }
    }

    /// An expression of type `Scalar`.
    fn scalar(&self, expr: &Expr, scope: &Scope) -> Result<TokenStream> {
        let (span, facade) = (self.span, self.facade);
        let scalar = quote_spanned!(span=> #facade::Scalar);
        if let Some(place) = self.place(expr, scope)? {
            let value = &place.value;
            let it = quote_spanned!(span=> it);
            let site = self.site(Ability::Print, &place).itself(&it);
            let comparable =
                quote_spanned!(span=> (&&&#facade::__private::place::Place(#site)).comparable());
            let otherwise = match &place.fallback {
                None => quote_spanned!(span=> #scalar::Undefined),
                Some(Fallback::Literal(literal)) => self.scalar_literal(literal)?,
                Some(Fallback::Expression(expression)) => {
                    // What is compared lives as long as the comparison.
                    return Ok(quote_spanned!(span=>
                        match (&#value.map(|it| #comparable), &(#expression)) {
                            (#facade::__private::Option::Some(it), _) => {
                                #facade::ToScalar::to_scalar(it)
                            }
                            (#facade::__private::Option::None, it) => {
                                #facade::ToScalar::to_scalar(it)
                            }
                        }
                    ));
                }
            };
            return Ok(quote_spanned!(span=>
                match &#value.map(|it| #comparable) {
                    #facade::__private::Option::Some(it) => #facade::ToScalar::to_scalar(it),
                    #facade::__private::Option::None => #otherwise,
                }
            ));
        }
        match &expr.kind {
            ExprKind::Literal(literal) => self.scalar_literal(literal),
            ExprKind::Attribute { value, name } if is_loop(value) => {
                let counter = self.counter(&name.text, scope)?;
                Ok(quote_spanned!(span=> #facade::ToScalar::to_scalar(&#counter)))
            }
            ExprKind::Filter { call, .. }
                if matches!(call.name.text.as_str(), "length" | "count") =>
            {
                let length = self.value(expr, scope)?;
                Ok(quote_spanned!(span=> #facade::ToScalar::to_scalar(&#length)))
            }
            ExprKind::Filter { call, .. }
                if matches!(call.name.text.as_str(), "upper" | "lower" | "trim" | "join") =>
            {
                let value = self.value(expr, scope)?;
                Ok(quote_spanned!(span=> #scalar::Text(&#facade::Print::text(&#value))))
            }
            _ => reason("a comparison of what is computed"),
        }
    }

    fn scalar_literal(&self, literal: &Value) -> Result<TokenStream> {
        let (span, facade) = (self.span, self.facade);
        let scalar = quote_spanned!(span=> #facade::Scalar);
        Ok(match literal {
            Value::Null => quote_spanned!(span=> #scalar::Null),
            Value::Bool(value) => quote_spanned!(span=> #scalar::Bool(#value)),
            Value::Integer(number) => quote_spanned!(span=> #scalar::Integer(#number)),
            Value::Float(number) => quote_spanned!(span=> #scalar::Float(#number)),
            Value::String(text) => {
                let text: &str = text;
                quote_spanned!(span=> #scalar::Text(#text))
            }
            _ => return reason("a comparison with a list or map"),
        })
    }
}
