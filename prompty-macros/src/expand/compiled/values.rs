//! Expressions that print.

use proc_macro2::TokenStream;
use prompty_core::jinja::tree::{BinaryOperator, Call, Expr, ExprKind};
use prompty_core::value::Value;
use quote::quote_spanned;

use super::places::{Fallback, Place, constant, is_loop, positional};
use super::{Compiler, Result, Scope, reason};
use crate::expand::site::Ability;

impl Compiler<'_> {
    /// An expression whose type implements `Print`.
    pub(super) fn value(&self, expr: &Expr, scope: &Scope) -> Result<TokenStream> {
        let expr = self.resolved(expr, scope);
        if let Some(place) = self.place(expr, scope)? {
            return self.printed(&place, scope);
        }
        if let Some(constant) = constant(expr) {
            return self.literal(&constant);
        }
        let (span, facade) = (self.span, self.facade);
        let filters = quote_spanned!(span=> #facade::__private::filters);
        match &expr.kind {
            ExprKind::Attribute { value, name } if is_loop(value) => {
                self.counter(&name.text, scope)
            }
            ExprKind::Filter { value, call } => self.filtered(value, call, scope),
            ExprKind::Binary { operator, left, right } => match operator {
                BinaryOperator::Concatenate => {
                    let (left, right) = (self.value(left, scope)?, self.value(right, scope)?);
                    Ok(quote_spanned!(span=> #filters::Concatenated(#left, #right)))
                }
                BinaryOperator::And | BinaryOperator::Or => {
                    let condition = self.condition(left, scope)?;
                    let (left, right) = (
                        self.branch(left, scope, Self::value)?,
                        self.branch(right, scope, Self::value)?,
                    );
                    Ok(self.chosen(*operator, &condition, &left, &right))
                }
                operator if is_comparison(*operator) => self.condition(expr, scope),
                operator => reason(format!("the operator '{}'", operator.as_str())),
            },
            ExprKind::Conditional { condition, value, otherwise } => {
                let condition = self.condition(condition, scope)?;
                let value = self.branch(value, scope, Self::value)?;
                let otherwise = match otherwise {
                    Some(otherwise) => self.branch(otherwise, scope, Self::value)?,
                    None => self.literal(&Value::Null)?,
                };
                Ok(self.either(&condition, &value, &otherwise))
            }
            ExprKind::Comparison { .. } | ExprKind::Test { .. } | ExprKind::Unary { .. } => {
                self.condition(expr, scope)
            }
            ExprKind::Function(call) => reason(format!("the function '{}'", call.name.text)),
            ExprKind::Method { call, .. } => reason(format!("the method '{}'", call.name.text)),
            ExprKind::List(_) | ExprKind::Tuple(_) | ExprKind::Map(_) => {
                reason("a list or map in the template")
            }
            ExprKind::Slice { .. } => reason("a slice"),
            _ => reason("an expression that only the engine knows"),
        }
    }

    /// One branch of a choice, made by `make`.
    pub(super) fn branch(
        &self,
        expr: &Expr,
        scope: &Scope,
        make: impl FnOnce(&Self, &Expr, &Scope) -> Result<TokenStream>,
    ) -> Result<TokenStream> {
        if self.computes_default(expr) {
            return reason("a choice of an input whose default is an expression");
        }
        make(self, expr, scope)
    }

    /// `left` or `right`, whatever a condition says.
    pub(super) fn either(
        &self,
        condition: &TokenStream,
        left: &TokenStream,
        right: &TokenStream,
    ) -> TokenStream {
        let (span, facade) = (self.span, self.facade);
        let either = quote_spanned!(span=> #facade::__private::filters::Either);
        quote_spanned!(span=>
            if #condition { #either::Left(#left) } else { #either::Right(#right) }
        )
    }

    /// What `and` and `or` give: one of their sides.
    pub(super) fn chosen(
        &self,
        operator: BinaryOperator,
        condition: &TokenStream,
        left: &TokenStream,
        right: &TokenStream,
    ) -> TokenStream {
        if operator == BinaryOperator::Or {
            return self.either(condition, left, right);
        }
        let condition = quote_spanned!(self.span=> !(#condition));
        self.either(&condition, left, right)
    }

    /// A value where it lies, or what takes its place.
    fn printed(&self, place: &Place, scope: &Scope) -> Result<TokenStream> {
        let (span, facade, value) = (self.span, self.facade, self.printable(place, scope));
        let or_else = quote_spanned!(span=> #facade::__private::filters::OrElse);
        Ok(match &place.fallback {
            None => value,
            Some(Fallback::Literal(literal)) => {
                let literal = self.literal(literal)?;
                quote_spanned!(span=> #or_else(#value, #literal))
            }
            Some(Fallback::Expression(expression)) => {
                quote_spanned!(span=> #or_else(#value, &(#expression)))
            }
        })
    }

    /// An expression of type `Option<impl Print>`.
    fn printable(&self, place: &Place, scope: &Scope) -> TokenStream {
        if place.is_scalar() {
            return place.value.clone();
        }
        self.mapped(place, &self.printable_it(place, scope))
    }

    /// `it`, a reference to a value of a place, as one that prints.
    fn printable_it(&self, place: &Place, scope: &Scope) -> TokenStream {
        let (span, facade) = (self.span, self.facade);
        let site = self.site(Ability::Print, place).itself(&quote_spanned!(span=> it));
        let trust = self.trust(place, scope);
        quote_spanned!(span=> {
            #trust
            (&&&#facade::__private::place::Place(#site)).printable()
        })
    }

    /// The statement that holds `it` to be trusted where it is printed into instructions.
    fn trust(&self, place: &Place, scope: &Scope) -> TokenStream {
        if scope.from_user {
            return TokenStream::new();
        }
        self.site(Ability::Trust, place).trusted(&quote_spanned!(self.span=> it))
    }

    /// A constant that prints.
    pub(super) fn literal(&self, literal: &Value) -> Result<TokenStream> {
        let (span, facade) = (self.span, self.facade);
        Ok(match literal {
            Value::Null => {
                quote_spanned!(span=> #facade::__private::Option::<&#facade::__private::str>::None)
            }
            Value::Bool(value) => quote_spanned!(span=> #value),
            Value::Integer(number) => quote_spanned!(span=> #number),
            Value::Float(number) if number.is_finite() => quote_spanned!(span=> #number),
            Value::String(text) => {
                let text: &str = text;
                quote_spanned!(span=> #text)
            }
            _ => return reason("a list or map in the template"),
        })
    }

    /// A counter of the innermost loop.
    pub(super) fn counter(&self, name: &str, scope: &Scope) -> Result<TokenStream> {
        let span = self.span;
        let Some(super::Loop { index, length }) = &scope.current_loop else {
            return reason("the use of 'loop' as a value");
        };
        Ok(match name {
            "index" => quote_spanned!(span=> (#index + 1)),
            "index0" => quote_spanned!(span=> #index),
            "length" => quote_spanned!(span=> #length),
            "revindex" => quote_spanned!(span=> (#length - #index)),
            "revindex0" => quote_spanned!(span=> (#length - #index - 1)),
            "first" => quote_spanned!(span=> (#index == 0)),
            "last" => quote_spanned!(span=> (#index + 1 == #length)),
            other => return reason(format!("'loop.{other}'")),
        })
    }

    fn filtered(&self, value: &Expr, call: &Call, scope: &Scope) -> Result<TokenStream> {
        let (span, facade) = (self.span, self.facade);
        let filters = quote_spanned!(span=> #facade::__private::filters);
        let arguments = positional(call)?;
        let simple = |filter: TokenStream| {
            let value = self.value(value, scope)?;
            Ok(quote_spanned!(span=> #filters::#filter(#value)))
        };
        match (call.name.text.as_str(), arguments.as_slice()) {
            ("upper", []) => simple(quote_spanned!(span=> Upper)),
            ("lower", []) => simple(quote_spanned!(span=> Lower)),
            ("trim", []) => simple(quote_spanned!(span=> Trim)),
            ("string", []) => simple(quote_spanned!(span=> Text)),
            ("trusted", []) => {
                let trusting = Scope { from_user: true, ..scope.clone() };
                self.value(value, &trusting)
            }
            ("replace", [from, to]) => {
                let value = self.value(value, scope)?;
                let (from, to) = (self.value(from, scope)?, self.value(to, scope)?);
                Ok(quote_spanned!(span=> #filters::Replace(#value, #from, #to)))
            }
            ("tojson", []) => {
                let Some(place @ Place { fallback: None, .. }) = self.place(value, scope)? else {
                    return self.computed(value, scope, "the filter 'tojson' of what is computed");
                };
                let value = &place.value;
                let site = self.site(Ability::Write, &place).value(&quote_spanned!(span=> it));
                Ok(quote_spanned!(span=> #filters::Json(
                    #value.map_or(#facade::Value::Null, |it| #site)
                )))
            }
            ("default" | "d", []) => {
                let value = self.defaulted(value, scope)?;
                Ok(quote_spanned!(span=> #filters::OrElse(#value, "")))
            }
            ("default" | "d", [fallback]) => {
                let value = self.defaulted(value, scope)?;
                let fallback = self.value(fallback, scope)?;
                Ok(quote_spanned!(span=> #filters::OrElse(#value, #fallback)))
            }
            ("length" | "count", []) => self.length(value, scope),
            ("join", [] | [_]) => {
                let Some(place @ Place { fallback: None, .. }) = self.place(value, scope)? else {
                    return self.computed(value, scope, "the joining of what is computed");
                };
                let list = self.present(&place)?;
                let separator = match arguments.first() {
                    Some(separator) => self.value(separator, scope)?,
                    None => quote_spanned!(span=> ""),
                };
                let it = self.printable_it(&place.of_item(), scope);
                Ok(quote_spanned!(span=> #filters::join(#list, #separator, |it| #it)))
            }
            (name, _) => reason(format!("the filter '{name}'")),
        }
    }

    /// Why a computed value is left to the engine: what it is made of may say more.
    pub(super) fn computed<T>(&self, value: &Expr, scope: &Scope, because: &str) -> Result<T> {
        self.value(value, scope)?;
        reason(because)
    }

    /// What a `default` is applied to: an expression of type `Option<impl Print>`.
    fn defaulted(&self, value: &Expr, scope: &Scope) -> Result<TokenStream> {
        if let Some(place @ Place { fallback: None, .. }) = self.place(value, scope)? {
            return Ok(self.printable(&place, scope));
        }
        let (some, value) = (self.some(), self.value(value, scope)?);
        Ok(quote_spanned!(self.span=> #some(#value)))
    }

    fn length(&self, value: &Expr, scope: &Scope) -> Result<TokenStream> {
        let (span, facade) = (self.span, self.facade);
        let value = self.resolved(value, scope);
        match self.place(value, scope)? {
            Some(place @ Place { fallback: None, .. }) => {
                let value = &place.value;
                let site = self.site(Ability::Print, &place).itself(&quote_spanned!(span=> it));
                Ok(quote_spanned!(span=> #value.map_or(0, |it| {
                    let it = (&&&#facade::__private::place::Place(#site)).measurable();
                    #facade::Length::length(&it)
                })))
            }
            None if is_text(value) => {
                let value = self.value(value, scope)?;
                Ok(quote_spanned!(span=> #facade::Length::length(&#facade::Print::text(&#value))))
            }
            _ => self.computed(value, scope, "the length of what is computed"),
        }
    }
}

/// Whether an operator gives a boolean.
pub(super) fn is_comparison(operator: BinaryOperator) -> bool {
    matches!(
        operator,
        BinaryOperator::Equal
            | BinaryOperator::NotEqual
            | BinaryOperator::Less
            | BinaryOperator::LessOrEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterOrEqual
            | BinaryOperator::In
            | BinaryOperator::NotIn
    )
}

/// Whether an expression computes a text, whatever its operands are.
pub(super) fn is_text(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary { operator, .. } => *operator == BinaryOperator::Concatenate,
        ExprKind::Filter { call, .. } => matches!(
            call.name.text.as_str(),
            "upper" | "lower" | "trim" | "join" | "replace" | "string" | "tojson"
        ),
        _ => false,
    }
}
