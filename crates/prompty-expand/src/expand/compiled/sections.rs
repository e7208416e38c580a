//! Generates code for what Mustache and the basic language have and Jinja has not: sections, the names in
//! them, and values that print in another way.
//!
//! A section looks at the value at run time: it is a condition, a loop, or a scope. Code is written where the
//! type says which of these it is, and where it is sure in which section a name is found.

use proc_macro2::TokenStream;
use prompty_check::definition::{Presence, ValueType};
use prompty_core::diagnostic::TemplateSpan;
use prompty_template::tree::{Expr, Section};
use quote::quote_spanned;

use super::loops::{Items, LoopParts};
use super::nodes::Sink;
use super::places::Place;
use super::{CompiledLanguage, Compiler, Result, Scope, Tokens, reason};

impl Compiler<'_> {
    /// Generates the statement of a section.
    pub(super) fn section(&self, section: &Section, scope: &Scope, sink: Sink) -> Tokens {
        let (span, subject) = (self.span, &section.subject);
        let mut inner = Scope { depth: scope.depth + 1, is_branch: true, ..scope.clone() };
        if let Some(presence) = self.rich_presence(subject, scope) {
            let body = self.body(&section.body, &inner, sink)?;
            let not = section.inverted.then(|| quote_spanned!(span=> !));
            return Ok(quote_spanned!(span=> if #not (#presence) { #body }));
        }
        let Some(place) = self.place(subject, scope)? else {
            return reason("a section over what is computed");
        };
        let kind = kind(&place.value_type);
        if section.inverted {
            if kind.is_none() && place.option.is_none() {
                return reason("a section over a value whose type only rustc knows");
            }
            let holds = self.truth(&place)?;
            let body = self.body(&section.body, &inner, sink)?;
            return Ok(quote_spanned!(span=> if !(#holds) { #body }));
        }
        match kind {
            None => reason("a section over a value whose type only rustc knows"),
            Some(Kind::Once) => {
                let holds = self.truth(&place)?;
                inner.contexts.push(place);
                let body = self.body(&section.body, &inner, sink)?;
                Ok(quote_spanned!(span=> if #holds { #body }))
            }
            Some(Kind::Each(item)) => self.each(place, item, &inner, section, sink),
        }
    }

    /// Generates the loop of a section over a list.
    fn each(
        &self,
        list: Place,
        item_type: ValueType,
        scope: &Scope,
        section: &Section,
        sink: Sink,
    ) -> Tokens {
        let (span, some) = (self.span, self.some());
        let item = self.ident("item", scope.depth);
        let at = section.subject.span;
        let mut context = Place::new(quote_spanned!(span=> #some(#item)), item_type, at);
        context.reference = Some(quote_spanned!(span=> #item));
        let mut inner = scope.clone();
        inner.contexts.push(context);
        let body = self.body(&section.body, &inner, sink)?;
        let items = Items::List(self.present(&list)?, Box::new(list));
        let looped = LoopParts { before: TokenStream::new(), items, bound: Vec::new() };
        let turns = self.iterate(&looped, &item, &body);
        Ok(quote_spanned!(span=> { #turns }))
    }

    /// The item or value of the section around.
    pub(super) fn item_of_section(&self, at: TemplateSpan, scope: &Scope) -> Result<Place> {
        match scope.contexts.last() {
            Some(context) => Ok(Place { at, ..context.clone() }),
            None => reason("the name '.' outside of a section"),
        }
    }

    /// The value of the section in which a name is found; `None` where it is an input.
    pub(super) fn context_with<'s>(
        &self,
        name: &str,
        scope: &'s Scope,
    ) -> Result<Option<&'s Place>> {
        let unsure = || reason(format!("the name '{name}', which several sections may have"));
        let mut found = None;
        for context in scope.contexts.iter().rev() {
            match (has(&context.value_type, name), found) {
                (Has::Never, _) => {}
                (Has::Always, None) => return Ok(Some(context)),
                (Has::Perhaps, None) => found = Some(context),
                (Has::Always | Has::Perhaps, Some(_)) => return unsure(),
            }
        }
        if found.is_some() && self.input(name).is_some() {
            return unsure();
        }
        Ok(found)
    }

    /// Whether a name is not bound around, so that it is the name of an input.
    pub(super) fn is_of_input(&self, name: &str, scope: &Scope) -> bool {
        scope.variable(name).is_none() && matches!(self.context_with(name, scope), Ok(None))
    }

    /// Refuses values that the language prints in another way than all others do.
    pub(super) fn require_plain_print(&self, value: &Expr, scope: &Scope) -> Result<()> {
        if self.language != CompiledLanguage::SemanticKernel {
            return Ok(());
        }
        let is_plain = match self.place(value, scope)? {
            Some(place) => prints_alike(&place.value_type),
            None => true,
        };
        if is_plain { Ok(()) } else { reason("a value that the language prints as .NET does") }
    }
}

/// What a section does with a value.
enum Kind {
    /// Its body is written once, if the value is true.
    Once,
    /// Its body is written for each item of this type.
    Each(ValueType),
}

/// What a section does with a value of a type; `None` where that is not known.
fn kind(value_type: &ValueType) -> Option<Kind> {
    match value_type {
        ValueType::Optional(inner) => kind(inner),
        once if once.is_scalar() || once.fields().is_some() => Some(Kind::Once),
        other => other.item().cloned().map(Kind::Each),
    }
}

/// Whether a value has an attribute.
#[derive(Clone, Copy)]
enum Has {
    Never,
    Perhaps,
    Always,
}

fn has(value_type: &ValueType, name: &str) -> Has {
    match value_type {
        ValueType::Array(_) => Has::Never,
        scalar if scalar.is_scalar() => Has::Never,
        ValueType::Object(fields) if !fields.is_empty() => {
            match fields.iter().find(|field| field.name == name) {
                None => Has::Never,
                Some(field) if field.presence() == Presence::Required => Has::Always,
                Some(_) => Has::Perhaps,
            }
        }
        ValueType::Optional(inner) => match has(inner, name) {
            Has::Never => Has::Never,
            _ => Has::Perhaps,
        },
        _ => Has::Perhaps,
    }
}

/// Whether a value prints in the basic language as in all others.
fn prints_alike(value_type: &ValueType) -> bool {
    match value_type {
        ValueType::Optional(inner) => prints_alike(inner),
        ValueType::Boolean => false,
        other => other.is_scalar(),
    }
}
