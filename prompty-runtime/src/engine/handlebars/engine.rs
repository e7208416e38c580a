//! From a program and inputs to text: the `handlebars` crate renders, and calls the one helper.
//!
//! A render pays for each step, for what it reads and for what it builds, so that no template runs without
//! end or fills the memory.

use std::fmt::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use handlebars::template::TemplateElement;
use handlebars::{
    Context, Handlebars as Registry, Helper, HelperDef, HelperResult, RenderContext, RenderError,
    RenderErrorReason, Renderable, Template as Body,
};

use super::compile::{self, Program, STEP, Step};
use super::evaluate::{Found, Frame, Run, Settings};
use crate::engine::budget::too_long;
use crate::engine::output::Output;
use crate::engine::{CompiledTemplate, EngineOptions, ParsedTemplate, RenderFailure, Scope};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_template::SyntaxError;
use prompty_template::role_markers::syntax;

/// A template that the `handlebars` crate renders.
#[derive(Debug)]
pub(super) struct HandlebarsTemplate {
    program: Program,
    registry: Registry<'static>,
    settings: Settings,
}

impl HandlebarsTemplate {
    /// Compiles the tree of a template.
    ///
    /// # Errors
    ///
    /// A node that Handlebars does not have.
    pub(super) fn compile(
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
    ) -> Result<Self, SyntaxError> {
        let program = compile::program(&template.tree, &template.marks)?;
        let mut registry = Registry::new();
        registry.register_escape_fn(handlebars::no_escape);
        Ok(Self { program, registry, settings: Settings::new(options) })
    }
}

impl CompiledTemplate for HandlebarsTemplate {
    /// Renders the template.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] beyond the limits, [`ErrorKind::Undefined`] in strict mode for a name without a
    /// value that is printed, what a helper cannot do with its arguments, and the errors of the host's
    /// functions; with the place in the template's text.
    fn render(&self, scope: Scope<'_>) -> Result<String, RenderFailure> {
        let run = Mutex::new(Run::new(&self.settings, scope));
        let mut output = Text(Output::new(self.settings.limits.max_output));
        let context = Context::null();
        let result = {
            let mut rendering = RenderContext::new(None);
            let helper = StepHelper { steps: &self.program.steps, run: &run, nonce: scope.nonce };
            rendering.register_local_helper(STEP, Box::new(helper));
            self.program.template.render(&self.registry, &context, &mut rendering, &mut output)
        };
        let Err(error) = result else { return Ok(output.0.into_text()) };
        let run = run.into_inner().unwrap_or_else(PoisonError::into_inner);
        Err(run.failure.unwrap_or_else(|| self.unexplained(&error)))
    }
}

impl HandlebarsTemplate {
    /// An error that no step has noted: of writing, or of the crate itself.
    fn unexplained(&self, error: &RenderError) -> RenderFailure {
        match error.reason() {
            RenderErrorReason::IOError(_) => too_long(self.settings.limits).into(),
            reason => Error::new(ErrorKind::Render, reason.to_string()).into(),
        }
    }
}

/// Where a render writes.
struct Text(Output);

impl handlebars::Output for Text {
    fn write(&mut self, piece: &str) -> Result<(), std::io::Error> {
        self.0.write_str(piece).map_err(|_| std::io::Error::other("the limit is reached"))
    }
}

/// Writes values piece by piece, so that none becomes a text of its own first.
struct Pieces<'o> {
    output: &'o mut dyn handlebars::Output,
    error: Option<std::io::Error>,
}

impl Write for Pieces<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.output.write(piece).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}

fn write_value(value: &Value, output: &mut dyn handlebars::Output) -> HelperResult {
    if let Value::String(text) = value {
        return Ok(output.write(text)?);
    }
    let mut pieces = Pieces { output, error: None };
    match (write!(pieces, "{value}"), pieces.error) {
        (Err(_), Some(error)) => Err(error.into()),
        _ => Ok(()),
    }
}

/// The one helper.
struct StepHelper<'h, 's> {
    steps: &'s [Step],
    run: &'h Mutex<Run<'s>>,
    nonce: &'s str,
}

impl<'s> StepHelper<'_, 's> {
    fn run(&self) -> MutexGuard<'_, Run<'s>> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the state of the render, and notes why that fails.
    fn with_run<T>(
        &self,
        work: impl FnOnce(&mut Run<'s>) -> Result<T, RenderFailure>,
    ) -> Result<T, RenderError> {
        let mut run = self.run();
        let result = run.budget.spend(1).and_then(|()| work(&mut run));
        result.map_err(|failure| {
            run.failure = Some(failure);
            RenderErrorReason::Other("a step failed".to_owned()).into()
        })
    }
}

impl HelperDef for StepHelper<'_, '_> {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Registry<'reg>,
        context: &'rc Context,
        rendering: &mut RenderContext<'reg, 'rc>,
        output: &mut dyn handlebars::Output,
    ) -> HelperResult {
        let number = helper.param(0).and_then(|number| number.value().as_u64());
        let index = number.and_then(|number| usize::try_from(number).ok());
        let Some(step) = index.and_then(|index| self.steps.get(index)) else { return Ok(()) };
        match step {
            Step::Nonce => Ok(output.write(self.nonce)?),
            Step::Print(expr) => match self.with_run(|run| run.printed(expr))? {
                Found::Value(value) => write_value(&value, output),
                Found::Rich(rich) => Ok(output.write(&rich.placeholder)?),
                Found::Missing | Found::Inputs => Ok(()),
            },
            Step::Attribute(expr) => {
                let text = self.with_run(|run| run.attribute_text(expr))?;
                Ok(output.write(&syntax::encode_attribute(&text, self.nonce))?)
            }
            Step::Choose(conditions) => {
                let chosen = self.with_run(|run| run.first_true(conditions))?;
                let body = match chosen {
                    Some(index) => helper.template().and_then(|bodies| body_at(bodies, index)),
                    None => helper.inverse(),
                };
                body.map_or(Ok(()), |body| body.render(registry, context, rendering, output))
            }
            Step::Enter { kind, subject, parameters } => {
                let entered = self.with_run(|run| run.enter(*kind, subject))?;
                let Some(values) = entered else {
                    let inverse = helper.inverse();
                    return inverse
                        .map_or(Ok(()), |body| body.render(registry, context, rendering, output));
                };
                let Some(body) = helper.template() else { return Ok(()) };
                for index in 0..values.len() {
                    self.with_run(|run| {
                        let frame = Frame::new(&values, index, *kind, parameters);
                        run.push(frame, subject.span)
                    })?;
                    body.render(registry, context, rendering, output)?;
                    self.run().pop();
                }
                Ok(())
            }
            Step::Set { name, value } => self.with_run(|run| run.set(name, value)),
        }
    }
}

/// The body of a branch.
fn body_at(bodies: &Body, index: usize) -> Option<&Body> {
    match bodies.elements.get(index)? {
        TemplateElement::HelperBlock(holder) => holder.template.as_ref(),
        _ => None,
    }
}
