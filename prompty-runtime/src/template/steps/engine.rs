//! From steps and inputs to text.

use std::fmt::Write;

use super::compile::{self, Path, Step, Steps};
use super::output::Output;
use crate::nonce::marker;
use crate::template::{
    CompiledTemplate, EngineOptions, ParsedTemplate, RenderFailure, RenderLimits, RichInput, Scope,
    SyntaxError, Undefined,
};
use prompty_core::diagnostic::Span;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::jinja::tree::Indentation;
use prompty_core::value::Value;
use prompty_core::work::{add_paid, add_steps};

/// How many bytes a step may read.
const STEP: usize = 64;
/// What looking a name up in one place costs, beside its letters.
const PLACE: usize = 4;

/// A template whose tree is run step by step.
#[derive(Debug, Clone)]
pub(crate) struct StepTemplate {
    steps: Steps,
    limits: RenderLimits,
    undefined: Undefined,
}

impl StepTemplate {
    /// Compiles the tree of a template.
    ///
    /// # Errors
    ///
    /// A node that is neither text, output of a name, nor section.
    pub(crate) fn compile(
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
    ) -> Result<Self, SyntaxError> {
        let steps = compile::steps(&template.tree, &template.marks)?;
        Ok(Self { steps, limits: options.limits, undefined: options.undefined })
    }
}

impl CompiledTemplate for StepTemplate {
    /// Renders the template.
    ///
    /// A rich input prints as its placeholder, unescaped. As the subject of a section it counts as
    /// true where there is anything in it, and never as a list.
    ///
    /// In strict mode ([`Undefined::Error`]) a name without a value may not be printed. A section
    /// may ask for one, but not for an input that nobody gave: only the attributes of a value, and
    /// names in a section over a map, may be there or not.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] beyond the limits, and [`ErrorKind::Undefined`] in strict mode; with the
    /// place in the template's text.
    fn render(&self, scope: Scope<'_>) -> Result<String, RenderFailure> {
        let mut run = Run {
            template: self,
            scope,
            context: Vec::new(),
            depth: 0,
            indentation: String::new(),
            fuel: self.limits.fuel,
            output: Output::new(self.limits.max_output),
        };
        run.run(&self.steps.main)?;
        Ok(run.output.into_text())
    }
}

/// What a name stands for.
#[derive(Clone, Copy)]
enum Found<'a> {
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

/// One render on its way.
struct Run<'a> {
    template: &'a StepTemplate,
    scope: Scope<'a>,
    /// The items and values of the sections around, the innermost last.
    context: Vec<&'a Value>,
    /// How many sections and partials are around.
    depth: usize,
    /// What the lines of the partial around begin with.
    indentation: String,
    fuel: u64,
    output: Output,
}

impl<'a> Run<'a> {
    fn run(&mut self, steps: &[Step]) -> Result<(), RenderFailure> {
        for step in steps {
            self.spend()?;
            match step {
                Step::Text(text) => self.write(text)?,
                Step::Nonce => self.write(self.scope.nonce)?,
                Step::Escaped(path) => self.escaped(path)?,
                Step::Raw(path) => self.raw(path)?,
                Step::Attribute(path) => self.attribute(path)?,
                Step::Section { subject, body } => self.section(subject, body)?,
                Step::Inverted { subject, body } => self.inverted(subject, body)?,
                Step::Partial { index, indentation, span } => {
                    self.partial(*index, indentation, *span)?;
                }
                Step::Indentation => {
                    let indentation = std::mem::take(&mut self.indentation);
                    let written = self.write(&indentation);
                    self.indentation = indentation;
                    written?;
                }
            }
        }
        Ok(())
    }

    fn spend(&mut self) -> Result<(), RenderFailure> {
        self.spend_steps(1)
    }

    fn spend_steps(&mut self, steps: usize) -> Result<(), RenderFailure> {
        let wanted = u64::try_from(steps).unwrap_or(u64::MAX);
        let Some(left) = self.fuel.checked_sub(wanted) else {
            let message =
                format!("the template takes more than {} steps", self.template.limits.fuel);
            return Err(Error::new(ErrorKind::Limit, message)
                .with_help("raise `fuel` of the render limits")
                .into());
        };
        self.fuel = left;
        add_paid(steps.saturating_mul(STEP));
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), RenderFailure> {
        self.output.write_str(text).map_err(|_| self.too_long())
    }

