//! Resolves names and runs sections of Mustache.

use super::path::NamePath;
use super::program::Step;
use super::template::{Body, BodyKind, Run};
use crate::engine::{RenderFailure, RichInput, Undefined};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_core::work::add_steps;

/// The cost of looking a name up in one place, in addition to its characters.
const LOOKUP_BYTES: usize = 4;

/// The result of a name lookup.
#[derive(Clone, Copy)]
pub(super) enum ResolvedName<'a> {
    Value(&'a Value),
    Rich(&'a RichInput),
    /// The name is unknown. This many leading parts of it exist.
    Missing(usize),
}

/// The value that a tag prints, or text that is never escaped.
#[derive(Clone, Copy)]
enum TagOutput<'a> {
    Value(&'a Value),
    Text(&'a str),
}

impl<'a> Run<'a> {
    pub(super) fn write_escaped_name(&mut self, path: &NamePath) -> Result<(), RenderFailure> {
        match self.tag_output(path)? {
            TagOutput::Value(value) => {
                let print = self.template.print;
                print(value, &mut self.output.escaping()).map_err(|_| self.too_long())
            }
            TagOutput::Text(text) => self.write(text),
        }
    }

    pub(super) fn write_raw_name(&mut self, path: &NamePath) -> Result<(), RenderFailure> {
        match self.tag_output(path)? {
            TagOutput::Value(value) => self.write_value(value),
            TagOutput::Text(text) => self.write(text),
        }
    }

    pub(super) fn write_name_in_attribute(&mut self, path: &NamePath) -> Result<(), RenderFailure> {
        if let ResolvedName::Rich(rich) = self.find_name(path)? {
            return Err(rich.attribute_error(path.span));
        }
        match self.tag_output(path)? {
            TagOutput::Value(value) => self.write_attribute_value(value),
            TagOutput::Text(placeholder) => self.write_attribute(placeholder),
        }
    }

    /// The value that a tag prints.
    fn tag_output(&mut self, path: &NamePath) -> Result<TagOutput<'a>, RenderFailure> {
        match self.find_name(path)? {
            ResolvedName::Value(value) => Ok(TagOutput::Value(value)),
            ResolvedName::Rich(rich) => Ok(TagOutput::Text(&rich.placeholder)),
            ResolvedName::Missing(known) => match self.template.undefined {
                Undefined::Empty => Ok(TagOutput::Text("")),
                Undefined::Error => Err(undefined_name_error(path, known)),
            },
        }
    }

    /// Runs the body of `{{#name}}` for each item of a list, or once for another value that is
    /// true.
    pub(super) fn run_section(
        &mut self,
        subject: &NamePath,
        body: &'a [Step],
    ) -> Result<(), RenderFailure> {
        match self.find_name(subject)? {
            ResolvedName::Missing(known) => self.allow_missing(subject, known),
            ResolvedName::Rich(rich) if rich.present => {
                self.enter(body);
                Ok(())
            }
            ResolvedName::Rich(_) => Ok(()),
            ResolvedName::Value(Value::Array(items)) if items.is_empty() => Ok(()),
            ResolvedName::Value(Value::Array(items)) => {
                self.check_depth("sections", subject.span)?;
                self.start_next_item(items.iter(), body)
            }
            ResolvedName::Value(value) if value.is_true() => {
                self.check_depth("sections", subject.span)?;
                self.context.push(value);
                self.bodies.push(Body { steps: body.iter(), kind: BodyKind::Within });
                Ok(())
            }
            ResolvedName::Value(_) => Ok(()),
        }
    }

    /// Runs the body of `{{^name}}` if the value is false or missing.
    pub(super) fn run_inverted(
        &mut self,
        subject: &NamePath,
        body: &'a [Step],
    ) -> Result<(), RenderFailure> {
        let is_true = match self.find_name(subject)? {
            ResolvedName::Missing(known) => {
                self.allow_missing(subject, known)?;
                false
            }
            ResolvedName::Rich(rich) => rich.present,
            ResolvedName::Value(value) => value.is_true(),
        };
        if !is_true {
            self.enter(body);
        }
        Ok(())
    }

    /// In strict mode, rejects a section over an input that was not given. Inside a section over a
    /// map, the name may be an entry that the map lacks, which is allowed.
    fn allow_missing(&self, subject: &NamePath, known: usize) -> Result<(), RenderFailure> {
        let is_in_map = self.context.iter().any(|value| value.as_object().is_some());
        match self.template.undefined {
            Undefined::Error if known == 0 && !is_in_map => {
                Err(undefined_name_error(subject, known))
            }
            _ => Ok(()),
        }
    }

    /// Looks a name up. Charges for deep sections and long names.
    pub(super) fn find_name(&mut self, path: &NamePath) -> Result<ResolvedName<'a>, RenderFailure> {
        let characters: usize = path.parts.iter().map(|part| part.len()).sum();
        let lookups = self.context.len().saturating_add(path.parts.len());
        let read = characters.saturating_add(LOOKUP_BYTES).saturating_mul(lookups);
        self.budget.charge_read(read)?;
        add_steps(read);
        Ok(self.resolve_name(path))
    }

    /// Looks the first part up in all enclosing sections, and each other part in the value found.
    fn resolve_name(&self, path: &NamePath) -> ResolvedName<'a> {
        let Some((first, others)) = path.parts.split_first() else {
            return self
                .context
                .last()
                .map_or(ResolvedName::Missing(0), |item| ResolvedName::Value(item));
        };
        let mut value = match self.resolve_first_part(first) {
            ResolvedName::Value(value) => value,
            ResolvedName::Rich(_) if !others.is_empty() => return ResolvedName::Missing(1),
            other => return other,
        };
        for (index, part) in others.iter().enumerate() {
            match attribute_or_item(value, part) {
                Some(inner) => value = inner,
                None => return ResolvedName::Missing(index + 1),
            }
        }
        ResolvedName::Value(value)
    }

    /// Looks a name up in the enclosing sections, the innermost first, and then in the inputs.
    fn resolve_first_part(&self, name: &str) -> ResolvedName<'a> {
        if let Some(value) = self.context.iter().rev().find_map(|value| value.get(name)) {
            return ResolvedName::Value(value);
        }
        if let Some(rich) = self.scope.rich.iter().find(|rich| rich.name == name) {
            return ResolvedName::Rich(rich);
        }
        self.scope.inputs.get(name).map_or(ResolvedName::Missing(0), ResolvedName::Value)
    }
}

fn attribute_or_item<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    match value {
        Value::Object(map) => map.get(part),
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    }
}

/// The error for a name without a value. `known` leading parts of it exist: for `a.b.c` and 2,
/// `a.b` does not have `c`.
pub(super) fn undefined_name_error(path: &NamePath, known: usize) -> RenderFailure {
    let name = path.to_source();
    let (message, help) = match (path.parts.get(known), path.parts.get(..known)) {
        (Some(part), Some(found)) if known > 0 => (
            format!("`{name}` is undefined: `{}` does not have `{part}`", found.join(".")),
            format!("give it a value, or print it only if it has one: `{{{{#{name}}}}}…`"),
        ),
        _ if path.parts.is_empty() => (
            "`.` is undefined outside of a section".to_owned(),
            "put it into a section, as in `{{#items}}{{.}}{{/items}}`".to_owned(),
        ),
        _ => (
            format!("`{name}` is undefined"),
            format!("give `{name}` a value, or declare it as an input with a default"),
        ),
    };
    let error = Error::new(ErrorKind::Undefined, message).with_help(help);
    RenderFailure::new(error, Some(path.span))
}
