//! Generates expressions that print: `{{ name | upper }}` becomes `Upper(…)`, whose type implements
//! `Print`. Nothing is printed before the sink gets the complete value.

use proc_macro2::TokenStream;
use prompty_core::value::Value;
use prompty_core::value::internal::excerpt;
use prompty_template::tree::{BinaryOperator, Call, Expr, ExprKind, UnaryOperator};
use quote::quote_spanned;

use super::places::{Fallback, PlaceExpr, constant_value, is_loop, positional};
use super::{Compiler, Result, Scope, Tokens, unsupported};
use crate::expand::field_access;
use crate::expand::site::{RequiredTrait, Site, may_be_option};

impl Compiler<'_> {
    /// An expression whose type implements `Print`.
    pub(super) fn value(&self, expr: &Expr, scope: &Scope) -> Tokens {
        let expr = self.resolved(expr, scope);
        if let Some(place) = self.place(expr, scope)? {
            return self.printed(&place, scope);
        }
        if let Some(constant) = constant_value(expr) {
            return self.literal(&constant);
        }
        let (span, facade) = (self.span, self.facade);
        let filters = quote_spanned!(span=> #facade::__private::filters);
        let missing = self.literal(&Value::Null)?;
        if let Some(value) = self.common_value(expr, scope, Self::value, &missing)? {
            return Ok(value);
        }
        match &expr.kind {
            ExprKind::Function(call) if self.is_handlebars() => self.helper(call, scope),
            ExprKind::Filter { value, call } => self.filter(value, call, scope),
            ExprKind::Binary { operator: BinaryOperator::Concatenate, left, right } => {
                let (left, right) = (self.value(left, scope)?, self.value(right, scope)?);
                Ok(quote_spanned!(span=> #filters::Concatenated(#left, #right)))
            }
            ExprKind::Binary { operator, .. } => {
                unsupported(format!("the operator `{}`", operator.as_str()))
            }
            ExprKind::Unary { .. } => self.condition(expr, scope),
            ExprKind::Function(call) => unsupported(format!("the function `{}`", call.name.text)),
            ExprKind::Method { call, .. } => {
                unsupported(format!("the method `{}`", call.name.text))
            }
            ExprKind::List(_) | ExprKind::Tuple(_) | ExprKind::Map(_) => {
                unsupported("a list or map in the template")
            }
            ExprKind::Slice { .. } => unsupported("a slice"),
            _ => unsupported(format!("the expression `{}`", self.shown(expr))),
        }
    }

    /// The beginning of an expression as written, for reasons.
    pub(super) fn shown(&self, expr: &Expr) -> String {
        excerpt(self.slice(expr.span.start, expr.span.end))
    }

    /// The forms that printed and compared values have in common: counters, conditions and choices
    /// between two values. `make` generates a value, and `missing` is the value of a choice without
    /// an `else`.
    pub(super) fn common_value(
        &self,
        expr: &Expr,
        scope: &Scope,
        make: fn(&Self, &Expr, &Scope) -> Tokens,
        missing: &TokenStream,
    ) -> Result<Option<TokenStream>> {
        if let Some(counter) = self.counter_of_block(expr, scope)? {
            return Ok(Some(counter));
        }
        let value = match &expr.kind {
            ExprKind::Attribute { value, name } if is_loop(value) => {
                self.counter(&name.text, scope)?
            }
            // An attribute that is not a place is a length: `{{items.length}}`.
            ExprKind::Attribute { value, .. } if self.is_handlebars() => {
                self.length(value, scope)?
            }
            ExprKind::Conditional { condition, value, otherwise } => {
                let condition = self.condition(condition, scope)?;
                let value = self.branch(value, scope, make)?;
                let otherwise = match otherwise {
                    Some(otherwise) => self.branch(otherwise, scope, make)?,
                    None => missing.clone(),
                };
                self.either(&condition, &value, &otherwise)
            }
            // The result of `and` and `or` is one of the operands.
            ExprKind::Binary {
                operator: operator @ (BinaryOperator::And | BinaryOperator::Or),
                left,
                right,
            } => {
                let mut condition = self.condition(left, scope)?;
                if *operator == BinaryOperator::And {
                    condition = quote_spanned!(self.span=> !(#condition));
                }
                let left = self.branch(left, scope, make)?;
                self.either(&condition, &left, &self.branch(right, scope, make)?)
            }
            ExprKind::Binary { operator, .. } if operator.is_comparison() => {
                self.condition(expr, scope)?
            }
            ExprKind::Unary { operator: UnaryOperator::Not, .. }
            | ExprKind::Comparison { .. }
            | ExprKind::Test { .. } => self.condition(expr, scope)?,
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// One branch of a conditional expression, generated by `make`.
    fn branch(
        &self,
        expr: &Expr,
        scope: &Scope,
        make: fn(&Self, &Expr, &Scope) -> Tokens,
    ) -> Tokens {
        if self.computes_default(expr) {
            return unsupported(format!(
                "the conditional value `{}`, which has an input whose default is an expression",
                self.shown(expr)
            ));
        }
        make(self, expr, scope)
    }

    /// Generates a choice between `left` and `right` by a condition.
    fn either(
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

    /// A place that prints. If its value is missing, the default prints.
    fn printed(&self, place: &PlaceExpr, scope: &Scope) -> Tokens {
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
    fn printable(&self, place: &PlaceExpr, scope: &Scope) -> TokenStream {
        if place.is_scalar() {
            return place.value.clone();
        }
        self.map_place(place, &self.printable_it(place, scope))
    }

    /// Converts `it`, a reference to the value of a place, into a type that prints.
    fn printable_it(&self, place: &PlaceExpr, scope: &Scope) -> TokenStream {
        let (span, facade) = (self.span, self.facade);
        let site = self.site(RequiredTrait::Writable, place).reference(&quote_spanned!(span=> it));
        let (trust, need) = (self.trust(place, scope), self.certain_presence(place));
        quote_spanned!(span=> {
            #trust
            #need
            (&&&&&&#facade::__private::place::Place(#site)).printable()
        })
    }

    /// The statement that requires `it` to be trusted if it is printed into instructions.
    fn trust(&self, place: &PlaceExpr, scope: &Scope) -> TokenStream {
        // The type of a text prompt's text follows from those of its text prompts.
        if scope.from_user || (self.text_output.is_some() && place.is_text_prompt) {
            return TokenStream::new();
        }
        let required = match self.text_output {
            Some(_) => RequiredTrait::TrustedInText,
            None => RequiredTrait::Trusted,
        };
        self.site(required, place).require_trusted(&quote_spanned!(self.span=> it))
    }

    /// The statement that requires that `it` is not an `Option`, if nothing guards it.
    pub(super) fn certain_presence(&self, place: &PlaceExpr) -> TokenStream {
        let site = self.site(RequiredTrait::CertainPresence, place);
        let diagnostic = site.at.and_then(|at| self.unguarded.get(&at).copied());
        if diagnostic.is_none() || !may_be_option(self.prompt, &place.value_type) {
            return TokenStream::new();
        }
        let site = Site { uses_facade_trait: false, diagnostic, ..site };
        site.require_present(&quote_spanned!(self.span=> it))
    }

    /// A constant that prints.
    pub(super) fn literal(&self, literal: &Value) -> Tokens {
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
            _ => return unsupported("a list or map in the template"),
        })
    }

    /// A counter of the innermost loop.
    pub(super) fn counter(&self, name: &str, scope: &Scope) -> Tokens {
        let span = self.span;
        let Some(super::LoopCounters { index, length, .. }) = &scope.current_loop else {
            return unsupported("the use of `loop` as a value");
        };
        Ok(match name {
            "index" => quote_spanned!(span=> (#index + 1)),
            "index0" => quote_spanned!(span=> #index),
            "length" => quote_spanned!(span=> #length),
            "revindex" => quote_spanned!(span=> (#length - #index)),
            "revindex0" => quote_spanned!(span=> (#length - #index - 1)),
            "first" => quote_spanned!(span=> (#index == 0)),
            "last" => quote_spanned!(span=> (#index + 1 == #length)),
            other => return unsupported(format!("`loop.{other}`")),
        })
    }

    /// Generates the result of a filter.
    fn filter(&self, value: &Expr, call: &Call, scope: &Scope) -> Tokens {
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
            ("escape", []) => simple(quote_spanned!(span=> Escaped)),
            ("trusted", []) => {
                let trusting = Scope { from_user: true, ..scope.clone() };
                self.value(value, &trusting)
            }
            ("replace", [from, to]) => {
                let value = self.value(value, scope)?;
                let (from, to) = (self.value(from, scope)?, self.value(to, scope)?);
                Ok(quote_spanned!(span=> #filters::Replace(#value, #from, #to)))
            }
            ("tojson", []) => self.json(value, scope),
            ("default" | "d", [] | [_]) => {
                let value = self.default_operand(value, scope)?;
                let fallback = self.value_or_empty(arguments.first().copied(), scope)?;
                Ok(quote_spanned!(span=> #filters::OrElse(#value, #fallback)))
            }
            ("length" | "count", []) => self.length(value, scope),
            ("join", [] | [_]) => self.joined(value, arguments.first().copied(), scope),
            (name, _) => unsupported(format!("the filter `{name}`")),
        }
    }

    /// The value of an argument; the empty string if it is absent.
    fn value_or_empty(&self, argument: Option<&Expr>, scope: &Scope) -> Tokens {
        match argument {
            Some(argument) => self.value(argument, scope),
            None => Ok(quote_spanned!(self.span=> "")),
        }
    }

    /// Generates `value | tojson`.
    fn json(&self, operand: &Expr, scope: &Scope) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        let Some(place @ PlaceExpr { fallback: None, .. }) = self.place(operand, scope)? else {
            let reason = "the filter `tojson` of the result of an expression";
            return self.unsupported_value(operand, scope, reason);
        };
        let value = &place.value;
        let site = self.site(RequiredTrait::ToValue, &place).value(&quote_spanned!(span=> it));
        Ok(quote_spanned!(span=> #facade::__private::filters::Json(
            #value.map_or(#facade::Value::Null, |it| #site)
        )))
    }

    /// Generates `value | join(separator)`.
    fn joined(&self, value: &Expr, separator: Option<&Expr>, scope: &Scope) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        let filters = quote_spanned!(span=> #facade::__private::filters);
        let Some(place @ PlaceExpr { fallback: None, .. }) = self.place(value, scope)? else {
            let reason = "the filter `join` of the result of an expression";
            return self.unsupported_value(value, scope, reason);
        };
        let list = self.flattened(&place)?;
        let separator = self.value_or_empty(separator, scope)?;
        let it = self.printable_it(&place.item_place(), scope);
        if !field_access::may_have_entries(&place.value_type) {
            return Ok(quote_spanned!(span=> #filters::join(#list, #separator, |it| #it)));
        }
        // Only rustc knows whether it is a list or data that contains one.
        Ok(quote_spanned!(span=> #filters::Text(#list.map(|it| {
            use #filters::{JoinedData as _, JoinedList as _};
            (&&&&&#facade::__private::place::Place(it)).looped().joined(#separator, |it| #it)
        }))))
    }

    /// Returns an error for a value that only the engine can compute. If an operand is not
    /// supported either, the error names the operand, which is more specific than `because`.
    pub(super) fn unsupported_value<T>(
        &self,
        value: &Expr,
        scope: &Scope,
        because: &str,
    ) -> Result<T> {
        self.value(value, scope)?;
        unsupported(because)
    }

    /// The operand of `default`: an expression of type `Option<impl Print>`.
    fn default_operand(&self, value: &Expr, scope: &Scope) -> Tokens {
        if let Some(place @ PlaceExpr { fallback: None, .. }) = self.place(value, scope)? {
            return Ok(self.printable(&place, scope));
        }
        let (some, value) = (self.some(), self.value(value, scope)?);
        Ok(quote_spanned!(self.span=> #some(#value)))
    }

    /// Generates the number of items or characters.
    pub(super) fn length(&self, operand: &Expr, scope: &Scope) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        let operand = self.resolved(operand, scope);
        match self.place(operand, scope)? {
            Some(place @ PlaceExpr { fallback: None, .. }) => {
                let value = &place.value;
                let site =
                    self.site(RequiredTrait::Length, &place).reference(&quote_spanned!(span=> it));
                Ok(quote_spanned!(span=> #value.map_or(0, |it| {
                    let it = (&&&&&&#facade::__private::place::Place(#site)).measurable();
                    #facade::Length::length(&it)
                })))
            }
            None if is_text(operand) => {
                let value = self.value(operand, scope)?;
                Ok(quote_spanned!(span=> #facade::Length::length(&#facade::Print::text(&#value))))
            }
            _ => {
                self.unsupported_value(operand, scope, "the length of the result of an expression")
            }
        }
    }
}

/// Whether an expression always computes a string.
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
