//! A prompt that is compiled once and rendered many times.
//!
//! A renderer, a parser or a function of the host may wait, so rendering and parsing have async
//! forms. The specification asks for two forms of every function (§12.1). But loading and the
//! built-in parsers never wait, so an async form of them would only repeat the other one.
//!
//! [`PipelineBuilder::build`](super::PipelineBuilder::build) assembles the files of the template,
//! looks its language and parser up in the registry, and compiles it. [`Pipeline::prepare`] is
//! [`Pipeline::render`] and then [`Pipeline::parse`]. A render begins with [`Inner::begin_call`],
//! which validates the inputs, takes a nonce and gives placeholders to threads and media. The engine
//! then writes the text.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::blueprint::{Blueprint, Options};
use super::inputs::Inputs;
use super::segments::{Segment, SegmentTemplate};
use super::template_renderer::{CustomRenderer, TemplateRenderer};
use super::validate::{self, RichInputValue};
use crate::engine::{RenderFailure, Scope};
use crate::nonce::{Nonce, NoncePool, Rendered, Rich, TextRules};
use crate::parse::{check_repetitions, into_text};
use crate::registry::ParserEntry;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{Message, ThreadRoles};
use prompty_core::trace;
use prompty_core::value::Map;
use prompty_template::OUTPUT_REQUIREMENT;

