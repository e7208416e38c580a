//! From steps and inputs to text.
//!
//! A render keeps the bodies that it is in as a list, and not on the stack of the program. So it can stop
//! where it calls an async function, and go on there.

use std::fmt::Write;
use std::slice;

use super::call::Call;
use super::compile::{self, Step, Steps};
use super::path::Path;
use super::print::PrintValue;
use crate::engine::budget::{Budget, too_long};
use crate::engine::functions::{Arguments, Called};
use crate::engine::output::Output;
use crate::engine::{
    BoxFuture, CompiledTemplate, EngineOptions, ParsedTemplate, RenderFailure, RichInput, Scope,
    Undefined,
};
use crate::nonce::Nonce;
use prompty_core::diagnostic::Span;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_core::work::add_steps;
use prompty_template::role_markers::syntax;
use prompty_template::tree::Indentation;
use prompty_template::{RenderLimits, SyntaxError};

/// What looking a name up in one place costs, beside its letters.
const PLACE: usize = 4;
/// The length of a short value, for which there is room at once.
const SHORT: usize = 64;

/// A template whose tree is run step by step.
#[derive(Debug, Clone)]
pub(super) struct StepTemplate {
    steps: Steps,
    limits: RenderLimits,
    pub(super) undefined: Undefined,
    print: PrintValue,
    /// How many bytes a short text of it takes: the literal text that stands in no section, and its values.
    likely_length: usize,
}

impl StepTemplate {
    /// Compiles the tree of a template, whose values `print` writes.
    ///
    /// # Errors
    ///
    /// A node that is neither text, output of a name or a call, nor section.
    pub(super) fn compile(
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
        print: PrintValue,
    ) -> Result<Self, SyntaxError> {
        let steps = compile::steps(&template.tree, &template.marks, options.extensions)?;
        let lengths = steps.main.iter().map(|step| match step {
            Step::Text(text) => text.len(),
            Step::Nonce => Nonce::DIGITS,
            _ => SHORT,
        });
        let likely_length = lengths.sum();
        Ok(Self {
            steps,
            limits: options.limits,
            undefined: options.undefined,
            print,
            likely_length,
        })
    }

    fn start<'a>(&'a self, scope: Scope<'a>) -> Run<'a> {
        Run {
            template: self,
            scope,
            context: Vec::new(),
            bodies: vec![Body { steps: self.steps.main.iter(), turns: Turns::Once }],
            partials: 0,
            indentation: String::new(),
            budget: Budget::new(self.limits),
            output: Output::with_room(self.limits.max_output, self.likely_length),
        }
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
        let mut run = self.start(scope);
        while let Some((call, arguments)) = run.advance()? {
            let result = call.function.call_now(&call.name, &arguments);
            run.write_result(call, result)?;
        }
        Ok(run.output.into_text())
    }

    fn can_wait(&self) -> bool {
        true
    }

    fn render_async<'a>(
        &'a self,
        scope: Scope<'a>,
    ) -> BoxFuture<'a, Result<String, RenderFailure>> {
        let mut run = self.start(scope);
        Box::pin(async move {
            while let Some((call, arguments)) = run.advance()? {
                let result = match call.function.call(&arguments) {
                    Called::Value(result) => result,
                    Called::Future(future) => future.await,
                };
                run.write_result(call, result)?;
            }
            Ok(run.output.into_text())
        })
    }
}

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

/// A body that is being run.
struct Body<'a> {
    /// What is left of it.
    steps: slice::Iter<'a, Step>,
    turns: Turns<'a>,
}

/// How often a body is run, and in which context.
enum Turns<'a> {
    /// Once, in the context around it.
    Once,
    /// Once, in the context of a value.
    Within,
    /// Once for each item.
    Each { items: slice::Iter<'a, Value>, body: &'a [Step] },
    /// Once, as a partial; around it lines begin with this.
    Partial { outer: String },
}

/// One render on its way.
pub(super) struct Run<'a> {
    pub(super) template: &'a StepTemplate,
    pub(super) scope: Scope<'a>,
    /// The items and values of the sections around, the innermost last.
    context: Vec<&'a Value>,
    /// The bodies that are being run, the innermost last.
    bodies: Vec<Body<'a>>,
    /// How many partials that name themselves are around.
    partials: usize,
    /// What the lines of the innermost begin with.
    indentation: String,
    budget: Budget,
    output: Output,
}

impl<'a> Run<'a> {
    /// Runs until the host has a function to call, whose result is then written, or to the end.
    fn advance(&mut self) -> Result<Option<(&'a Call, Arguments)>, RenderFailure> {
        while let Some(body) = self.bodies.last_mut() {
            let Some(step) = body.steps.next() else {
                self.end_body()?;
                continue;
            };
            self.spend(1)?;
            match step {
                Step::Text(text) => self.write(text)?,
                Step::Nonce => self.write(self.scope.nonce)?,
                Step::Escaped(path) => self.escaped(path)?,
                Step::Raw(path) => self.raw(path)?,
                Step::Attribute(path) => self.attribute(path)?,
                Step::AttributeText(text) => self.write_attribute(text)?,
                Step::Call(call) => return Ok(Some((call, self.arguments(call)?))),
                Step::Section { subject, body } => self.section(subject, body)?,
                Step::Inverted { subject, body } => self.inverted(subject, body)?,
                Step::Partial { index, indentation, span } => {
                    self.partial(*index, indentation, *span)?;
                }
                Step::Indentation => self.indent()?,
            }
        }
        Ok(None)
    }

