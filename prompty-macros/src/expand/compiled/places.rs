//! Names, attributes and items as Rust expressions.

use proc_macro2::{Ident, TokenStream};
use prompty_runtime::check::{Presence, Shape};
use prompty_runtime::diagnostic::Span;
use prompty_runtime::template::ast::{Expr, ExprKind, Name};
use prompty_runtime::value::Value;
use quote::{quote, quote_spanned};

use super::{Compiler, Result, Scope, reason};
use crate::expand::{project, structs};
use crate::model::Kind;

/// A value that is read where it lies.
pub(super) struct Place {
    /// An expression of type `Option<&T>`: `None` is what is not given.
    pub(super) value: TokenStream,
    /// A reference to the `Option` that it is, if it is an input of that type.
    pub(super) optional: Option<TokenStream>,
    pub(super) shape: Shape,
    /// Where it stands in the template.
    pub(super) at: Span,
    /// What takes its place where it is not given.
    pub(super) fallback: Option<Fallback>,
}

/// What an input is that is not given.
pub(super) enum Fallback {
    /// The default of the front matter.
    Literal(Value),
    /// The expression of `#[prompt(default = …)]`.
    Expression(TokenStream),
}

impl Compiler<'_> {
    /// An expression that names a value where it lies; `None` for all that computes one.
    pub(super) fn place(&self, expr: &Expr, scope: &Scope) -> Result<Option<Place>> {
        match &expr.kind {
            ExprKind::Variable(name) => self.variable(name, expr.span, scope).map(Some),
            ExprKind::Attribute { value, name } if !is_loop(value) => {
                let Some(base) = self.place(value, scope)? else { return Ok(None) };
                self.attribute(&base, name, expr.span).map(Some)
            }
            ExprKind::Index { value, index } => {
                let Some(base) = self.place(value, scope)? else { return Ok(None) };
                self.item(&base, index, expr.span).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn variable(&self, name: &str, at: Span, scope: &Scope) -> Result<Place> {
        let span = self.span;
        let some = self.some();
        if let Some(variable) = scope.variable(name) {
            let ident = &variable.ident;
            let value = quote_spanned!(span=> #some(#ident));
            let shape = variable.shape.clone();
            return Ok(Place { value, optional: None, shape, at, fallback: None });
        }
        if name == "loop" {
            return reason("the use of 'loop' as a value");
        }
        let Some(input) = self.input(name) else {
            return reason(format!("the variable '{name}'"));
        };
        if input.kind != Kind::Value(input.kind.name()) {
            return reason(format!("the use of '{name}' in an expression"));
        }
        let field = self.at(&input.field);
        let value = if input.presence == Presence::Required {
            quote_spanned!(span=> #some(&prompt.#field))
        } else {
            quote_spanned!(span=> prompt.#field.as_ref())
        };
        let declared = self.checked.definition.inputs.iter().find(|it| it.name == name);
        let fallback = match (&input.default, declared.and_then(|it| it.default.as_ref())) {
            (Some(expression), _) => Some(Fallback::Expression(quote!(#expression))),
            (None, Some(default)) if input.presence != Presence::Required && !default.is_null() => {
                if matches!(default, Value::Array(_) | Value::Object(_)) {
                    return reason(format!("the default of '{name}', which is no text or number"));
                }
                Some(Fallback::Literal(default.clone()))
            }
            _ => None,
        };
        let optional =
            (input.presence != Presence::Required).then(|| quote_spanned!(span=> &prompt.#field));
        Ok(Place { value, optional, shape: input.shape.clone(), at, fallback })
    }

    fn attribute(&self, base: &Place, name: &Name, at: Span) -> Result<Place> {
        let (span, present) = (self.span, self.present(base)?);
        let (field, shape) = match &base.shape {
            Shape::Object { fields, open: false } => {
                let field = fields.iter().find(|field| field.name == name.text);
                let shape = field.map_or(Shape::Any, |field| field.shape.clone());
                (structs::field_ident(&name.text, span), shape)
            }
            Shape::Object { .. } | Shape::Any => {
                return reason(format!("the entry '{}' of a map", name.text));
            }
            _ => (project::field(&name.text, span), Shape::Foreign(String::new())),
        };
        let it = Ident::new("it", span);
        let named = name.span.shifted(self.checked.definition.body.start);
        let read = project::read(self.source, &it, &field, Some(named));
        let value = quote_spanned!(span=> #present.map(|#it| #read));
        Ok(Place { value, optional: None, shape, at, fallback: None })
    }

    fn item(&self, base: &Place, index: &Expr, at: Span) -> Result<Place> {
        let ExprKind::Literal(Value::Integer(number)) = &index.kind else {
            return reason("an index that is no number");
        };
        let Ok(number) = usize::try_from(*number) else { return reason("a negative index") };
        let (span, facade, present) = (self.span, self.facade, self.present(base)?);
        let Shape::List(item) = &base.shape else { return reason("an index into no list") };
        let value = quote_spanned!(span=>
            #present.and_then(|it| #facade::Each::each(it).nth(#number))
        );
        Ok(Place { value, optional: None, shape: (**item).clone(), at, fallback: None })
    }

    /// An expression of type `Option<&T>` that is `None` also where the value is an empty `Option`.
    pub(super) fn present(&self, place: &Place) -> Result<TokenStream> {
        if place.fallback.is_some() {
            return reason("a part of an input that has a default");
        }
        let (span, facade, value) = (self.span, self.facade, &place.value);
        Ok(quote_spanned!(span=> #value.and_then(|it| #facade::__private::place::Place(it).get())))
    }

    pub(super) fn some(&self) -> TokenStream {
        let (span, facade) = (self.span, self.facade);
        quote_spanned!(span=> #facade::__private::Option::Some)
    }
}

/// Whether an expression is the `loop` of a loop.
pub(super) fn is_loop(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Variable(name) if name == "loop")
}