    /// The one error that writing to the output can have.
    fn too_long(&self) -> RenderFailure {
        let limit = self.template.limits.max_output;
        let message = format!("the rendered text is longer than {limit} bytes");
        Error::new(ErrorKind::Limit, message)
            .with_help("raise `max_output` of the render limits")
            .into()
    }

    fn escaped(&mut self, path: &Path) -> Result<(), RenderFailure> {
        match self.printed(path)? {
            Printed::Value(value) => {
                write!(self.output.escaping(), "{value}").map_err(|_| self.too_long())
            }
            Printed::Text(text) => self.write(text),
        }
    }

    fn raw(&mut self, path: &Path) -> Result<(), RenderFailure> {
        match self.printed(path)? {
            Printed::Value(value) => write!(self.output, "{value}").map_err(|_| self.too_long()),
            Printed::Text(text) => self.write(text),
        }
    }

    fn attribute(&mut self, path: &Path) -> Result<(), RenderFailure> {
        let mut text = Output::new(self.output.left());
        match self.printed(path)? {
            Printed::Value(value) => write!(text, "{value}"),
            Printed::Text(placeholder) => text.write_str(placeholder),
        }
        .map_err(|_| self.too_long())?;
        self.write(&marker::encode_attribute(&text.into_text(), self.scope.nonce))
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

    fn section(&mut self, subject: &Path, body: &[Step]) -> Result<(), RenderFailure> {
        match self.find(subject)? {
            Found::Missing(known) => self.allow_missing(subject, known),
            Found::Rich(rich) if rich.present => self.run_inside(body, subject.span),
            Found::Rich(_) => Ok(()),
            Found::Value(Value::Array(items)) => {
                for item in items.iter() {
                    self.spend()?;
                    self.run_in(item, body, subject)?;
                }
                Ok(())
            }
            Found::Value(value) if value.is_true() => self.run_in(value, body, subject),
            Found::Value(_) => Ok(()),
        }
    }

    fn inverted(&mut self, subject: &Path, body: &[Step]) -> Result<(), RenderFailure> {
        let holds = match self.find(subject)? {
            Found::Missing(known) => {
                self.allow_missing(subject, known)?;
                false
            }
            Found::Rich(rich) => rich.present,
            Found::Value(value) => value.is_true(),
        };
        if holds { Ok(()) } else { self.run_inside(body, subject.span) }
    }

    /// Runs steps with one more value for names to be looked up in.
    fn run_in(
        &mut self,
        value: &'a Value,
        body: &[Step],
        subject: &Path,
    ) -> Result<(), RenderFailure> {
        self.context.push(value);
        let result = self.run_inside(body, subject.span);
        self.context.pop();
        result
    }

    /// Runs the steps of a section or a partial.
    fn run_inside(&mut self, body: &[Step], span: Span) -> Result<(), RenderFailure> {
        let max_depth = self.template.limits.max_depth;
        if self.depth >= max_depth {
            let message = format!("sections run deeper than {max_depth} levels in each other");
            let error = Error::new(ErrorKind::Limit, message)
                .with_help("raise `max_depth` of the render limits");
            return Err(RenderFailure::new(error, Some(span)));
        }
        self.depth += 1;
        let result = self.run(body);
        self.depth -= 1;
        result
    }

    /// Writes a partial that names itself.
    fn partial(
        &mut self,
        index: usize,
        indentation: &Indentation,
        span: Span,
    ) -> Result<(), RenderFailure> {
        let template = self.template;
        let Some(body) = template.steps.partials.get(index) else { return Ok(()) };
        let inner = match indentation {
            Indentation::Whole(text) => text.clone(),
            Indentation::Added(text) => {
                self.spend_steps(self.indentation.len() / STEP)?;
                format!("{}{text}", self.indentation)
            }
        };
        let outer = std::mem::replace(&mut self.indentation, inner);
        let result = self.run_inside(body, span);
        self.indentation = outer;
        result
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
    fn find(&mut self, path: &Path) -> Result<Found<'a>, RenderFailure> {
        let letters: usize = path.parts.iter().map(|part| part.len()).sum();
        let places = self.context.len().saturating_add(path.parts.len());
        let read = letters.saturating_add(PLACE).saturating_mul(places);
        self.spend_steps(read / STEP)?;
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

fn undefined(path: &Path, known: usize) -> RenderFailure {
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
