//! A prompt that is compiled once and rendered many times.
//!
//! A renderer, a parser or a function of the host may wait, so rendering and parsing have async
//! forms. The specification asks for two forms of every function (§12.1). But loading and the
//! built-in parsers never wait, so an async form of them would only repeat the other one.
//!
//! [`PipelineBuilder::build`] assembles the files of the template, looks its language and parser up
//! in the registry, and compiles it. [`Pipeline::prepare`] is [`Pipeline::render`] and then
//! [`Pipeline::parse`]. A render begins with [`Inner::begin_call`], which validates the inputs,
//! takes a nonce and gives placeholders to threads and media. The engine then writes the text.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::blueprint::{Blueprint, Options};
use super::inputs::Inputs;
use super::role_loops;
use super::segments::{Segment, SegmentTemplate};
use super::template_renderer::{CustomRenderer, LanguageRenderer, MessageMarks, TemplateRenderer};
use super::validate::{self, RichInputValue};
use crate::engine::{RenderFailure, Scope, Undefined};
use crate::nonce::{Nonce, NoncePool, Rendered, Rich, TextRules};
use crate::parse::{OnForgedMarker, check_repetitions, into_text};
use crate::registry::{ParserEntry, Registry, RendererEntry, RunnableLanguage};
use prompty_check::definition::{Assembler, TemplateFolder, assemble_template};
use prompty_core::diagnostic::{SourceSpan, SourceText};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{Message, Role, ThreadRoles};
use prompty_core::trace::{self, HiddenTexts};
use prompty_core::value::Map;
use prompty_template::OUTPUT_REQUIREMENT;
use prompty_template::jinja::assembly::WhiteSpace;
use prompty_template::{Marking, RenderLimits, SyntaxError, TEXT, TemplateCache};

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

/// Builds a [`Pipeline`] with other options: a registry, limits or strictness.
#[derive(Debug, Clone)]
pub struct PipelineBuilder {
    blueprint: Blueprint,
    options: Options,
    /// The error of the text about the output, which the template needs.
    failure: Option<Arc<Error>>,
    /// How to assemble the files of a template that was given as text.
    files: Option<TemplateFiles>,
}

/// How to assemble the files of a template that was given as text.
#[derive(Debug, Clone, Default)]
struct TemplateFiles {
    folder: Option<PathBuf>,
    white_space: WhiteSpace,
}