/// A prompt with a compiled template. It can be rendered many times, from any thread.
///
/// A pipeline draws random numbers in advance. A process that forks must create its pipelines after
/// the fork, because otherwise both processes use the same numbers.
///
/// ```
/// # mod typed_prompty { pub use prompty_check::definition; pub use prompty_runtime::render; }
/// use typed_prompty::definition::Definition;
/// use typed_prompty::render::Pipeline;
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
    blueprint: Blueprint,
    /// The compiled template, if it differs from the template in the source.
    template: Option<String>,
    engine: TemplateRenderer,
    parser: ParserEntry,
    options: Options,
    /// The template for renders to segments, compiled at its first use; `None` inside if the
    /// format does not support them.
    segments: OnceLock<Option<SegmentTemplate>>,
    nonces: NoncePool,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner")
            .field("name", &self.blueprint.name)
            .field("source", &self.blueprint.source.name())
            .field("inputs", &self.blueprint.shown_inputs())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Pipeline {
    /// The pipeline of a compiled template. `template` is its text if it differs from the source.
    pub(super) fn of_parts(
        blueprint: Blueprint,
        template: Option<String>,
        engine: TemplateRenderer,
        parser: ParserEntry,
        options: Options,
    ) -> Self {
        let (segments, nonces) = (OnceLock::new(), NoncePool::default());
        let inner = Inner { blueprint, template, engine, parser, options, segments, nonces };
        Self { inner: Arc::new(inner) }
    }

    /// Checks that all required inputs are given, and adds defaults (§12.2).
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::MissingInput`] if a required input is missing.
    pub fn validate_inputs(&self, inputs: impl Into<Inputs>) -> Result<Inputs, Error> {
        let mut inputs = inputs.into();
        validate::fill_defaults(&self.inner.blueprint.inputs, &mut inputs)
            .map_err(|error| self.inner.hide(error))?;
        Ok(inputs.hiding(&self.inner.blueprint.hidden))
    }

    /// Renders the template (§5) into a text with nonces, together with its rich inputs.
    ///
    /// # Errors
    ///
    /// Returns an error if a required input is missing, an input has the wrong type, a limit is
    /// exceeded, or an operation of the template fails. The last one has its place in the template.
    pub fn render(&self, inputs: impl Into<Inputs>) -> Result<Rendered, Error> {
        let inner = &*self.inner;
        let inputs = inputs.into();
        trace::span!(
            "render",
            prompt = &*inner.blueprint.name,
            inputs = inner.traced_inputs(&inputs)
        );
        inner.render(inputs).map_err(|error| inner.hide(error))
    }

    /// Renders the template asynchronously. Only renderers and functions of the host can wait.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Pipeline::render`].
    pub async fn render_async(&self, inputs: impl Into<Inputs>) -> Result<Rendered, Error> {
        let inner = &*self.inner;
        let inputs = inputs.into();
        let span = trace::pending_span!(
            "render",
            prompt = &*inner.blueprint.name,
            inputs = inner.traced_inputs(&inputs)
        );
        let work = async {
            let call = inner.begin_call(inputs)?;
            let text = match &inner.engine {
                TemplateRenderer::Language(template) => {
                    let rendered = template.render_async(call.scope()).await;
                    rendered.map_err(|failure| inner.locate(failure))?
                }
                TemplateRenderer::Custom(CustomRenderer(renderer)) => {
                    let template = inner.template_with_nonce(&call.nonce);
                    renderer.render_async(&template, &call.plain_inputs()).await?
                }
            };
            inner.finish(call, text)
        };
        trace::within(span, work).await.map_err(|error| inner.hide(error))
    }

    /// Parses rendered text into messages (§6).
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::ForgedMarker`] in strict mode if an input contains a role marker, and
    /// [`ErrorKind::RoleNotAllowed`] if a thread does not allow the role of one of its messages.
    pub fn parse(&self, rendered: &Rendered) -> Result<Vec<Message>, Error> {
        trace::span!("parse", prompt = &*self.inner.blueprint.name);
        let on_forged_marker = self.inner.options.on_forged_marker;
        let parsed = self.inner.parser.parse(rendered, on_forged_marker);
        parsed.map_err(|error| self.inner.hide(error))
    }

    /// Parses rendered text asynchronously. Only a parser of the host can wait.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Pipeline::parse`].
    pub async fn parse_async(&self, rendered: &Rendered) -> Result<Vec<Message>, Error> {
        let ParserEntry::Custom(parser) = &self.inner.parser else { return self.parse(rendered) };
        let span = trace::pending_span!("parse", prompt = &*self.inner.blueprint.name);
        let on_forged_marker = self.inner.options.on_forged_marker;
        let work = async {
            rendered.check_threads()?;
            parser.parse_async(rendered, on_forged_marker).await
        };
        trace::within(span, work).await.map_err(|error| self.inner.hide(error))
    }

    /// Makes messages from inputs: validates the inputs, renders the template and parses the
    /// result.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Pipeline::render`] and [`Pipeline::parse`].
    pub fn prepare(&self, inputs: impl Into<Inputs>) -> Result<Vec<Message>, Error> {
        trace::span!("prepare", prompt = &*self.inner.blueprint.name);
        let rendered = self.render(inputs)?;
        trace::span!("parse", prompt = &*self.inner.blueprint.name);
        let on_forged_marker = self.inner.options.on_forged_marker;
        let parsed = self.inner.parser.parse_owned(rendered, on_forged_marker);
        parsed.map_err(|error| self.inner.hide(error))
    }

    /// Makes the text of a text prompt from inputs: one that was built with
    /// [`PipelineBuilder::as_text`](super::PipelineBuilder::as_text), or whose parser is `text`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Pipeline::render`], and [`ErrorKind::Invoker`] if the prompt has
    /// messages.
    pub fn text(&self, inputs: impl Into<Inputs>) -> Result<String, Error> {
        trace::span!("prepare", prompt = &*self.inner.blueprint.name);
        self.inner.require_text()?;
        self.inner.into_text(self.render(inputs)?)
    }

    /// Makes the text of a text prompt asynchronously.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Pipeline::text`].
    pub async fn text_async(&self, inputs: impl Into<Inputs>) -> Result<String, Error> {
        let inputs = inputs.into();
        let span = trace::pending_span!("prepare", prompt = &*self.inner.blueprint.name);
        let work = async {
            self.inner.require_text()?;
            self.inner.into_text(self.render_async(inputs).await?)
        };
        trace::within(span, work).await
    }

    /// Makes messages from inputs asynchronously.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Pipeline::prepare`].
    pub async fn prepare_async(&self, inputs: impl Into<Inputs>) -> Result<Vec<Message>, Error> {
        let inputs = inputs.into();
        let span = trace::pending_span!("prepare", prompt = &*self.inner.blueprint.name);
        let work = async {
            let rendered = self.render_async(inputs).await?;
            self.parse_async(&rendered).await
        };
        trace::within(span, work).await
    }

    /// Renders to segments, each with its origin: literal text of the template, or an expression.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Pipeline::render`], [`ErrorKind::StrictViolation`] if an input
    /// that is declared `strict` contains a role line, and [`ErrorKind::Invoker`] if the format
    /// does not support segments.
    pub fn render_segments(&self, inputs: impl Into<Inputs>) -> Result<Vec<Segment>, Error> {
        let inner = &*self.inner;
        let template = inner.segments.get_or_init(|| inner.segment_template());
        let Some(template) = template else {
            let message = "a custom template format cannot be rendered as segments (fixed text and \
                           values)";
            let error = Error::new(ErrorKind::Invoker, message);
            return Err(error.with_help("use a built-in format"));
        };
        let segments = inner.begin_call(inputs.into()).and_then(|call| {
            template.render(call.scope()).map_err(|failure| inner.locate(failure))
        });
        segments.map_err(|error| inner.hide(error))
    }
}

/// The state of a render: its nonce, its values, and its rich inputs with their placeholders.
struct RenderCall {
    nonce: Nonce,
    values: Map,
    /// The rich inputs as the template sees them.
    names: Vec<crate::engine::RichInput>,
    /// The rich inputs as the parser gets them, by their placeholders.
    rich: Vec<(String, Rich, ThreadRoles)>,
}

impl RenderCall {
    fn scope(&self) -> Scope<'_> {
        Scope { inputs: &self.values, rich: &self.names, nonce: self.nonce.as_str() }
    }

    /// The inputs for a renderer of the host, with placeholders as strings.
    fn plain_inputs(&self) -> Map {
        let mut inputs = self.values.clone();
        for name in &self.names {
            inputs.insert(name.name.as_str(), name.placeholder.as_str());
        }
        inputs
    }
}

