//! Mustache sections. A section pushes its value onto a stack, in which names are looked up.
//!
//! In `{{#docs}}{{title}}{{/docs}}`, `title` is an attribute of the item of `docs` if that may have
//! one. Otherwise it is looked up in the enclosing sections, and then among the inputs.

use super::checker::Checker;
use super::types::{Absence, Type, Value};
use super::uses::Sources;
use prompty_core::diagnostic::{Code, TemplateSpan};
use prompty_template::tree::{Expr, ExprKind, Name, RecursivePartial, Section};

/// The values of the open sections that may have a name.
#[derive(Default)]
struct SectionsWithName {
    /// The innermost value that always has the name.
    certain: Option<Value>,
    /// The values inside of it that may have the name.
    possible: Vec<Value>,
    /// The names of all fields that were searched.
    fields: Vec<String>,
}

impl Checker<'_> {
    /// Checks a section. It is written for each item of a list, or once for a true value. An
    /// inverted section is written for a false value or an empty list.
    pub(super) fn section(&mut self, section: &Section) {
        let is_outermost = self.contexts.is_empty();
        if is_outermost {
            // The bottom of the stack represents the inputs.
            self.contexts.push(Value::any());
        }
        let subject = self.expr(&section.subject);
        match subject.kind {
            // Whether it is a condition, a loop or a scope is known only at run time.
            Type::Any => self.uses.mark_read(&subject.sources),
            _ => self.uses.mark_tested(&subject.sources),
        }
        self.reject_rich(&subject, section.subject.span, "a section");
        if section.inverted {
            let entered = self.guards.enter(&subject.when_false);
            self.nodes(&section.body);
            self.guards.leave(&entered);
        } else {
            let entered = self.guards.enter(&self.when_true(&subject));
            let context = self.section_context(&subject);
            self.contexts.push(context);
            self.nodes(&section.body);
            self.contexts.pop();
            self.guards.leave(&entered);
        }
        if is_outermost {
            self.contexts.pop();
        }
    }

    /// Checks a partial that includes itself, at its outermost use.
    pub(super) fn partial(&mut self, partial: &RecursivePartial) {
        self.partials.push((partial.number, self.contexts.len()));
        self.nodes(&partial.body);
        self.partials.pop();
    }

    /// Checks the use of a partial inside itself. The meaning of its names depends on the data, so
    /// all values of the enclosing sections inside the partial count as fully read.
    pub(super) fn recursion(&mut self, number: usize, span: TemplateSpan) {
        let partial = self.partials.iter().rev().find(|(open, _)| *open == number);
        let Some((_, sections_outside)) = partial else { return };
        let inside = self.contexts.iter().skip(*sections_outside);
        let inside: Vec<Sources> = inside.map(|value| value.sources.clone()).collect();
        self.uses.here = Some(span.in_source(self.body));
        inside.iter().for_each(|sources| self.uses.mark_read(sources));
    }

    /// The value that names in a section are looked up in first.
    fn section_context(&mut self, subject: &Value) -> Value {
        let mut context = match &subject.kind {
            Type::List(item) | Type::Tuple(item) => self.item_of(subject, item),
            // `section` has marked it as fully read, so it needs no sources.
            Type::Any => Value { place: subject.place, ..Value::any() },
            _ => subject.clone(),
        };
        context.absence = Absence::Never;
        if context.place.is_none() {
            context.place = Some(self.guards.fresh());
        }
        context.without_facts()
    }

    /// The value of `.`, which is unknown outside of sections.
    pub(super) fn implicit(&mut self) -> Value {
        match self.contexts.last() {
            Some(value) if self.contexts.len() > 1 => value.clone(),
            _ => Value::any(),
        }
    }

    /// The value of a name in a section. If more than one enclosing value may have the name, it is
    /// looked up at run time, so all of them count as fully read.
    pub(super) fn context_variable(&mut self, name: &str, span: TemplateSpan) -> Value {
        let SectionsWithName { certain, possible, fields } = self.sections_with_name(name);
        let owner = Expr::new(ExprKind::Implicit, span);
        let name_here = Name::new(name, span);
        // The value if none of `possible` has the name.
        let last = match certain {
            Some(context) => Some(self.attribute_of(&context, &owner, &name_here)),
            None if self.is_input(name) || possible.is_empty() => self.use_input(name, span),
            None => None,
        };
        match (possible.as_slice(), last) {
            ([], Some(value)) => value,
            ([], None) => {
                self.report_unknown_in_section(name, span, &fields);
                Value::any()
            }
            ([only], None) => self.attribute_of(only, &owner, &name_here),
            (several, last) => {
                several.iter().for_each(|context| self.uses.mark_read(&context.sources));
                let sources = last.map(|value| value.sources).unwrap_or_default();
                Value { sources, ..Value::any() }
            }
        }
    }

    /// Finds the open sections in which a name is looked up, up to the first that always has it.
    fn sections_with_name(&self, name: &str) -> SectionsWithName {
        let mut found = SectionsWithName::default();
        // From the innermost section outwards. The first of the stack represents the inputs.
        for context in self.contexts.iter().skip(1).rev() {
            let (is_certain, may_have) = match &context.kind {
                Type::Object(object) => {
                    found.fields.extend(object.names.iter().cloned());
                    let field = object.fields.get(name);
                    let is_optional = matches!(field, Some(Type::Optional(_)));
                    (field.is_some() && !is_optional, field.is_some() || object.open)
                }
                Type::Any => (false, true),
                _ => (false, false),
            };
            if is_certain {
                found.certain = Some(context.clone());
                break;
            }
            if may_have {
                found.possible.push(context.clone());
            }
        }
        found
    }

    fn report_unknown_in_section(&mut self, name: &str, span: TemplateSpan, fields: &[String]) {
        let known: Vec<&str> = fields.iter().map(String::as_str).collect();
        let Some(similar) = self.similar(name, &known) else {
            self.report_unknown_variable(name, span);
            return;
        };
        let message = format!("unknown attribute `{name}`");
        let label = "neither an attribute of the section nor an input";
        let help = format!("an attribute with a similar name exists: `{similar}`");
        self.report_with_help(Code::UnknownAttribute, message, label, [help], span);
    }
}