impl PipelineBuilder {
    /// Starts with the text of a template. Its format is `jinja2`, and it declares no inputs. Line
    /// ends are normalised as in a file.
    ///
    /// ```
    /// # use prompty_runtime as typed_prompty;
    /// use typed_prompty::render::{Inputs, PipelineBuilder};
    ///
    /// let pipeline = PipelineBuilder::from_text("greeting", "user:\nHi {{ name }}").build()?;
    /// assert_eq!(pipeline.prepare([("name", "Ada")])?[0].text(), "Hi Ada");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn from_text(name: &str, template: &str) -> Self {
        let source = SourceText::new(name, template).normalised();
        let builder = Self::new(Blueprint {
            name: name.into(),
            body: SourceSpan::new(0, source.text().len()),
            source,
            is_text: false,
            format: "jinja2".to_owned(),
            parser: "prompty".to_owned(),
            strict: false,
            role: None,
            keeps_white_space: false,
            inputs: Vec::new(),
            output_requirement: None,
            tree: TemplateCache::default(),
            hidden: HiddenTexts::default(),
        });
        Self { files: Some(TemplateFiles::default()), ..builder }
    }

    /// Sets the folder of the files that the text of [`PipelineBuilder::from_text`] includes,
    /// imports or extends. Only [`build`](Self::build) reads files.
    #[must_use]
    pub fn with_templates(mut self, folder: impl Into<PathBuf>) -> Self {
        if let Some(files) = &mut self.files {
            files.folder = Some(folder.into());
        }
        self
    }

    /// Makes block tags remove the line break after them, in the text of
    /// [`PipelineBuilder::from_text`] and its files. In a prompt file, write
    /// `template: {format: {kind: jinja2, trim_blocks: true}}`.
    ///
    /// ```
    /// # use prompty_runtime as typed_prompty;
    /// use typed_prompty::render::PipelineBuilder;
    ///
    /// let text = "{% if true %}\n  a\n  {% endif %}\nb";
    /// let pipeline = PipelineBuilder::from_text("t", text).with_trim_blocks().with_lstrip_blocks().build()?;
    /// assert_eq!(pipeline.render([("x", "")])?.plain_text(), "  a\nb");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_trim_blocks(mut self) -> Self {
        if let Some(files) = &mut self.files {
            files.white_space.trim_blocks = true;
        }
        self
    }

    /// Makes block tags remove the white space before them on their line, in the text of
    /// [`PipelineBuilder::from_text`] and its files.
    #[must_use]
    pub fn with_lstrip_blocks(mut self) -> Self {
        if let Some(files) = &mut self.files {
            files.white_space.lstrip_blocks = true;
        }
        self
    }

    /// Sets the template language, by its kind in the registry.
    #[must_use]
    pub fn with_format(mut self, kind: &str) -> Self {
        self.blueprint.format = kind.to_owned();
        self
    }

    /// Sets the parser, by its kind in the registry.
    #[must_use]
    pub fn with_parser(mut self, kind: &str) -> Self {
        self.blueprint.parser = kind.to_owned();
        self
    }

    /// Sets the role of the message of a template without role markers. By default it is `system`.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_runtime::render; }
    /// use typed_prompty::message::Role;
    /// use typed_prompty::render::PipelineBuilder;
    ///
    /// let pipeline = PipelineBuilder::from_text("ask", "Why {{ x }}?").with_role(Role::User).build()?;
    /// assert_eq!(pipeline.prepare([("x", "so")])?[0].role, Role::User);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_role(mut self, role: impl Into<Role>) -> Self {
        self.blueprint.role = Some(role.into());
        self
    }

    /// Keeps the line breaks that inputs bring at the ends of messages. Only those of the template
    /// are removed there.
    ///
    /// ```
    /// # use prompty_runtime as typed_prompty;
    /// use typed_prompty::render::PipelineBuilder;
    ///
    /// let builder = PipelineBuilder::from_text("complete", "user:\n\n{{ code }}\n\n");
    /// let input = [("code", "fn main() {\n")];
    /// assert_eq!(builder.clone().build()?.prepare(input)?[0].text(), "fn main() {");
    /// let pipeline = builder.with_kept_white_space().build()?;
    /// assert_eq!(pipeline.prepare(input)?[0].text(), "fn main() {\n");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_kept_white_space(mut self) -> Self {
        self.blueprint.keeps_white_space = true;
        self
    }

    /// Makes a text prompt of the template: [`Pipeline::text`] returns its complete output. The same
    /// as the parser `text`.
    ///
    /// ```
    /// # use prompty_runtime as typed_prompty;
    /// use typed_prompty::render::PipelineBuilder;
    ///
    /// let pipeline = PipelineBuilder::from_text("skills", "\n- {{ name }}\n\n").as_text().build()?;
    /// // Jinja2 drops one line break at the end of a template.
    /// assert_eq!(pipeline.text([("name", "sort")])?, "\n- sort\n");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn as_text(self) -> Self {
        self.with_parser(TEXT)
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
        Self { blueprint, options, failure: None, files: None }
    }

    /// Declares an input as a thread whose messages may have these roles.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_runtime::render; }
    /// use typed_prompty::message::{Message, ThreadRoles};
    /// use typed_prompty::render::{Inputs, PipelineBuilder};
    ///
    /// let pipeline = PipelineBuilder::from_text("ask", "{{ history }}\nuser:\nWhy?")
    ///     .with_thread_roles("history", ThreadRoles::new(["system", "user", "assistant", "tool"]))
    ///     .build()?;
    /// let history = [Message::system("Be brief.")];
    /// assert_eq!(pipeline.prepare(Inputs::new().with_thread("history", history))?.len(), 2);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_thread_roles(mut self, name: &str, roles: ThreadRoles) -> Self {
        self.blueprint.declare_thread(name);
        let declared = self.blueprint.inputs.iter_mut().find(|input| input.name == name);
        if let Some(input) = declared {
            input.roles = roles;
        }
        self
    }

    /// Sets the variable `output_requirement`, a text that describes the expected answer to the
    /// model. A prompt with `outputs` already has it. An input of that name replaces it only if the
    /// prompt declares the input.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; pub use prompty_runtime::render; }
    /// use typed_prompty::shape::{Requirement, Shape};
    /// use typed_prompty::render::{Inputs, PipelineBuilder};
    ///
    /// let city = Shape::object([("city", Shape::text())]);
    /// let pipeline = PipelineBuilder::from_text("ask", "user:\nWhere?\n{{ output_requirement }}")
    ///     .with_output_requirement(&Requirement::of(city).in_template())
    ///     .build()?;
    /// assert!(pipeline.prepare(Inputs::new())?[0].text().contains("\"city\": <str>"));
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_output_requirement(mut self, text: &str) -> Self {
        self.blueprint.output_requirement = Some(Arc::from(text));
        self.failure = None;
        self
    }

    /// Makes the builder fail unless [`PipelineBuilder::with_output_requirement`] is called, since
    /// only the program knows the type of the output.
    pub(super) fn with_missing_output(self, name: &str) -> Self {
        let message = format!("the description of the output type `{name}` is missing");
        let help = "call `Pipeline::builder(&definition).with_output_requirement(text)`";
        self.with_failure(Error::new(ErrorKind::MissingInput, message).with_help(help))
    }

    /// Makes [`build`](Self::build) fail.
    pub(super) fn with_failure(mut self, failure: Error) -> Self {
        self.failure = Some(Arc::new(failure));
        self
    }

    /// Sets the registry: renderers, parsers, filters, tests and functions of the host.
    #[must_use]
    pub fn with_registry(mut self, registry: &Registry) -> Self {
        self.options.registry = registry.clone();
        self
    }

    /// Sets the limits of a render.
    #[must_use]
    pub fn with_limits(mut self, limits: RenderLimits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Sets the behaviour of undefined variables.
    #[must_use]
    pub fn with_undefined(mut self, undefined: Undefined) -> Self {
        self.options.undefined = undefined;
        self
    }

    /// Sets the treatment of a line in an input that looks like a role marker. By default the
    /// option `strict` of the front matter decides.
    #[must_use]
    pub fn with_on_forged_marker(mut self, on_forged_marker: OnForgedMarker) -> Self {
        self.options.on_forged_marker = on_forged_marker;
        self
    }

    /// Records the values of the inputs in the `render` span, with secrets redacted. By default the
    /// span records only their names.
    #[must_use]
    pub fn with_traced_inputs(mut self) -> Self {
        self.options.traces_inputs = true;
        self
    }

    /// Compiles the template.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::TemplateSyntax`] with its place in the source if the template is
    /// invalid, and [`ErrorKind::Invoker`] if its format or parser is not registered.
    pub fn build(self) -> Result<Pipeline, Error> {
        let hidden = self.blueprint.hidden.clone();
        self.compile().map_err(|error| hidden.hide_error(error))
    }

    /// Joins the files of the template into one source, if it was given as text in a language that
    /// can name other files.
    fn assemble(mut self) -> Result<Self, Error> {
        let assembler = Assembler::of_format(&self.blueprint.format);
        let (Some(files), Some(assembler)) = (self.files.take(), assembler) else {
            return Ok(self);
        };
        let blueprint = &mut self.blueprint;
        let folder = files.folder.map(|path| {
            let shown = path.to_string_lossy().into_owned();
            TemplateFolder::new(path, shown)
        });
        let help = "set the folder with `PipelineBuilder::with_templates`";
        let (source, body) = (&blueprint.source, blueprint.body);
        let mut assembly =
            assemble_template(assembler, source, body, files.white_space, folder.as_ref(), help);
        blueprint.tree = assembly.take_tree(&blueprint.format);
        (blueprint.source, blueprint.body) = assembly.into_source()?;
        Ok(self)
    }

    fn compile(self) -> Result<Pipeline, Error> {
        if let Some(failure) = &self.failure {
            return Err(failure.duplicate());
        }
        let Blueprint { source, body, .. } = &self.blueprint;
        if body.text_in(source.text()).is_none() {
            let message = "`body` is not a span of `source`";
            return Err(Error::new(ErrorKind::TemplateSyntax, message)
                .with_help("set `body` to the span of the template in `source`"));
        }
        let Self { mut blueprint, options, .. } = self.assemble()?;
        let parser = options.registry.parser(&blueprint.parser)?;
        check_message_options(&blueprint, &parser)?;
        if matches!(parser, ParserEntry::Text) {
            blueprint.make_text();
        }
        let renderer = options.registry.renderer(&blueprint.format)?;
        let (engine, template) = compile_template(renderer, &parser, &mut blueprint, &options)?;
        // A declared input of this name replaces the text about the output.
        let is_input = blueprint.inputs.iter().any(|input| input.name == OUTPUT_REQUIREMENT);
        blueprint.output_requirement = blueprint.output_requirement.filter(|_| !is_input);
        let (segments, nonces) = (OnceLock::new(), NoncePool::default());
        let inner = Inner { blueprint, template, engine, parser, options, segments, nonces };
        Ok(Pipeline { inner: Arc::new(inner) })
    }
}

