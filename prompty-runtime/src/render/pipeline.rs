//! A prompt, compiled once and rendered often.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::blueprint::{Blueprint, Options};
use super::engine::{Custom, Engine};
use super::inputs::Inputs;
use super::rich;
use super::segments::{Segment, SegmentTemplate};
use super::validate::{self, Declared};
use crate::nonce::{Nonce, Rendered, Rich, Supply};
use crate::parse::{self, OnForgedMarker};
use crate::registry::{ParserEntry, Registry};
use crate::template::{RenderFailure, RenderLimits, Scope, Undefined};
use prompty_core::diagnostic::{SourceText, Span};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::Message;
use prompty_core::text::slice;
use prompty_core::trace;
use prompty_core::value::Map;

/// A prompt whose template is compiled, ready to be rendered any number of times from any thread.
///
/// ```
/// use prompty_runtime::definition::Definition;
/// use prompty_runtime::render::Pipeline;
///
/// let definition = Definition::from_text("system:\nBe brief.\n\nuser:\n{{ question }}")?;
/// let pipeline = Pipeline::new(&definition)?;
/// let messages = pipeline.prepare([("question", "Why?")])?;
/// assert_eq!(messages[1].text(), "Why?");
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pipeline {
    inner: Arc<Inner>,
}

struct Inner {
    name: Arc<str>,
    source: SourceText,
    body: Span,
    declared: Vec<Declared>,
    engine: Engine,
    parser: ParserEntry,
    options: Options,
    segments: OnceLock<Option<SegmentTemplate>>,
    nonces: Supply,
}

/// The source and the defaults may hold credentials.
impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs: Vec<&str> = self.declared.iter().map(|input| input.name.as_str()).collect();
        f.debug_struct("Inner")
            .field("name", &self.name)
            .field("source", &self.source.name())
            .field("inputs", &inputs)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Sets up a [`Pipeline`]: another registry, other limits, how strict it is.
#[derive(Debug, Clone)]
pub struct PipelineBuilder {
    blueprint: Blueprint,
    options: Options,
}

impl PipelineBuilder {
    /// Begins with a template's text alone: format `jinja2`, no declared inputs. Line ends are read
    /// as those of a file are.
    ///
    /// ```
    /// use prompty_runtime::render::{Inputs, PipelineBuilder};
    ///
    /// let pipeline = PipelineBuilder::from_text("greeting", "user:\nHi {{ name }}").build()?;
    /// assert_eq!(pipeline.prepare([("name", "Ada")])?[0].text(), "Hi Ada");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn from_text(name: &str, template: &str) -> Self {
        let source = SourceText::new(name, template).normalised();
        Self::new(Blueprint {
            name: name.into(),
            body: Span::new(0, source.text().len()),
            source,
            format: "jinja2".to_owned(),
            parser: "prompty".to_owned(),
            strict: false,
            inputs: Vec::new(),
        })
    }

    /// The template language, by its kind in the registry.
    #[must_use]
    pub fn format(mut self, kind: &str) -> Self {
        self.blueprint.format = kind.to_owned();
        self
    }

    /// The parser, by its kind in the registry.
    #[must_use]
    pub fn parser(mut self, kind: &str) -> Self {
        self.blueprint.parser = kind.to_owned();
        self
    }

    pub(crate) fn new(blueprint: Blueprint) -> Self {
        let on_forged_marker =
            if blueprint.strict { OnForgedMarker::Error } else { OnForgedMarker::Literal };
        let options = Options {
            registry: Registry::new(),
            limits: RenderLimits::default(),
            undefined: Undefined::Empty,
            on_forged_marker,
            traces_inputs: false,
        };
        Self { blueprint, options }
    }

    /// Renderers, parsers, filters, tests and functions of the host.
    #[must_use]
    pub fn registry(mut self, registry: &Registry) -> Self {
        self.options.registry = registry.clone();
        self
    }

    /// How much a render may do.
    #[must_use]
    pub fn limits(mut self, limits: RenderLimits) -> Self {
        self.options.limits = limits;
        self
    }

    /// What an undefined variable does.
    #[must_use]
    pub fn undefined(mut self, undefined: Undefined) -> Self {
        self.options.undefined = undefined;
        self
    }

    /// What a line of an input does that looks like a role marker. Without this, `strict` in the
    /// front matter decides.
    #[must_use]
    pub fn on_forged_marker(mut self, on_forged_marker: OnForgedMarker) -> Self {
        self.options.on_forged_marker = on_forged_marker;
        self
    }

    /// Records the values of the inputs in the `render` span, secrets redacted. By default only
    /// their names are recorded.
    #[must_use]
    pub fn trace_inputs(mut self) -> Self {
        self.options.traces_inputs = true;
        self
    }

    /// Compiles the template.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TemplateSyntax`] with the place in the source, or [`ErrorKind::Invoker`] where
    /// the template's format or parser is not registered.
    pub fn build(self) -> Result<Pipeline, Error> {
        let Self { blueprint, options } = self;
        let parser = options.registry.parser(&blueprint.parser)?;
        let renderer = options.registry.renderer(&blueprint.format)?;
        let engine = Engine::compile(renderer, blueprint.template(), &options)
            .map_err(|error| blueprint.refused(error))?;
        let declared = blueprint.inputs.into_iter().map(Declared::from);
        let inner = Inner {
            name: blueprint.name,
            source: blueprint.source,
            body: blueprint.body,
            declared: declared.collect(),
            engine,
            parser,
            options,
            segments: OnceLock::new(),
            nonces: Supply::default(),
        };
        Ok(Pipeline { inner: Arc::new(inner) })
    }
}

