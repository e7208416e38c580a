//! Generates conditions, and the operands of comparisons.

use proc_macro2::TokenStream;
use prompty_check::definition::ValueType;
use prompty_core::message::RichKind;
use prompty_core::value::Value;
use prompty_template::tree::{BinaryOperator, Call, Expr, ExprKind, UnaryOperator};
use quote::{format_ident, quote_spanned};

use super::blocks::BlockTest;
use super::places::{Fallback, PlaceExpr, constant_value, is_loop, positional};
use super::values::is_text;
use super::{Compiler, Scope, Tokens, unsupported};
use crate::expand::respanned;
use crate::expand::site::RequiredTrait;

impl Compiler<'_> {
    /// An expression of type `bool` for a condition.
    pub(super) fn condition(&self, expr: &Expr, scope: &Scope) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        if let Some(presence) = self.rich_presence(expr, scope) {
            return Ok(presence);
        }
        let expr = self.resolved(expr, scope);
        if let Some(place) = self.place(expr, scope)? {
            return self.truth(&place);
        }
        if let Some(constant) = constant_value(expr) {
            let holds = constant.is_true();
            return Ok(quote_spanned!(span=> #holds));
        }
        if let Some(counter) = self.counter_of_block(expr, scope)? {
            return Ok(quote_spanned!(span=> #facade::Truth::truth(&#counter)));
        }
        self.computed_condition(expr, scope)
    }

    /// An expression of type `bool` for a condition that is computed from other values.
    fn computed_condition(&self, expr: &Expr, scope: &Scope) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        match &expr.kind {
            ExprKind::Unary { operator: UnaryOperator::Not, operand } => {
                let operand = self.condition(operand, scope)?;
                Ok(quote_spanned!(span=> !(#operand)))
            }
            ExprKind::Binary { operator: BinaryOperator::And, left, right } => {
                let (left, right) = (self.condition(left, scope)?, self.condition(right, scope)?);
                Ok(quote_spanned!(span=> ((#left) && (#right))))
            }
            ExprKind::Binary { operator: BinaryOperator::Or, left, right } => {
                let (left, right) = (self.condition(left, scope)?, self.condition(right, scope)?);
                Ok(quote_spanned!(span=> ((#left) || (#right))))
            }
            ExprKind::Binary { operator, left, right } if operator.is_comparison() => {
                self.comparison(*operator, left, right, scope)
            }
            // `a < b < c` is `a < b and b < c`.
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
            ExprKind::Attribute { value, name } if is_loop(value) => {
                let counter = self.counter(&name.text, scope)?;
                Ok(quote_spanned!(span=> #facade::Truth::truth(&#counter)))
            }
            // An attribute that is not a place is a length: `{{#if items.length}}`.
            ExprKind::Attribute { value, .. } if self.is_handlebars() => {
                let length = self.length(value, scope)?;
                Ok(quote_spanned!(span=> (#length != 0)))
            }
            ExprKind::Function(call) if self.is_handlebars() && call.name.text == "or" => {
                self.helper(call, scope)
            }
            ExprKind::Conditional { condition, value, otherwise } => {
                let condition = self.condition(condition, scope)?;
                let value = self.condition(value, scope)?;
                let otherwise = match otherwise {
                    Some(otherwise) => self.condition(otherwise, scope)?,
                    None => quote_spanned!(span=> false),
                };
                Ok(quote_spanned!(span=> (if #condition { #value } else { #otherwise })))
            }
            _ if is_text(expr) => {
                let value = self.value(expr, &tested_scope(scope))?;
                Ok(quote_spanned!(span=> !#facade::Print::text(&#value).is_empty()))
            }
            ExprKind::Filter { value, call } => self.filtered_condition(expr, value, call, scope),
            ExprKind::Test { call, .. } => unsupported(format!("the test `{}`", call.name.text)),
            ExprKind::Function(call) => unsupported(format!("the function `{}`", call.name.text)),
            ExprKind::Method { call, .. } => {
                unsupported(format!("the method `{}`", call.name.text))
            }
            ExprKind::Binary { operator, .. } => {
                unsupported(format!("the operator `{}` in a condition", operator.as_str()))
            }
            _ => unsupported(format!("the condition `{}`", self.shown(expr))),
        }
    }

    /// An expression of type `bool` for `expr`, which is a filter of a value and not always a
    /// string.
    fn filtered_condition(&self, expr: &Expr, value: &Expr, call: &Call, scope: &Scope) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        match call.name.text.as_str() {
            "default" | "d" => {
                let printed = self.value(value, &tested_scope(scope))?;
                let holds = self.condition(value, scope)?;
                let otherwise = match positional(call)?.as_slice() {
                    [] => quote_spanned!(span=> false),
                    [fallback] => self.condition(fallback, scope)?,
                    _ => return unsupported("the filter `default` with two arguments"),
                };
                Ok(quote_spanned!(span=>
                    (if #facade::Print::is_null(&#printed) { #otherwise } else { #holds })
                ))
            }
            "length" | "count" => {
                let length = self.value(expr, scope)?;
                Ok(quote_spanned!(span=> (#length != 0)))
            }
            name => unsupported(format!("the filter `{name}`")),
        }
    }

    /// Whether a thread, an image, a file or audio is not empty.
    pub(super) fn rich_presence(&self, expr: &Expr, scope: &Scope) -> Option<TokenStream> {
        let ExprKind::Variable(name) = &expr.kind else { return None };
        let input = self.input(name).filter(|_| self.is_of_input(name, scope))?;
        let (span, facade, field) = (self.span, self.facade, respanned(&input.field, self.span));
        let private = quote_spanned!(span=> #facade::__private);
        match input.rich()? {
            RichKind::Thread => Some(quote_spanned!(span=>
                !#private::rich::AsThread::as_thread(&prompt.#field).is_empty()
            )),
            _ => Some(quote_spanned!(span=>
                #private::rich::ToMedia::to_media(&prompt.#field)
                    .is_some_and(|it| !it.value.is_empty())
            )),
        }
    }

    /// An expression of type `bool` for the truth of the value of a place. If the value is missing,
    /// its default decides.
    pub(super) fn truth(&self, place: &PlaceExpr) -> Tokens {
        if self.is_handlebars() {
            return self.block_truth(place, BlockTest::If);
        }
        let (span, facade, value) = (self.span, self.facade, &place.value);
        let site = self.site(RequiredTrait::Truth, place);
        if let Some(option) = &place.option {
            return Ok(site.condition(option));
        }
        let holds = site.condition(&quote_spanned!(span=> it));
        if let (Some(reference), None) = (&place.reference, &place.fallback) {
            return Ok(quote_spanned!(span=> ({ let it = #reference; #holds })));
        }
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

    /// Generates `tested is name`.
    fn test(&self, tested: &Expr, name: &str, scope: &Scope) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        if matches!(name, "string" | "number" | "boolean" | "odd" | "even") {
            let value = self.comparable(tested, scope)?;
            let test = format_ident!("{name}", span = span);
            return Ok(quote_spanned!(span=>
                #facade::__private::scalar::kind_tests::#test(&#value)
            ));
        }
        let Some(place) = self.place(tested, scope)? else {
            return unsupported(format!("the test `{name}` of the result of an expression"));
        };
        let (has_default, value) = (place.fallback.is_some(), &place.value);
        Ok(match name {
            "defined" => quote_spanned!(span=> (#has_default || #value.is_some())),
            "undefined" => quote_spanned!(span=> !(#has_default || #value.is_some())),
            "none" => quote_spanned!(span=> #value.map_or(!#has_default, |it| {
                (&&&&#facade::__private::place::Place(it)).is_missing()
            })),
            other => return unsupported(format!("the test `{other}`")),
        })
    }

    /// Generates a comparison with an operator, such as `a < b` or `a not in b`.
    fn comparison(
        &self,
        operator: BinaryOperator,
        left: &Expr,
        right: &Expr,
        scope: &Scope,
    ) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        self.require_plain_comparison(operator, [left, right], scope)?;
        if matches!(operator, BinaryOperator::In | BinaryOperator::NotIn) {
            let membership = self.membership(left, right, scope)?;
            let not = (operator == BinaryOperator::NotIn).then(|| quote_spanned!(span=> !));
            return Ok(quote_spanned!(span=> #not #membership));
        }
        // `value == none` is the test `none`, in either order.
        let pairs = [(left, right), (right, left)].into_iter();
        let mut compared_with_none =
            pairs.filter(|(_, none)| constant_value(none).is_some_and(|it| it.is_null()));
        if let (BinaryOperator::Equal | BinaryOperator::NotEqual, Some((value, _))) =
            (operator, compared_with_none.next())
            && constant_value(value).is_none()
        {
            let is_none = self.test(self.resolved(value, scope), "none", scope)?;
            let not = (operator == BinaryOperator::NotEqual).then(|| quote_spanned!(span=> !));
            return Ok(quote_spanned!(span=> #not #is_none));
        }
        let (left, right) = (self.comparable(left, scope)?, self.comparable(right, scope)?);
        let scalar = quote_spanned!(span=> #facade::__private::scalar);
        let order = quote_spanned!(span=> #scalar::order(&#left, &#right));
        Ok(match operator {
            BinaryOperator::Equal => quote_spanned!(span=> #scalar::equal(&#left, &#right)),
            BinaryOperator::NotEqual => quote_spanned!(span=> !#scalar::equal(&#left, &#right)),
            BinaryOperator::Less => quote_spanned!(span=> #order.is_lt()),
            BinaryOperator::LessOrEqual => quote_spanned!(span=> #order.is_le()),
            BinaryOperator::Greater => quote_spanned!(span=> #order.is_gt()),
            BinaryOperator::GreaterOrEqual => quote_spanned!(span=> #order.is_ge()),
            other => return unsupported(format!("the operator `{}`", other.as_str())),
        })
    }

    /// Generates `left in right`.
    fn membership(&self, left: &Expr, right: &Expr, scope: &Scope) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        let scalar = quote_spanned!(span=> #facade::__private::scalar);
        let value = self.comparable(left, scope)?;
        match self.place(right, scope)? {
            Some(place @ PlaceExpr { value_type: ValueType::Array(_), fallback: None, .. }) => {
                let (container, it) =
                    (self.flattened(&place)?, self.comparable_it(&place.item_place()));
                Ok(quote_spanned!(span=> #scalar::list_contains(#container, &#value, |it| #it)))
            }
            Some(place @ PlaceExpr { value_type: ValueType::String, fallback: None, .. }) => {
                let container = self.flattened(&place)?;
                Ok(quote_spanned!(span=> #scalar::text_contains(#container, &#value)))
            }
            _ => {
                let container = self.comparable(right, scope)?;
                Ok(quote_spanned!(span=> #scalar::contains(&#container, &#value)))
            }
        }
    }

    /// Converts `it`, a reference to the value of a place, into a type that can be compared.
    fn comparable_it(&self, place: &PlaceExpr) -> TokenStream {
        let (span, facade) = (self.span, self.facade);
        let site = self.site(RequiredTrait::Writable, place).reference(&quote_spanned!(span=> it));
        quote_spanned!(span=> (&&&&&&#facade::__private::place::Place(#site)).comparable())
    }

    /// An expression whose type implements `ToScalar`.
    fn comparable(&self, expr: &Expr, scope: &Scope) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        let scalar = quote_spanned!(span=> #facade::__private::scalar);
        let expr = self.resolved(expr, scope);
        if let Some(place) = self.place(expr, scope)? {
            let (value, it) = (&place.value, self.comparable_it(&place));
            let value = quote_spanned!(span=> #value.map(|it| #it));
            return Ok(match &place.fallback {
                None => quote_spanned!(span=> #scalar::OptionalScalar(#value)),
                Some(Fallback::Literal(literal)) => {
                    let literal = self.scalar_literal(literal)?;
                    quote_spanned!(span=> #scalar::ScalarOrDefault(#value, #literal))
                }
                Some(Fallback::Expression(expression)) => {
                    quote_spanned!(span=> #scalar::ScalarOrDefault(#value, &(#expression)))
                }
            });
        }
        if let Some(constant) = constant_value(expr) {
            return self.scalar_literal(&constant);
        }
        let missing = quote_spanned!(span=> #facade::Scalar::Undefined);
        if let Some(value) = self.common_value(expr, scope, Self::comparable, &missing)? {
            return Ok(value);
        }
        match &expr.kind {
            ExprKind::Filter { call, .. }
                if matches!(call.name.text.as_str(), "length" | "count") =>
            {
                self.value(expr, scope)
            }
            ExprKind::Filter { value, call }
                if matches!(call.name.text.as_str(), "default" | "d") =>
            {
                let (some, value) = (self.some(), self.comparable(value, scope)?);
                let otherwise = match positional(call)?.as_slice() {
                    [] => self.scalar_literal(&Value::from(""))?,
                    [fallback] => self.comparable(fallback, scope)?,
                    _ => return unsupported("the filter `default` with two arguments"),
                };
                Ok(quote_spanned!(span=>
                    #facade::__private::filters::OrElse(#some(#value), #otherwise)
                ))
            }
            _ if is_text(expr) => {
                let value = self.value(expr, scope)?;
                Ok(quote_spanned!(span=> #scalar::computed(#value)))
            }
            _ => unsupported("a comparison with the result of an expression"),
        }
    }

    fn scalar_literal(&self, literal: &Value) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        let scalar = quote_spanned!(span=> #facade::Scalar);
        Ok(match literal {
            Value::Null => quote_spanned!(span=> #scalar::Null),
            Value::Bool(value) => quote_spanned!(span=> #scalar::Bool(#value)),
            Value::Integer(number) => quote_spanned!(span=> #scalar::Integer(#number)),
            Value::Float(number) if number.is_finite() => {
                quote_spanned!(span=> #scalar::Float(#number))
            }
            Value::String(text) => {
                let text: &str = text;
                quote_spanned!(span=> #scalar::Text(#text))
            }
            _ => return unsupported("a comparison with a list or map"),
        })
    }
}

/// The scope of a value that is only tested and not printed, so it may be untrusted.
fn tested_scope(scope: &Scope) -> Scope {
    Scope { from_user: true, ..scope.clone() }
}