    /// Goes on behind a body, or with its next turn.
    fn end_body(&mut self) -> Result<(), RenderFailure> {
        let Some(Body { turns, .. }) = self.bodies.pop() else { return Ok(()) };
        match turns {
            Turns::Once => {}
            Turns::Within => _ = self.context.pop(),
            Turns::Partial { outer } => {
                self.indentation = outer;
                self.partials = self.partials.saturating_sub(1);
            }
            Turns::Each { items, body } => {
                self.context.pop();
                self.next_turn(items, body)?;
            }
        }
        Ok(())
    }

    /// Runs a body for the next item, if there is one.
    fn next_turn(
        &mut self,
        mut items: slice::Iter<'a, Value>,
        body: &'a [Step],
    ) -> Result<(), RenderFailure> {
        let Some(item) = items.next() else { return Ok(()) };
        self.spend(1)?;
        self.context.push(item);
        self.bodies.push(Body { steps: body.iter(), turns: Turns::Each { items, body } });
        Ok(())
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), RenderFailure> {
        self.budget.spend(steps)
    }

    fn write(&mut self, text: &str) -> Result<(), RenderFailure> {
        self.output.write_str(text).map_err(|_| self.too_long())
    }

    /// The one error that writing to the output can have.
    fn too_long(&self) -> RenderFailure {
        too_long(self.template.limits).into()
    }

    fn escaped(&mut self, path: &Path) -> Result<(), RenderFailure> {
        match self.printed(path)? {
            Printed::Value(value) => {
                let print = self.template.print;
                print(value, &mut self.output.escaping()).map_err(|_| self.too_long())
            }
            Printed::Text(text) => self.write(text),
        }
    }

    fn raw(&mut self, path: &Path) -> Result<(), RenderFailure> {
        match self.printed(path)? {
            Printed::Value(value) => self.write_value(value),
            Printed::Text(text) => self.write(text),
        }
    }

    fn write_value(&mut self, value: &Value) -> Result<(), RenderFailure> {
        let print = self.template.print;
        print(value, &mut self.output).map_err(|_| self.too_long())
    }

    fn attribute(&mut self, path: &Path) -> Result<(), RenderFailure> {
        if let Found::Rich(rich) = self.find(path)? {
            return Err(rich.refused_as_attribute(path.span));
        }
        match self.printed(path)? {
            Printed::Value(value) => self.write_attribute_value(value),
            Printed::Text(placeholder) => self.write_attribute(placeholder),
        }
    }

    fn write_attribute_value(&mut self, value: &Value) -> Result<(), RenderFailure> {
        let mut text = Output::new(self.output.left());
        let print = self.template.print;
        print(value, &mut text).map_err(|_| self.too_long())?;
        self.write_attribute(&text.into_text())
    }

    fn write_attribute(&mut self, text: &str) -> Result<(), RenderFailure> {
        if text.len() > self.output.left() {
            return Err(self.too_long());
        }
        self.write(&syntax::encode_attribute(text, self.scope.nonce))
    }

    /// Writes what a function gave.
    fn write_result(
        &mut self,
        call: &Call,
        result: Result<Value, Error>,
    ) -> Result<(), RenderFailure> {
        let value = result.map_err(|error| RenderFailure::new(error, Some(call.span)))?;
        if call.is_attribute {
            self.write_attribute_value(&value)
        } else {
            self.write_value(&value)
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

    fn section(&mut self, subject: &Path, body: &'a [Step]) -> Result<(), RenderFailure> {
        match self.find(subject)? {
            Found::Missing(known) => self.allow_missing(subject, known),
            Found::Rich(rich) if rich.present => {
                self.enter(body);
                Ok(())
            }
            Found::Rich(_) => Ok(()),
            Found::Value(Value::Array(items)) if items.is_empty() => Ok(()),
            Found::Value(Value::Array(items)) => {
                self.check_depth(subject.span)?;
                self.next_turn(items.iter(), body)
            }
            Found::Value(value) if value.is_true() => {
                self.check_depth(subject.span)?;
                self.context.push(value);
                self.bodies.push(Body { steps: body.iter(), turns: Turns::Within });
                Ok(())
            }
            Found::Value(_) => Ok(()),
        }
    }

    fn inverted(&mut self, subject: &Path, body: &'a [Step]) -> Result<(), RenderFailure> {
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

    /// Runs a body in the context around it.
    fn enter(&mut self, body: &'a [Step]) {
        self.bodies.push(Body { steps: body.iter(), turns: Turns::Once });
    }

    /// Writes a partial that names itself.
    fn partial(
        &mut self,
        index: usize,
        indentation: &Indentation,
        span: Span,
    ) -> Result<(), RenderFailure> {
        self.check_depth(span)?;
        let template = self.template;
        let Some(body) = template.steps.partials.get(index) else { return Ok(()) };
        let inner = match indentation {
            Indentation::Whole(text) => text.clone(),
            Indentation::Added(text) => {
                self.budget.read(self.indentation.len())?;
                format!("{}{text}", self.indentation)
            }
        };
        let outer = std::mem::replace(&mut self.indentation, inner);
        self.partials += 1;
        self.bodies.push(Body { steps: body.iter(), turns: Turns::Partial { outer } });
        Ok(())
    }

    fn indent(&mut self) -> Result<(), RenderFailure> {
        let written = self.output.write_str(&self.indentation);
        written.map_err(|_| self.too_long())
    }

    /// Refuses one more section or partial where there are too many around.
    fn check_depth(&self, span: Span) -> Result<(), RenderFailure> {
        let max_depth = self.template.limits.max_depth;
        if self.context.len() + self.partials < max_depth {
            return Ok(());
        }
        let message = format!("sections run deeper than {max_depth} levels in each other");
        let error = Error::new(ErrorKind::Limit, message)
            .with_help("raise `max_depth` of the render limits");
        Err(RenderFailure::new(error, Some(span)))
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