impl Pipeline {
    /// Inputs with their defaults filled in and the required ones demanded (§12.2).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingInput`] for the first required input that is not there.
    pub fn validate_inputs(&self, inputs: impl Into<Inputs>) -> Result<Inputs, Error> {
        let mut inputs = inputs.into();
        validate::fill(&self.inner.declared, &mut inputs)?;
        Ok(inputs)
    }

    /// Renders the template (§5): the text with its nonces, and the rich inputs that belong to it.
    ///
    /// # Errors
    ///
    /// A required input that is missing, one of the wrong form, a limit that was reached, or an
    /// operation that failed, with its place in the template.
    pub fn render(&self, inputs: impl Into<Inputs>) -> Result<Rendered, Error> {
        let inner = &*self.inner;
        let inputs = inputs.into();
        trace::span!("render", prompt = &*inner.name, inputs = inner.shown(&inputs));
        let call = inner.call(inputs)?;
        let text = match &inner.engine {
            Engine::BuiltIn(template) => {
                template.render(call.scope()).map_err(|failure| inner.placed(failure))?
            }
            Engine::Custom(Custom(renderer)) => {
                renderer.render(&inner.marked(&call.nonce), &call.plain_inputs())?
            }
        };
        Ok(call.finish(text))
    }

    /// [`Pipeline::render`] for callers that wait. Only a renderer of the host ever really waits.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::render`].
    pub async fn render_async(&self, inputs: impl Into<Inputs>) -> Result<Rendered, Error> {
        let inner = &*self.inner;
        let Engine::Custom(Custom(renderer)) = &inner.engine else { return self.render(inputs) };
        let inputs = inputs.into();
        let span =
            trace::pending_span!("render", prompt = &*inner.name, inputs = inner.shown(&inputs));
        let work = async {
            let call = inner.call(inputs)?;
            let template = inner.marked(&call.nonce);
            let text = renderer.render_async(&template, &call.plain_inputs()).await?;
            Ok(call.finish(text))
        };
        trace::within(span, work).await
    }

    /// Reads rendered text as messages (§6).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ForgedMarker`] in strict mode.
    pub fn parse(&self, rendered: &Rendered) -> Result<Vec<Message>, Error> {
        trace::span!("parse", prompt = &*self.inner.name);
        let on_forged_marker = self.inner.options.on_forged_marker;
        match &self.inner.parser {
            ParserEntry::Prompty => parse::parse(rendered, on_forged_marker),
            ParserEntry::Custom(parser) => parser.parse(rendered, on_forged_marker),
        }
    }

    /// [`Pipeline::parse`] for callers that wait. Only a parser of the host ever really waits.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::parse`].
    pub async fn parse_async(&self, rendered: &Rendered) -> Result<Vec<Message>, Error> {
        let ParserEntry::Custom(parser) = &self.inner.parser else { return self.parse(rendered) };
        let span = trace::pending_span!("parse", prompt = &*self.inner.name);
        let on_forged_marker = self.inner.options.on_forged_marker;
        trace::within(span, parser.parse_async(rendered, on_forged_marker)).await
    }

