//! A compiled Jinja2 template.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, thread};

use minijinja::value::{Object, Value as EngineValue};
use minijinja::{Environment, Error as EngineError, ErrorKind as EngineErrorKind};

use super::bridge::{self, EngineResult, RichObject, engine_error};
use super::budget;
use super::costs::STEP;
use super::environment;
use super::instrument::{self, InstrumentedTemplate};
use super::names;
use crate::engine::budget::{too_long, too_many_steps};
use crate::engine::{
    CompiledTemplate, EngineOptions, ParsedTemplate, RenderFailure, RichInput, Scope,
};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Map;
use prompty_core::work::add_paid;
use prompty_template::walk;
use prompty_template::{RenderLimits, SyntaxError};

/// A compiled template.
#[derive(Debug)]
pub(super) struct JinjaTemplate {
    environment: Environment<'static>,
    instrumented: InstrumentedTemplate,
    limits: RenderLimits,
    /// Whether literal text may be written more than once, so that the output may be much longer
    /// than the template and the inputs.
    repeats: bool,
}

impl JinjaTemplate {
    /// Compiles a template that [`Language::refused`](prompty_template::Language::refused) accepts.
    ///
    /// # Errors
    ///
    /// Returns a [`SyntaxError`] with its place in the template's text.
    pub(super) fn compile(
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
    ) -> Result<Self, SyntaxError> {
        let ParsedTemplate { text, ref tree, ref marks } = *template;
        let EngineOptions { extensions, limits, undefined } = *options;
        let instrumented = instrument::instrument(text, tree, marks)?;
        let mut environment = environment::new(extensions, limits, undefined);
        let added = match walk::nesting(&tree.nodes) > MAX_NESTING_INLINE {
            true => add_on_large_stack(&mut environment, &instrumented.text),
            false => add(&mut environment, &instrumented.text),
        };
        if let Err(error) = added {
            let span = instrumented.original_span(error.range().unwrap_or_default());
            return Err(SyntaxError::new(span, syntax_message(&error)));
        }
        let repeats = walk::repeats(&tree.nodes);
        Ok(Self { environment, instrumented, limits, repeats })
    }
}

/// The maximum nesting of a template that is compiled in the caller's thread. The engine calls
/// itself for nested parts. A level takes up to 35 KB of stack in a debug build, and a small thread
/// has 512 KB.
const MAX_NESTING_INLINE: usize = 8;

/// The stack for all nesting that the parser allows.
const LARGE_STACK: usize = 8 << 20;

/// Adds the template to the engine, which compiles it.
fn add(environment: &mut Environment<'static>, text: &str) -> EngineResult<()> {
    environment.add_template_owned(names::TEMPLATE, text.to_owned())
}

