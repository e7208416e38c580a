//! Names and sections of Mustache while a template renders.

use super::engine::{Body, Run, Turns};
use super::path::Path;
use super::program::Step;
use crate::engine::{RenderFailure, RichInput, Undefined};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_core::work::add_steps;

/// What looking a name up in one place costs, beside its letters.
const PLACE: usize = 4;

/// What a name stands for.
#[derive(Clone, Copy)]
pub(super) enum Found<'a> {
    Value(&'a Value),
    Rich(&'a RichInput),
    /// Nothing; so many parts of the name stand for something.
    Missing(usize),
}

/// What a tag prints: a value, or a text that is never escaped.
#[derive(Clone, Copy)]
enum Printed<'a> {
    Value(&'a Value),
    Text(&'a str),
}

impl<'a> Run<'a> {
    pub(super) fn escaped(&mut self, path: &Path) -> Result<(), RenderFailure> {
        match self.printed(path)? {
            Printed::Value(value) => {
                let print = self.template.print;
                print(value, &mut self.output.escaping()).map_err(|_| self.too_long())
            }
            Printed::Text(text) => self.write(text),
        }
    }

    pub(super) fn raw(&mut self, path: &Path) -> Result<(), RenderFailure> {
        match self.printed(path)? {
            Printed::Value(value) => self.write_value(value),
            Printed::Text(text) => self.write(text),
        }
    }

    pub(super) fn attribute(&mut self, path: &Path) -> Result<(), RenderFailure> {
        if let Found::Rich(rich) = self.find(path)? {
            return Err(rich.refused_as_attribute(path.span));
        }
        match self.printed(path)? {
            Printed::Value(value) => self.write_attribute_value(value),
            Printed::Text(placeholder) => self.write_attribute(placeholder),
        }
    }

    /// What a tag prints.
    fn printed(&mut self, path: &Path) -> Result<Printed<'a>, RenderFailure> {
        match self.find(path)? {
            Found::Value(value) => Ok(Printed::Value(value)),
            Found::Rich(rich) => Ok(Printed::Text(&rich.placeholder)),
            Found::Missing(known) => match self.template.undefined {
                Undefined::Empty => Ok(Printed::Text("")),
                Undefined::Error => Err(undefined(path, known)),
            },
        }
    }

    pub(super) fn section(
        &mut self,
        subject: &Path,
        body: &'a [Step],
    ) -> Result<(), RenderFailure> {
        match self.find(subject)? {
            Found::Missing(known) => self.allow_missing(subject, known),
            Found::Rich(rich) if rich.present => {
                self.enter(body);
                Ok(())
            }
            Found::Rich(_) => Ok(()),
            Found::Value(Value::Array(items)) if items.is_empty() => Ok(()),
            Found::Value(Value::Array(items)) => {
                self.check_depth("sections", subject.span)?;
                self.next_turn(items.iter(), body)
            }
            Found::Value(value) if value.is_true() => {
                self.check_depth("sections", subject.span)?;
                self.context.push(value);
                self.bodies.push(Body { steps: body.iter(), turns: Turns::Within });
                Ok(())
            }
            Found::Value(_) => Ok(()),
        }
    }

    pub(super) fn inverted(
        &mut self,
        subject: &Path,
        body: &'a [Step],
    ) -> Result<(), RenderFailure> {
        let holds = match self.find(subject)? {
            Found::Missing(known) => {
                self.allow_missing(subject, known)?;
                false
            }
            Found::Rich(rich) => rich.present,
            Found::Value(value) => value.is_true(),
        };
        if !holds {
            self.enter(body);
        }
        Ok(())
    }

    /// Refuses, in strict mode, a section over an input that was not given.
    fn allow_missing(&self, subject: &Path, known: usize) -> Result<(), RenderFailure> {
        let may_lack_it = self.context.iter().any(|value| value.as_object().is_some());
        match self.template.undefined {
            Undefined::Error if known == 0 && !may_lack_it => Err(undefined(subject, known)),
            _ => Ok(()),
        }
    }

    /// What a name stands for. Looking it up in deep sections, or by a long name, is paid for.
    pub(super) fn find(&mut self, path: &Path) -> Result<Found<'a>, RenderFailure> {
        let letters: usize = path.parts.iter().map(|part| part.len()).sum();
        let places = self.context.len().saturating_add(path.parts.len());
        let read = letters.saturating_add(PLACE).saturating_mul(places);
        self.budget.read(read)?;
        add_steps(read);
        Ok(self.found(path))
    }

    /// The first part is looked up in all sections around, the others in what was found only.
    fn found(&self, path: &Path) -> Found<'a> {
        let Some((first, others)) = path.parts.split_first() else {
            return self.context.last().map_or(Found::Missing(0), |item| Found::Value(item));
        };
        let mut value = match self.find_first(first) {
            Found::Value(value) => value,
            Found::Rich(_) if !others.is_empty() => return Found::Missing(1),
            other => return other,
        };
        for (index, part) in others.iter().enumerate() {
            match part_of(value, part) {
                Some(inner) => value = inner,
                None => return Found::Missing(index + 1),
            }
        }
        Found::Value(value)
    }

    fn find_first(&self, name: &str) -> Found<'a> {
        if let Some(value) = self.context.iter().rev().find_map(|value| value.get(name)) {
            return Found::Value(value);
        }
        if let Some(rich) = self.scope.rich.iter().find(|rich| rich.name == name) {
            return Found::Rich(rich);
        }
        self.scope.inputs.get(name).map_or(Found::Missing(0), Found::Value)
    }
}

fn part_of<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    match value {
        Value::Object(map) => map.get(part),
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    }
}

pub(super) fn undefined(path: &Path, known: usize) -> RenderFailure {
    let name = path.shown();
    let (message, help) = match (path.parts.get(known), path.parts.get(..known)) {
        (Some(part), Some(found)) if known > 0 => (
            format!("`{name}` is undefined: `{}` has no `{part}`", found.join(".")),
            format!("give it a value, or print it only where it has one: `{{{{#{name}}}}}…`"),
        ),
        _ if path.parts.is_empty() => (
            "`.` is undefined: there is no section around it".to_owned(),
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
