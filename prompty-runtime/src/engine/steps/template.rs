//! Runs the compiled steps of a template.
//!
//! A render keeps the running bodies in a list instead of on the call stack. So it can stop at a
//! call of an async function and continue there. Synchronous renders use the same code, and nothing
//! runs twice.
//!
//! [`Run::advance`] takes the next step of the innermost body. A step that encloses others, such as
//! a section, pushes their body. At the end of a body, [`Run::end_body`] removes it or starts its
//! next iteration. The other steps are in `sections` (Mustache), `blocks` and `operations`
//! (Handlebars), and `arguments` (calls).

use std::fmt::Write;
use std::slice;

use super::call::HostCall;
use super::compile::{self, NameLookup};
use super::print::PrintValue;
use super::program::{Step, StepProgram, Subject};
use super::stack::{BlockFrame, StackValue};
use crate::engine::budget::{StepBudget, too_long};
use crate::engine::functions::{Arguments, CallResult};
use crate::engine::output::RenderOutput;
use crate::engine::unsupported::UnsupportedConstruct;
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

/// The expected length of a value, for the initial capacity of the output.
const SHORT: usize = 64;

/// A template that the step engine has compiled.
#[derive(Debug, Clone)]
pub(super) struct StepTemplate {
    steps: StepProgram,
    limits: RenderLimits,
    pub(super) undefined: Undefined,
    pub(super) print: PrintValue,
    /// The expected length of the output: literal text outside of sections, and short values.
    likely_length: usize,
}

impl StepTemplate {
    /// Compiles the tree of a template. `print` prints its values.
    pub(super) fn compile(
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
        print: PrintValue,
        names: NameLookup,
    ) -> Result<Self, SyntaxError> {
        let steps =
            compile::compile_steps(&template.tree, &template.marks, options.extensions, names)?;
        // Steps that compute a value write nothing; the step that prints it is counted.
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

    /// Makes the state at the beginning of a render.
    fn start<'a>(&'a self, scope: Scope<'a>) -> Run<'a> {
        Run {
            template: self,
            scope,
            context: Vec::new(),
            frames: Vec::new(),
            stack: Vec::new(),
            assigned: vec![None; self.steps.slot_count],
            bodies: vec![Body { steps: self.steps.main.iter(), kind: BodyKind::Once }],
            partials: 0,
            indentation: String::new(),
            budget: StepBudget::new(self.limits),
            output: RenderOutput::with_capacity(self.limits.max_output, self.likely_length),
        }
    }
}

impl CompiledTemplate for StepTemplate {
    /// Renders the template.
    ///
    /// A rich input prints as its placeholder, unescaped. As the subject of a section it is true if
    /// it is not empty, and never a list.
    ///
    /// In strict mode ([`Undefined::Error`]) printing a name without a value is an error. So is a
    /// Mustache section over an input that was not given. Attributes of a value, and names in a
    /// section over a map, may be missing. `if`, `each` and `with` accept any name.
    ///
    /// # Errors
    ///
    /// Returns an error with its place in the template's text:
    /// - [`ErrorKind::Limit`] if a limit is exceeded,
    /// - [`ErrorKind::Undefined`] in strict mode,
    /// - the error of a helper or of a host function.
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
                    CallResult::Value(result) => result,
                    CallResult::Future(future) => future.await,
                };
                run.push_result(call, result)?;
            }
            Ok(run.output.into_text())
        })
    }
}

/// A running body.
pub(super) struct Body<'a> {
    /// The remaining steps.
    pub(super) steps: slice::Iter<'a, Step>,
    pub(super) kind: BodyKind<'a>,
}

/// How often a body runs, and in which context.
pub(super) enum BodyKind<'a> {
    /// Once, in the enclosing context.
    Once,
    /// Once, in the context of a value.
    Within,
    /// Once for each item.
    Each { items: slice::Iter<'a, Value>, body: &'a [Step] },
    /// As often as the innermost frame requires.
    Block,
    /// Once, as a partial. `outer` is the indentation to restore afterwards.
    Partial { outer: String },
}

/// The state of one render.
pub(super) struct Run<'a> {
    pub(super) template: &'a StepTemplate,
    pub(super) scope: Scope<'a>,
    /// The items and values of the enclosing sections, the innermost last.
    pub(super) context: Vec<&'a Value>,
    /// The enclosing blocks, the innermost last.
    pub(super) frames: Vec<BlockFrame<'a>>,
    /// The values of the expressions that are being computed.
    pub(super) stack: Vec<StackValue<'a>>,
    /// The values of the names that the template sets, by slot.
    pub(super) assigned: Vec<Option<StackValue<'a>>>,
    /// The running bodies, the innermost last.
    pub(super) bodies: Vec<Body<'a>>,
    /// The number of enclosing recursive partials.
    partials: usize,
    /// The indentation of the innermost partial.
    indentation: String,
    pub(super) budget: StepBudget,
    pub(super) output: RenderOutput,
}

