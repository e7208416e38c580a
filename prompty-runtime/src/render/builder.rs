//! Builds pipelines: their options, and the compilation of their templates.

use std::path::PathBuf;
use std::sync::Arc;

use super::blueprint::{Blueprint, Options};
use super::pipeline::Pipeline;
use super::role_loops;
use super::template_renderer::{CustomRenderer, LanguageRenderer, MessageMarks, TemplateRenderer};
use crate::engine::Undefined;
use crate::parse::OnForgedMarker;
use crate::registry::{ParserEntry, Registry, RendererEntry, RunnableLanguage};
use prompty_check::definition::{Assembler, TemplateFolder, assemble_template};
use prompty_core::diagnostic::{SourceSpan, SourceText};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{Role, ThreadRoles};
use prompty_core::trace::HiddenTexts;
use prompty_template::OUTPUT_REQUIREMENT;
use prompty_template::jinja::assembly::WhiteSpace;
use prompty_template::{Marking, RenderLimits, SyntaxError, TEXT, TemplateCache};

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
        Ok(Pipeline::of_parts(blueprint, template, engine, parser, options))
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
