//! Expressions that print.

use proc_macro2::TokenStream;
use prompty_runtime::template::ast::{Argument, BinaryOperator, Call, Expr, ExprKind};
use prompty_runtime::value::Value;
use quote::quote_spanned;

use super::places::{Fallback, Place, is_loop};
use super::{Compiler, Result, Scope, reason};
use crate::expand::site::Ability;

impl Compiler<'_> {
    /// An expression whose type implements `Print`.
    pub(super) fn value(&self, expr: &Expr, scope: &Scope) -> Result<TokenStream> {
        if let Some(place) = self.place(expr, scope)? {
            return Ok(self.printed(&place, scope));
        }
        let (span, facade) = (self.span, self.facade);
        let filters = quote_spanned!(span=> #facade::__private::filters);
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::Attribute { value, name } if is_loop(value) => {
                self.counter(&name.text, scope)
            }
            ExprKind::Filter { value, call } => self.filtered(value, call, scope),
            ExprKind::Binary { operator: BinaryOperator::Concatenate, left, right } => {
                let (left, right) = (self.value(left, scope)?, self.value(right, scope)?);
                Ok(quote_spanned!(span=> #filters::Concatenated(#left, #right)))
            }
            ExprKind::Conditional { condition, value, otherwise } => {
                let condition = self.condition(condition, scope)?;
                let value = self.value(value, scope)?;
                let otherwise = match otherwise {
                    Some(otherwise) => self.value(otherwise, scope)?,
                    None => quote_spanned!(span=> ""),
                };
                Ok(quote_spanned!(span=>
                    if #condition { #filters::Either::Left(#value) }
                    else { #filters::Either::Right(#otherwise) }
                ))
            }
            ExprKind::Binary { operator, .. } if is_comparison(*operator) => {
                self.condition(expr, scope)
            }
            ExprKind::Comparison { .. } | ExprKind::Test { .. } => self.condition(expr, scope),
            ExprKind::Unary { .. } => self.condition(expr, scope),
            ExprKind::Binary { operator, .. } => {
                reason(format!("the operator '{}'", operator.as_str()))
            }
            ExprKind::Function(call) => reason(format!("the function '{}'", call.name.text)),
            ExprKind::Method { call, .. } => reason(format!("the method '{}'", call.name.text)),
            ExprKind::List(_) | ExprKind::Map(_) => reason("a list or map in the template"),
            ExprKind::Slice { .. } => reason("a slice"),
            _ => reason("an expression that only the engine knows"),
        }
    }

    /// A value where it lies, or what takes its place.
    fn printed(&self, place: &Place, scope: &Scope) -> TokenStream {
        let (span, facade, value) = (self.span, self.facade, self.printable(place, scope));
        let or_else = quote_spanned!(span=> #facade::__private::filters::OrElse);
        match &place.fallback {
            None => value,
            Some(Fallback::Literal(literal)) => {
                // A default is a scalar; what is none has been refused.
                let literal = self.literal(literal).unwrap_or_default();
                quote_spanned!(span=> #or_else(#value, #literal))
            }
            Some(Fallback::Expression(expression)) => {
                quote_spanned!(span=> #or_else(#value, &(#expression)))
            }
        }
    }

    /// An expression of type `Option<impl Print>`.
    fn printable(&self, place: &Place, scope: &Scope) -> TokenStream {
        let (span, facade, value) = (self.span, self.facade, &place.value);
        let it = quote_spanned!(span=> it);
        let site = self.site(Ability::Print, place).itself(&it);
        let trust = self.trust(place, scope);
        quote_spanned!(span=>
            #value.map(|it| {
                #trust
                (&&&#facade::__private::place::Place(#site)).printable()
            })
        )
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
        let span = self.span;
        Ok(match literal {
            Value::Null => quote_spanned!(span=> ""),
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
        let arguments: Option<Vec<&Expr>> = call
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Positional(expr) => Some(expr),
                _ => None,
            })
            .collect();
        let Some(arguments) = arguments else {
            return reason(format!("the named arguments of the filter '{}'", call.name.text));
        };
        match (call.name.text.as_str(), arguments.as_slice()) {
            ("upper", []) => {
                let value = self.value(value, scope)?;
                Ok(quote_spanned!(span=> #filters::Upper(#value)))
            }
            ("lower", []) => {
                let value = self.value(value, scope)?;
                Ok(quote_spanned!(span=> #filters::Lower(#value)))
            }
            ("trim", []) => {
                let value = self.value(value, scope)?;
                Ok(quote_spanned!(span=> #filters::Trim(#value)))
            }
            ("trusted", []) => {
                let trusting = Scope { from_user: true, ..scope.clone() };
                self.value(value, &trusting)
            }
            ("string", []) => self.value(value, scope),
            ("default" | "d", [fallback]) => {
                let fallback = self.value(fallback, scope)?;
                let value = match self.place(value, scope)? {
                    Some(place @ Place { fallback: None, .. }) => self.printable(&place, scope),
                    _ => {
                        let (some, value) = (self.some(), self.value(value, scope)?);
                        quote_spanned!(span=> #some(#value))
                    }
                };
                Ok(quote_spanned!(span=> #filters::OrElse(#value, #fallback)))
            }
            ("length" | "count", []) => {
                let Some(place @ Place { fallback: None, .. }) = self.place(value, scope)? else {
                    return reason("the length of what is computed");
                };
                let value = &place.value;
                let it = quote_spanned!(span=> it);
                let site = self.site(Ability::Print, &place).itself(&it);
                Ok(quote_spanned!(span=> #value.map_or(0, |it| {
                    let it = (&&&#facade::__private::place::Place(#site)).measurable();
                    #facade::Length::length(&it)
                })))
            }
            ("join", [] | [_]) => {
                let Some(place @ Place { fallback: None, .. }) = self.place(value, scope)? else {
                    return reason("the joining of what is computed");
                };
                let list = self.present(&place)?;
                let trust = self.trust(&place, scope);
                let list = quote_spanned!(span=> #list.map(|it| { #trust it }));
                let separator = match arguments.first() {
                    Some(separator) => self.value(separator, scope)?,
                    None => quote_spanned!(span=> ""),
                };
                Ok(quote_spanned!(span=> #filters::Join(#list, #separator)))
            }
            (name, _) => reason(format!("the filter '{name}'")),
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