/// Checks that the parser supports the prompt's options for messages.
fn check_message_options(blueprint: &Blueprint, parser: &ParserEntry) -> Result<(), Error> {
    if blueprint.keeps_white_space && matches!(parser, ParserEntry::Custom(_)) {
        let message = "a parser of the host does not support `white_space: keep`";
        return Err(Error::new(ErrorKind::Invoker, message)
            .with_help("remove the option, or use the parser `prompty`"));
    }
    let Some(role) = &blueprint.role else { return Ok(()) };
    let (message, help) = match parser {
        ParserEntry::Text => (
            format!("a text prompt has the role `{role}`"),
            "remove the role: a text prompt has no messages",
        ),
        _ if !Role::OF_MARKERS.contains(role) => (
            format!("unknown role `{role}` of the message of a template"),
            "use `system`, `user`, `assistant` or `developer`",
        ),
        _ => return Ok(()),
    };
    Err(Error::new(ErrorKind::RoleNotAllowed, message).with_help(help))
}

/// Prepares a template for its renderer. Also returns its text if it differs from the source.
fn compile_template(
    renderer: RendererEntry,
    parser: &ParserEntry,
    blueprint: &mut Blueprint,
    options: &Options,
) -> Result<(TemplateRenderer, Option<String>), Error> {
    match renderer {
        RendererEntry::Custom(_) if matches!(parser.marking(), Marking::Tags) => {
            let message = "a custom renderer does not support message tags";
            Err(Error::new(ErrorKind::Invoker, message)
                .with_help("register the format with `Registry::with_language`"))
        }
        RendererEntry::Custom(_) if blueprint.keeps_white_space => {
            let message = "a custom renderer does not support `white_space: keep`";
            Err(Error::new(ErrorKind::Invoker, message)
                .with_help("register the format with `Registry::with_language`"))
        }
        RendererEntry::Custom(renderer) => {
            Ok((TemplateRenderer::Custom(CustomRenderer(renderer)), None))
        }
        RendererEntry::Language(runnable) => {
            let compiled = compile_language(runnable, parser, blueprint, options);
            let (engine, text) = compiled.map_err(|error| blueprint.syntax_error(error))?;
            Ok((TemplateRenderer::Language(engine), text))
        }
    }
}

