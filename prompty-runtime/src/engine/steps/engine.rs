//! From steps and inputs to text.
//!
//! A render keeps the bodies that it is in as a list, and not on the stack of the program. So it can stop
//! where it calls an async function, and continue there.

use std::fmt::Write;
use std::slice;

use super::call::Call;
use super::compile::{self, NameLookup};
use super::print::PrintValue;
use super::program::{Step, Steps, Subject};
use super::stack::{Frame, StackValue};
use crate::engine::budget::{Budget, too_long};
use crate::engine::functions::{Arguments, Called};
use crate::engine::output::Output;
use crate::engine::{
    BoxFuture, CompiledTemplate, EngineOptions, ParsedTemplate, RenderFailure, Scope, Undefined,
};
use crate::nonce::Nonce;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_template::role_markers::syntax;
use prompty_template::tree::Indentation;
use prompty_template::{RenderLimits, SyntaxError};

/// The length of a short value, for which there is room at once.
const SHORT: usize = 64;

/// A template whose tree is run step by step.
#[derive(Debug, Clone)]
pub(super) struct StepTemplate {
    steps: Steps,
    limits: RenderLimits,
    pub(super) undefined: Undefined,
    pub(super) print: PrintValue,
    /// How many bytes a short text of it takes: the literal text that stands in no section, and its values.
    likely_length: usize,
}

impl StepTemplate {
    /// Compiles the tree of a template, whose values `print` writes.
    ///
    /// # Errors
    ///
    /// A node or expression that the engine's languages do not have.
    pub(super) fn compile(
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
        print: PrintValue,
        names: NameLookup,
    ) -> Result<Self, SyntaxError> {
        let steps = compile::steps(&template.tree, &template.marks, options.extensions, names)?;
        let lengths = steps.main.iter().map(|step| match step {
            Step::Text(text) => text.len(),
            Step::Nonce => Nonce::DIGITS,
            Step::Compute(_) | Step::Skip(_) | Step::Assign(_) => 0,
            _ => SHORT,
        });
        let likely_length = lengths.sum();
        let (limits, undefined) = (options.limits, options.undefined);
        Ok(Self { steps, limits, undefined, print, likely_length })
    }

    fn start<'a>(&'a self, scope: Scope<'a>) -> Run<'a> {
        Run {
            template: self,
            scope,
            context: Vec::new(),
            frames: Vec::new(),
            stack: Vec::new(),
            assigned: vec![None; self.steps.slot_count],
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
    /// In strict mode ([`Undefined::Error`]) a name without a value may not be printed. A section of
    /// Mustache may ask for one, but not for an input that nobody gave: only the attributes of a
    /// value, and names in a section over a map, may be there or not. An `if`, `each` or `with` may
    /// ask for any.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] beyond the limits, [`ErrorKind::Undefined`] in strict mode, what a helper
    /// cannot do with its arguments, and the errors of the host's functions; with the place in the
    /// template's text.
    fn render(&self, scope: Scope<'_>) -> Result<String, RenderFailure> {
        let mut run = self.start(scope);
        while let Some((call, arguments)) = run.advance()? {
            let result = call.function.call_now(&call.name, &arguments);
            run.push_result(call, result)?;
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
                run.push_result(call, result)?;
            }
            Ok(run.output.into_text())
        })
    }
}

/// A body that is being run.
pub(super) struct Body<'a> {
    /// What is left of it.
    pub(super) steps: slice::Iter<'a, Step>,
    pub(super) turns: Turns<'a>,
}

/// How often a body is run, and in which context.
pub(super) enum Turns<'a> {
    /// Once, in the context around it.
    Once,
    /// Once, in the context of a value.
    Within,
    /// Once for each item.
    Each { items: slice::Iter<'a, Value>, body: &'a [Step] },
    /// As the innermost frame says.
    Block,
    /// Once, as a partial; around it lines begin with this.
    Partial { outer: String },
}

/// One render on its way.
pub(super) struct Run<'a> {
    pub(super) template: &'a StepTemplate,
    pub(super) scope: Scope<'a>,
    /// The items and values of the sections around, the innermost last.
    pub(super) context: Vec<&'a Value>,
    /// The blocks around, the innermost last.
    pub(super) frames: Vec<Frame<'a>>,
    /// The values of the expressions that are being computed.
    pub(super) stack: Vec<StackValue<'a>>,
    /// The values of the names that the template sets, by their slots.
    pub(super) assigned: Vec<Option<StackValue<'a>>>,
    /// The bodies that are being run, the innermost last.
    pub(super) bodies: Vec<Body<'a>>,
    /// How many partials that name themselves are around.
    partials: usize,
    /// What the lines of the innermost begin with.
    indentation: String,
    pub(super) budget: Budget,
    pub(super) output: Output,
}