impl Inner {
    /// Hides the texts of the host in an error.
    fn hide(&self, error: Error) -> Error {
        self.blueprint.hidden.hide_error(error)
    }

    /// Requires that the prompt is a text prompt.
    fn require_text(&self) -> Result<(), Error> {
        if matches!(self.parser, ParserEntry::Text) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Invoker, "this prompt has messages, and is not a text prompt")
            .with_help("call `prepare`, or build the pipeline with `as_text`"))
    }

    /// Takes the text of a rendered text prompt.
    fn into_text(&self, rendered: Rendered) -> Result<String, Error> {
        into_text(rendered, self.options.on_forged_marker).map_err(|error| self.hide(error))
    }

    fn render(&self, inputs: Inputs) -> Result<Rendered, Error> {
        let call = self.begin_call(inputs)?;
        let text = match &self.engine {
            TemplateRenderer::Language(template) => {
                template.render(call.scope()).map_err(|failure| self.locate(failure))?
            }
            TemplateRenderer::Custom(CustomRenderer(renderer)) => {
                renderer.render(&self.template_with_nonce(&call.nonce), &call.plain_inputs())?
            }
        };
        self.finish(call, text)
    }

    /// Makes the input of the parser from the rendered text.
    fn finish(&self, call: RenderCall, text: String) -> Result<Rendered, Error> {
        let rendered = Rendered::with_roles(text, call.nonce, call.rich);
        check_repetitions(&rendered, self.options.limits.max_output)?;
        let rules = match &self.engine {
            TemplateRenderer::Language(template) => template.rules().clone(),
            TemplateRenderer::Custom(_) => {
                TextRules { leading_role: self.blueprint.role.clone(), ..TextRules::default() }
            }
        };
        Ok(rendered.with_rules(rules))
    }

    /// Validates the inputs, takes a nonce, and gives placeholders to the rich inputs.
    fn begin_call(&self, mut inputs: Inputs) -> Result<RenderCall, Error> {
        // Data must not change what the model is asked for, so an undeclared input of this name is
        // discarded.
        if let Some(text) = &self.blueprint.output_requirement {
            inputs.take_rich(OUTPUT_REQUIREMENT);
            inputs.values_mut().insert(OUTPUT_REQUIREMENT, Arc::clone(text));
        }
        validate::fill_defaults(&self.blueprint.inputs, &mut inputs)?;
        let mut rich_inputs = validate::take_rich(&self.blueprint.inputs, &mut inputs)?;
        let nonce = self.nonces.take()?;
        // A rich input that the prompt does not declare is accepted.
        let (values, undeclared) = inputs.into_parts();
        rich_inputs.extend(undeclared.into_iter().map(|(name, rich)| RichInputValue {
            name: name.as_ref().to_owned(),
            rich,
            roles: ThreadRoles::DEFAULT,
        }));
        if let (ParserEntry::Text, Some(found)) = (&self.parser, rich_inputs.first()) {
            let message =
                format!("the input `{}` is not text, and this is a text prompt", found.name);
            return Err(Error::new(ErrorKind::WrongInput, message)
                .with_help("pass it to a prompt of messages, or pass its text as a string"));
        }
        let (names, rich) = validate::assign_placeholders(rich_inputs, &nonce);
        Ok(RenderCall { nonce, values, names, rich })
    }

    /// Compiles the template for segments; `None` for a renderer of the host.
    fn segment_template(&self) -> Option<SegmentTemplate> {
        let TemplateRenderer::Language(engine) = &self.engine else { return None };
        let strict = self.blueprint.inputs.iter().filter(|input| input.strict);
        let strict: Vec<&str> = strict.map(|input| input.name.as_str()).collect();
        SegmentTemplate::compile(engine, self.instructions(), &self.options, &strict).ok()
    }

    /// The text of the compiled template.
    fn instructions(&self) -> &str {
        self.template.as_deref().unwrap_or_else(|| self.blueprint.template())
    }

    /// The template with the nonce in its markers, for a renderer of the host (§6.3).
    fn template_with_nonce(&self, nonce: &Nonce) -> String {
        prompty_template::role_markers::syntax::mark_lines(self.instructions(), nonce)
    }

    /// The text that the `render` span records about the inputs.
    fn traced_inputs(&self, inputs: &Inputs) -> String {
        if !trace::is_recorded() {
            return String::new();
        }
        if self.options.traces_inputs {
            let shown = self.blueprint.hidden.hide_value(&inputs.values().clone().into());
            return trace::redact(&shown).to_string();
        }
        let names = inputs.values().keys().map(|name| self.blueprint.hidden.shown(name));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Converts a failure into an error with its place in the source.
    fn locate(&self, failure: RenderFailure) -> Error {
        match failure.span {
            Some(span) => failure.error.with_place(self.blueprint.place(span)),
            None => failure.error,
        }
    }
}