impl<'a> Run<'a> {
    /// Runs to the next call of a host function, or to the end. The caller pushes the result.
    fn advance(&mut self) -> Result<Option<(&'a HostCall, Arguments)>, RenderFailure> {
        while let Some(body) = self.bodies.last_mut() {
            let Some(step) = body.steps.next() else {
                self.end_body()?;
                continue;
            };
            self.budget.spend(1)?;
            match step {
                Step::Text(text) => self.write(text)?,
                Step::Nonce => self.write(self.scope.nonce)?,
                Step::Escaped(path) => self.write_escaped_name(path)?,
                Step::Raw(path) => self.write_raw_name(path)?,
                Step::Attribute(path) => self.write_name_in_attribute(path)?,
                Step::AttributeText(text) => self.write_attribute(text)?,
                Step::Compute(operation) => self.compute(operation)?,
                Step::Print(subject) => self.print(subject)?,
                Step::PrintAttribute(subject) => self.print_attribute(subject)?,
                Step::Call(call) => return Ok(Some((call, self.call_arguments(call)?))),
                Step::Skip(count) => self.skip(*count),
                Step::Block(block) => self.run_block(block)?,
                Step::Assign(slot) => self.assign(*slot),
                Step::Section { subject, body } => self.run_section(subject, body)?,
                Step::Inverted { subject, body } => self.run_inverted(subject, body)?,
                Step::Partial { index, indentation, span } => {
                    self.run_partial(*index, indentation, *span)?;
                }
                Step::Indentation => self.indent()?,
            }
        }
        Ok(None)
    }

    /// Continues after a body, or with its next iteration.
    fn end_body(&mut self) -> Result<(), RenderFailure> {
        let Some(Body { kind, .. }) = self.bodies.pop() else { return Ok(()) };
        match kind {
            BodyKind::Once => {}
            BodyKind::Within => _ = self.context.pop(),
            BodyKind::Block => self.end_iteration()?,
            BodyKind::Partial { outer } => {
                self.indentation = outer;
                self.partials = self.partials.saturating_sub(1);
            }
            BodyKind::Each { items, body } => {
                self.context.pop();
                self.start_next_item(items, body)?;
            }
        }
        Ok(())
    }

    /// Runs a body for the next item, if there is one.
    pub(super) fn start_next_item(
        &mut self,
        mut items: slice::Iter<'a, Value>,
        body: &'a [Step],
    ) -> Result<(), RenderFailure> {
        let Some(item) = items.next() else { return Ok(()) };
        self.budget.spend(1)?;
        self.context.push(item);
        self.bodies.push(Body { steps: body.iter(), kind: BodyKind::Each { items, body } });
        Ok(())
    }

    /// Skips this many steps of the innermost body.
    pub(super) fn skip(&mut self, count: usize) {
        // `nth(n)` takes `n + 1` items.
        if let (Some(body), Some(last)) = (self.bodies.last_mut(), count.checked_sub(1)) {
            body.steps.nth(last);
        }
    }

    pub(super) fn write(&mut self, text: &str) -> Result<(), RenderFailure> {
        self.output.write_str(text).map_err(|_| self.too_long())
    }

    /// The only possible error of writing to the output.
    pub(super) fn too_long(&self) -> RenderFailure {
        too_long(self.template.limits).into()
    }

    pub(super) fn write_value(&mut self, value: &Value) -> Result<(), RenderFailure> {
        let print = self.template.print;
        print(value, &mut self.output).map_err(|_| self.too_long())
    }

    pub(super) fn write_attribute_value(&mut self, value: &Value) -> Result<(), RenderFailure> {
        let mut text = RenderOutput::new(self.output.remaining());
        let print = self.template.print;
        print(value, &mut text).map_err(|_| self.too_long())?;
        self.write_attribute(&text.into_text())
    }

    /// Writes a text in the attributes of a role marker. It is encoded, so that it cannot end them.
    pub(super) fn write_attribute(&mut self, text: &str) -> Result<(), RenderFailure> {
        if text.len() > self.output.remaining() {
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
            StackValue::Rich(rich) => Err(rich.attribute_error(subject.span)),
            StackValue::Missing | StackValue::Inputs => self.write_attribute(""),
        }
    }

    /// Pushes the result of a function.
    fn push_result(
        &mut self,
        call: &HostCall,
        result: Result<Value, Error>,
    ) -> Result<(), RenderFailure> {
        let value = result.map_err(|error| RenderFailure::new(error, Some(call.span)))?;
        self.stack.push(StackValue::Value(value));
        Ok(())
    }

    /// Runs a body in the enclosing context.
    pub(super) fn enter(&mut self, body: &'a [Step]) {
        self.bodies.push(Body { steps: body.iter(), kind: BodyKind::Once });
    }

    /// Runs a recursive partial.
    fn run_partial(
        &mut self,
        index: usize,
        indentation: &Indentation,
        span: TemplateSpan,
    ) -> Result<(), RenderFailure> {
        self.check_depth("sections", span)?;
        let template = self.template;
        let Some(body) = template.steps.partials.get(index) else { return Ok(()) };
        let inner = match indentation {
            Indentation::Absolute(text) => text.clone(),
            Indentation::Relative(text) => {
                self.budget.charge_read(self.indentation.len())?;
                format!("{}{text}", self.indentation)
            }
            _ => {
                let name = "partials with indentation of this kind";
                return Err(UnsupportedConstruct::new(name, span).into());
            }
        };
        let outer = std::mem::replace(&mut self.indentation, inner);
        self.partials += 1;
        self.bodies.push(Body { steps: body.iter(), kind: BodyKind::Partial { outer } });
        Ok(())
    }

    /// Writes the indentation of the enclosing partial.
    fn indent(&mut self) -> Result<(), RenderFailure> {
        let written = self.output.write_str(&self.indentation);
        written.map_err(|_| self.too_long())
    }

    /// Rejects another section, block or partial if too many enclose it.
    pub(super) fn check_depth(&self, what: &str, span: TemplateSpan) -> Result<(), RenderFailure> {
        let max_depth = self.template.limits.max_depth;
        if self.context.len() + self.frames.len() + self.partials < max_depth {
            return Ok(());
        }
        let message = format!("{what} are nested more than {max_depth} levels deep");
        let error = Error::new(ErrorKind::Limit, message)
            .with_help("raise `max_depth` of the render limits");
        Err(RenderFailure::new(error, Some(span)))
    }
}