/// Adds a deeply nested template in a thread with a large stack. A platform without threads uses
/// the stack of the caller.
fn add_on_large_stack(environment: &mut Environment<'static>, text: &str) -> EngineResult<()> {
    let builder = thread::Builder::new().stack_size(LARGE_STACK);
    let added = thread::scope(|scope| {
        let started = builder.spawn_scoped(scope, || add(environment, text)).ok();
        started.map(|started| started.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    added.unwrap_or_else(|| add(environment, text))
}

impl CompiledTemplate for JinjaTemplate {
    /// Renders the template.
    ///
    /// # Errors
    ///
    /// Returns an error with its place in the template's text: a limit, an operation that a value
    /// does not support, or, in strict mode, an undefined variable.
    fn render(&self, scope: Scope<'_>) -> Result<String, RenderFailure> {
        let rich: Vec<Arc<RichObject>> = scope.rich.iter().map(rich_object).collect();
        let root = RootScope {
            inputs: scope.inputs.clone(),
            rich: scope.rich.iter().map(|it| it.name.clone()).zip(rich.iter().cloned()).collect(),
            nonce: EngineValue::from(scope.nonce),
        };
        let text =
            self.run(EngineValue::from_object(root)).map_err(|error| self.failure(&error))?;
        if rich.iter().any(|rich| rich.misused.load(Ordering::Relaxed)) {
            return Err(bridge::misused_rich_error().into());
        }
        Ok(text)
    }
}

impl JinjaTemplate {
    /// Runs the template with `root` as the names that are defined, and limits the output.
    fn run(&self, root: EngineValue) -> EngineResult<String> {
        let template = self.environment.get_template(names::TEMPLATE)?;
        if self.repeats {
            let mut output = LimitedOutput {
                text: Vec::with_capacity(self.instrumented.text.len().min(self.limits.max_output)),
                limits: self.limits,
            };
            let mut captured = template.render_captured_to(root, &mut output)?;
            captured.with_state_mut(budget::count_steps_paid);
            return output.into_text();
        }
        // Each piece of the template is written at most once. So the output is proportional to the
        // template and the inputs, and its length can be checked afterwards.
        add_paid(self.instrumented.text.len());
        let text = template.render(root)?;
        if text.len() > self.limits.max_output {
            return Err(engine_error(too_long(self.limits)));
        }
        Ok(text)
    }

    fn failure(&self, error: &EngineError) -> RenderFailure {
        let span = error.range().map(|range| self.instrumented.original_span(range));
        RenderFailure::new(render_error(error, self.limits), span)
    }
}

fn rich_object(input: &RichInput) -> Arc<RichObject> {
    let (placeholder, present) = (input.placeholder.clone(), input.present);
    Arc::new(RichObject { placeholder, present, misused: AtomicBool::new(false) })
}

/// The names that are defined when a template starts.
#[derive(Debug)]
struct RootScope {
    inputs: Map,
    rich: Vec<(String, Arc<RichObject>)>,
    nonce: EngineValue,
}

impl Object for RootScope {
    fn get_value(self: &Arc<Self>, key: &EngineValue) -> Option<EngineValue> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<EngineValue> {
        if key == names::NONCE {
            return Some(self.nonce.clone());
        }
        if let Some((_, rich)) = self.rich.iter().find(|(name, _)| name == key) {
            return Some(EngineValue::from_dyn_object(rich.clone()));
        }
        self.inputs.get(key).map(bridge::to_engine)
    }
}

/// An output with a size limit.
struct LimitedOutput {
    /// The written bytes. They are checked for UTF-8 once, since they arrive in many small pieces.
    text: Vec<u8>,
    limits: RenderLimits,
}

impl LimitedOutput {
    /// The written text. The engine writes only UTF-8.
    fn into_text(self) -> EngineResult<String> {
        String::from_utf8(self.text).map_err(|error| {
            let message = "the output is not valid UTF-8";
            EngineError::new(EngineErrorKind::WriteFailure, message).with_source(error)
        })
    }
}

impl io::Write for LimitedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.text.len().saturating_add(bytes.len()) > self.limits.max_output {
            return Err(io::Error::other(too_long(self.limits)));
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes).map(drop)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn syntax_message(error: &EngineError) -> String {
    error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)
}

/// Converts an error of the engine into ours.
fn render_error(error: &EngineError, limits: RenderLimits) -> Error {
    if let Some(ours) = own_error(error) {
        let copy = Error::new(ours.kind(), ours.to_string());
        return match ours.help() {
            Some(help) => copy.with_help(help),
            None => copy,
        };
    }
    let message = syntax_message(error);
    match error.kind() {
        EngineErrorKind::OutOfFuel => {
            add_paid(usize::try_from(limits.fuel).unwrap_or(usize::MAX).saturating_mul(STEP));
            too_many_steps(limits)
        }
        EngineErrorKind::UndefinedError => Error::new(ErrorKind::Undefined, message),
        _ if message.contains("recursion limit") => {
            let help = "raise `max_depth` of the render limits";
            Error::new(ErrorKind::Limit, message).with_help(help)
        }
        _ => Error::new(ErrorKind::Render, message),
    }
}

/// Our error from a filter or from the output, if it caused the engine's error.
fn own_error(error: &EngineError) -> Option<&Error> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(current) = cause {
        if let Some(ours) = current.downcast_ref::<Error>() {
            return Some(ours);
        }
        if let Some(io) = current.downcast_ref::<io::Error>() {
            let inner = io.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static));
            if let Some(ours) = inner.and_then(|inner| inner.downcast_ref::<Error>()) {
                return Some(ours);
            }
        }
        cause = current.source();
    }
    None
}