impl<'a> Run<'a> {
    /// Runs until the host has a function to call, whose result is then pushed, or to the end.
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
                Step::Compute(operation) => self.compute(operation)?,
                Step::Print(subject) => self.print(subject)?,
                Step::PrintAttribute(subject) => self.print_attribute(subject)?,
                Step::Call(call) => return Ok(Some((call, self.arguments(call)?))),
                Step::Skip(count) => self.skip(*count),
                Step::Block(block) => self.block(block)?,
                Step::Assign(slot) => self.assign(*slot),
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

    /// Continues after a body, or with its next turn.
    fn end_body(&mut self) -> Result<(), RenderFailure> {
        let Some(Body { turns, .. }) = self.bodies.pop() else { return Ok(()) };
        match turns {
            Turns::Once => {}
            Turns::Within => _ = self.context.pop(),
            Turns::Block => self.end_turn()?,
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
    pub(super) fn next_turn(
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

    /// Skips so many steps of the innermost body.
    pub(super) fn skip(&mut self, count: usize) {
        if let (Some(body), Some(last)) = (self.bodies.last_mut(), count.checked_sub(1)) {
            body.steps.nth(last);
        }
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), RenderFailure> {
        self.budget.spend(steps)
    }

    pub(super) fn write(&mut self, text: &str) -> Result<(), RenderFailure> {
        self.output.write_str(text).map_err(|_| self.too_long())
    }

    /// The one error that writing to the output can have.
    pub(super) fn too_long(&self) -> RenderFailure {
        too_long(self.template.limits).into()
    }

    pub(super) fn write_value(&mut self, value: &Value) -> Result<(), RenderFailure> {
        let print = self.template.print;
        print(value, &mut self.output).map_err(|_| self.too_long())
    }

    pub(super) fn write_attribute_value(&mut self, value: &Value) -> Result<(), RenderFailure> {
        let mut text = Output::new(self.output.left());
        let print = self.template.print;
        print(value, &mut text).map_err(|_| self.too_long())?;
        self.write_attribute(&text.into_text())
    }

    pub(super) fn write_attribute(&mut self, text: &str) -> Result<(), RenderFailure> {
        if text.len() > self.output.left() {
            return Err(self.too_long());
        }
        self.write(&syntax::encode_attribute(text, self.scope.nonce))
    }

    /// Writes the value on top of the stack.
    fn print(&mut self, subject: &Subject) -> Result<(), RenderFailure> {
        match self.pop_present(subject)? {
            StackValue::Value(value) => self.write_value(&value),
            StackValue::Rich(rich) => self.write(&rich.placeholder),
            StackValue::Missing | StackValue::Inputs => Ok(()),
        }
    }

    /// Writes the value on top of the stack in the attributes of a role marker.
    fn print_attribute(&mut self, subject: &Subject) -> Result<(), RenderFailure> {
        match self.pop_present(subject)? {
            StackValue::Value(value) => self.write_attribute_value(&value),
            StackValue::Rich(rich) => Err(rich.refused_as_attribute(subject.span)),
            StackValue::Missing | StackValue::Inputs => self.write_attribute(""),
        }
    }

    /// Pushes what a function gave.
    fn push_result(
        &mut self,
        call: &Call,
        result: Result<Value, Error>,
    ) -> Result<(), RenderFailure> {
        let value = result.map_err(|error| RenderFailure::new(error, Some(call.span)))?;
        self.stack.push(StackValue::Value(value));
        Ok(())
    }

    /// Runs a body in the context around it.
    pub(super) fn enter(&mut self, body: &'a [Step]) {
        self.bodies.push(Body { steps: body.iter(), turns: Turns::Once });
    }

    /// Writes a partial that names itself.
    fn partial(
        &mut self,
        index: usize,
        indentation: &Indentation,
        span: TemplateSpan,
    ) -> Result<(), RenderFailure> {
        self.check_depth("sections", span)?;
        let template = self.template;
        let Some(body) = template.steps.partials.get(index) else { return Ok(()) };
        let inner = match indentation {
            Indentation::Whole(text) => text.clone(),
            Indentation::Added(text) => {
                self.budget.read(self.indentation.len())?;
                format!("{}{text}", self.indentation)
            }
            _ => {
                let error = Error::new(ErrorKind::Render, "no engine can run this");
                return Err(RenderFailure::new(error, Some(span)));
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

    /// Refuses one more section, block or partial where there are too many around.
    pub(super) fn check_depth(&self, what: &str, span: TemplateSpan) -> Result<(), RenderFailure> {
        let max_depth = self.template.limits.max_depth;
        if self.context.len() + self.frames.len() + self.partials < max_depth {
            return Ok(());
        }
        let message = format!("{what} run deeper than {max_depth} levels in each other");
        let error = Error::new(ErrorKind::Limit, message)
            .with_help("raise `max_depth` of the render limits");
        Err(RenderFailure::new(error, Some(span)))
    }
}