    /// From inputs to messages: validates, renders, parses.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::render`] and [`Pipeline::parse`].
    pub fn prepare(&self, inputs: impl Into<Inputs>) -> Result<Vec<Message>, Error> {
        trace::span!("prepare", prompt = &*self.inner.name);
        let rendered = self.render(inputs)?;
        match &self.inner.parser {
            ParserEntry::Prompty => {
                trace::span!("parse", prompt = &*self.inner.name);
                parse::parse_owned(rendered, self.inner.options.on_forged_marker)
            }
            ParserEntry::Custom(_) => self.parse(&rendered),
        }
    }

    /// [`Pipeline::prepare`] for callers that wait.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::prepare`].
    pub async fn prepare_async(&self, inputs: impl Into<Inputs>) -> Result<Vec<Message>, Error> {
        let inputs = inputs.into();
        let span = trace::pending_span!("prepare", prompt = &*self.inner.name);
        let work = async {
            let rendered = self.render_async(inputs).await?;
            self.parse_async(&rendered).await
        };
        trace::within(span, work).await
    }

    /// Renders to pieces that say where they come from: literal text of the template, or an input.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::render`]; [`ErrorKind::StrictViolation`] where an input that is declared
    /// `strict` opens a role line; [`ErrorKind::Invoker`] for a format that has no segments.
    pub fn render_segments(&self, inputs: impl Into<Inputs>) -> Result<Vec<Segment>, Error> {
        let inner = &*self.inner;
        let template = inner.segments.get_or_init(|| inner.segment_template());
        let Some(template) = template else {
            let message = "this template format does not render to segments";
            let error = Error::new(ErrorKind::Invoker, message);
            return Err(error.with_help("use a format that is built in"));
        };
        let call = inner.call(inputs.into())?;
        template.render(call.scope()).map_err(|failure| inner.placed(failure))
    }
}

/// One render: its nonce, its inputs, and what stands for those that are no text.
struct Call {
    nonce: Nonce,
    values: Map,
    names: Vec<crate::template::RichInput>,
    rich: Vec<(String, Rich)>,
}

impl Call {
    fn scope(&self) -> Scope<'_> {
        Scope { inputs: &self.values, rich: &self.names, nonce: self.nonce.as_str() }
    }

    /// The inputs with placeholders as texts, for renderers of the host.
    fn plain_inputs(&self) -> Map {
        let mut inputs = self.values.clone();
        for name in &self.names {
            inputs.insert(name.name.as_str(), name.placeholder.as_str());
        }
        inputs
    }

    fn finish(self, text: String) -> Rendered {
        Rendered::new(text, self.nonce, self.rich)
    }
}

impl Inner {
    fn call(&self, mut inputs: Inputs) -> Result<Call, Error> {
        validate::fill(&self.declared, &mut inputs)?;
        let mut given = validate::take_rich(&self.declared, &mut inputs)?;
        let nonce = self.nonces.nonce()?;
        let (values, undeclared) = inputs.into_parts();
        given.extend(undeclared.into_iter().map(|(name, rich)| (name.as_ref().to_owned(), rich)));
        let (names, rich) = rich::name(given, &nonce);
        Ok(Call { nonce, values, names, rich })
    }

    /// `None` for renderers of the host. That the text can be compiled, the pipeline has seen.
    fn segment_template(&self) -> Option<SegmentTemplate> {
        let Engine::BuiltIn(engine) = &self.engine else { return None };
        let strict = self.declared.iter().filter(|input| input.strict);
        let strict: Vec<&str> = strict.map(|input| input.name.as_str()).collect();
        SegmentTemplate::compile(engine, self.instructions(), &self.options, &strict).ok()
    }

    fn instructions(&self) -> &str {
        slice(self.source.text(), self.body.start..self.body.end)
    }

    /// The template with the nonce in its markers, for renderers of the host (§6.3).
    fn marked(&self, nonce: &Nonce) -> String {
        crate::nonce::marker::mark_lines(self.instructions(), nonce)
    }

    /// What the `render` span records of the inputs.
    fn shown(&self, inputs: &Inputs) -> String {
        if !trace::is_recorded() {
            return String::new();
        }
        if self.options.traces_inputs {
            return trace::redact(&inputs.values().clone().into()).to_string();
        }
        inputs.values().keys().collect::<Vec<_>>().join(", ")
    }

    /// The failure as an error that says the line of the source.
    fn placed(&self, failure: RenderFailure) -> Error {
        match failure.span {
            Some(span) => failure.error.at(self.source.place(self.body.start + span.start)),
            None => failure.error,
        }
    }
}