/// Compiles a template in a language. Also returns its text if it differs from the source, because
/// loops over threads were replaced.
fn compile_language(
    runnable: RunnableLanguage,
    parser: &ParserEntry,
    blueprint: &mut Blueprint,
    options: &Options,
) -> Result<(LanguageRenderer, Option<String>), SyntaxError> {
    let has_markers = matches!(parser, ParserEntry::Prompty);
    let tree = runnable.parse(blueprint.template(), &blueprint.tree)?;
    let (changed_text, tree) = match has_markers && runnable.language.has_thread_loops() {
        true => role_loops::template_with_threads(blueprint, tree),
        false => (None, tree),
    };
    let text = changed_text.as_deref().unwrap_or_else(|| blueprint.template());
    let texts = blueprint.names_of_texts();
    let is_text = |name: &str| texts.contains(name);
    let (role, keeps_white_space) = (blueprint.role.clone(), blueprint.keeps_white_space);
    let marks = MessageMarks { marking: parser.marking(), role, keeps_white_space };
    let engine = LanguageRenderer::new(runnable, text, tree, marks, &is_text, options)?;
    if has_markers {
        role_loops::refuse_role_lines(text, engine.tree(), blueprint)?;
    }
    Ok((engine, changed_text))
}

impl Pipeline {
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
    /// [`PipelineBuilder::as_text`], or whose parser is `text`.
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
