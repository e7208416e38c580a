//! Generates code for constructs that Mustache and the basic language have and Jinja does not:
//! sections, names in sections, and values that print differently.
//!
//! In `{{#order}}{{id}}{{/order}}`, the name `id` may belong to the order or be an input. The value
//! of a section decides at run time whether it is a condition, a loop, or a scope. Code is
//! generated if the type determines which of these it is, and if it is certain to which section
//! a name belongs. All other sections are left to the engine, such as those over a value whose type
//! only rustc knows: the fields of that value, and not the template, decide what names in it mean.

use prompty_check::definition::{Presence, ValueType};
use prompty_core::diagnostic::TemplateSpan;
use prompty_template::tree::{Expr, Section};
use quote::quote_spanned;

use super::nodes::Sink;
use super::places::PlaceExpr;
use super::{CompiledLanguage, Compiler, Result, Scope, Tokens, branch_scope, unsupported};

impl Compiler<'_> {
    /// Generates the statement of a section.
    pub(super) fn section(&self, section: &Section, scope: &Scope, sink: Sink) -> Tokens {
        let (span, subject) = (self.span, &section.subject);
        let mut inner = branch_scope(scope);
        if let Some(presence) = self.rich_presence(subject, scope) {
            let body = self.body(&section.body, &inner, sink)?;
            let not = section.inverted.then(|| quote_spanned!(span=> !));
            return Ok(quote_spanned!(span=> if #not (#presence) { #body }));
        }
        let Some(place) = self.place(subject, scope)? else {
            return unsupported("a section over the result of an expression");
        };
        let kind = section_kind(&place.value_type);
        if section.inverted {
            if kind.is_none() && place.option.is_none() {
                return unsupported("a section over a value of unknown type");
            }
            let holds = self.truth(&place)?;
            let body = self.body(&section.body, &inner, sink)?;
            return Ok(quote_spanned!(span=> if !(#holds) { #body }));
        }
        match kind {
            None => unsupported("a section over a value of unknown type"),
            Some(SectionKind::Once) => {
                let holds = self.truth(&place)?;
                inner.contexts.push(place);
                let body = self.body(&section.body, &inner, sink)?;
                Ok(quote_spanned!(span=> if #holds { #body }))
            }
            Some(SectionKind::Each(item_type)) => {
                let item = self.ident("item", inner.depth);
                inner.contexts.push(self.item_of_list(&item, item_type, subject.span));
                let body = self.body(&section.body, &inner, sink)?;
                let turns = self.iterate(&self.list_loop(place)?, &item, &body);
                Ok(quote_spanned!(span=> { #turns }))
            }
        }
    }

    /// The item or value of the enclosing section.
    pub(super) fn item_of_section(&self, at: TemplateSpan, scope: &Scope) -> Result<PlaceExpr> {
        match scope.contexts.last() {
            Some(context) => Ok(PlaceExpr { at, ..context.clone() }),
            None => unsupported("the name `.` outside of a section"),
        }
    }

    /// The value of the section to which a name belongs; `None` if the name is an input. A name
    /// belongs to the innermost section whose value has it. It is not supported if a value only
    /// perhaps has the name, and a section outside or an input may have it too.
    pub(super) fn context_with<'s>(
        &self,
        name: &str,
        scope: &'s Scope,
    ) -> Result<Option<&'s PlaceExpr>> {
        let ambiguous =
            || unsupported(format!("the name `{name}`, which several sections may have"));
        let mut found = None;
        for context in scope.contexts.iter().rev() {
            match (attribute_presence(&context.value_type, name), found) {
                (AttributePresence::Never, _) => {}
                (AttributePresence::Always, None) => return Ok(Some(context)),
                (AttributePresence::Perhaps, None) => found = Some(context),
                (AttributePresence::Always | AttributePresence::Perhaps, Some(_)) => {
                    return ambiguous();
                }
            }
        }
        if found.is_some() && self.input(name).is_some() {
            return ambiguous();
        }
        Ok(found)
    }

    /// Whether a name is not bound by the template, so that it is the name of an input.
    pub(super) fn is_of_input(&self, name: &str, scope: &Scope) -> bool {
        scope.variable(name).is_none() && matches!(self.context_with(name, scope), Ok(None))
    }

    /// Returns an error for values that the basic language prints in a different form than other
    /// languages.
    pub(super) fn require_plain_print(&self, value: &Expr, scope: &Scope) -> Result<()> {
        if self.language != CompiledLanguage::SemanticKernel {
            return Ok(());
        }
        match self.place(value, scope)? {
            Some(place) if !prints_alike(&place.value_type) => unsupported(
                "a value that Semantic Kernel prints as .NET does, such as a boolean or a float",
            ),
            _ => Ok(()),
        }
    }
}

/// The effect of a section, by its value.
enum SectionKind {
    /// Its body is written once, if the value is true.
    Once,
    /// Its body is written for each item of this type.
    Each(ValueType),
}

/// The effect of a section whose value has a type; `None` if it is not known.
fn section_kind(value_type: &ValueType) -> Option<SectionKind> {
    match value_type {
        ValueType::Optional(inner) => section_kind(inner),
        once if once.is_scalar() || once.fields().is_some() => Some(SectionKind::Once),
        other => other.item().cloned().map(SectionKind::Each),
    }
}

/// Whether a value has an attribute.
#[derive(Clone, Copy)]
enum AttributePresence {
    Never,
    Perhaps,
    Always,
}

fn attribute_presence(value_type: &ValueType, name: &str) -> AttributePresence {
    match value_type {
        ValueType::Array(_) => AttributePresence::Never,
        scalar if scalar.is_scalar() => AttributePresence::Never,
        ValueType::Object(fields) if !fields.is_empty() => {
            match fields.iter().find(|field| field.name == name) {
                None => AttributePresence::Never,
                Some(field) if field.presence() == Presence::Required => AttributePresence::Always,
                Some(_) => AttributePresence::Perhaps,
            }
        }
        ValueType::Optional(inner) => match attribute_presence(inner, name) {
            AttributePresence::Never => AttributePresence::Never,
            _ => AttributePresence::Perhaps,
        },
        _ => AttributePresence::Perhaps,
    }
}

/// Whether a value prints in the same form in the basic language and in all others.
fn prints_alike(value_type: &ValueType) -> bool {
    match value_type {
        ValueType::Optional(inner) => prints_alike(inner),
        ValueType::Boolean => false,
        other => other.is_scalar(),
    }
}
