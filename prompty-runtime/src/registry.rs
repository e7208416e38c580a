//! Renderers and parsers by kind (§11), with the filters, tests and functions of the host.
//!
//! A [`Registry`] is a value, not a global. It starts with the built-in kinds, and its `with_…`
//! methods add or replace kinds.
//!
//! ```
//! # mod typed_prompty { pub use prompty_core::Error; pub use prompty_core::value; pub use prompty_runtime::registry; pub use prompty_runtime::render; }
//! use typed_prompty::value::{Map, Value};
//! use typed_prompty::registry::{Registry, Renderer};
//! use typed_prompty::render::PipelineBuilder;
//!
//! struct Dollar;
//!
//! impl Renderer for Dollar {
//!     fn render(&self, template: &str, inputs: &Map) -> Result<String, typed_prompty::Error> {
//!         let replace = |text: String, (name, value): (&str, &Value)| {
//!             text.replace(&format!("${name}"), &value.to_string())
//!         };
//!         Ok(inputs.iter().fold(template.to_owned(), replace))
//!     }
//! }
//!
//! let shout = |value: &Value, _: &[Value]| Ok(Value::from(value.to_string().to_uppercase()));
//! let registry = Registry::new().with_renderer("dollar", Dollar).with_filter("shout", shout);
//! let pipeline = PipelineBuilder::from_text("greeting", "user:\nHi $name")
//!     .with_format("dollar")
//!     .with_registry(&registry)
//!     .build()?;
//! assert_eq!(pipeline.prepare([("name", "Ada")])?[0].text(), "Hi Ada");
//! # Ok::<(), prompty_core::Error>(())
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

pub use crate::engine::{Arguments, AsyncTypedFunction, FromArgument, TypedFunction};
use crate::engine::{Engine, Extensions, JinjaEngine, StepEngine};
use crate::nonce::Rendered;
use crate::parse::{self, OnForgedMarker, parse, parse_message_tags};
use prompty_check::check::HostSignatures;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::Message;
use prompty_core::value::{Map, Value};
use prompty_template::jinja::Jinja2;
use prompty_template::{
    Language, MESSAGE_TAGS, Marking, SyntaxError, TEXT, Template, TemplateCache,
};
#[cfg(feature = "languages")]
use prompty_template::{
    handlebars::Handlebars, mustache::Mustache, semantic_kernel::SemanticKernel,
};

/// Renders a template and inputs into text (§5).
///
/// The role markers of the template carry the nonce of the render. The renderer must copy them
/// unchanged, each to its own line. Rich inputs are represented by placeholder strings, which it
/// must also copy unchanged.
pub trait Renderer: Send + Sync {
    /// Renders a template.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`] that helps the author to correct the prompt if the template cannot be
    /// rendered.
    fn render(&self, template: &str, inputs: &Map) -> Result<String, Error>;

    /// Renders a template asynchronously. By default, this renders synchronously when it is called.
    fn render_async<'a>(
        &'a self,
        template: &'a str,
        inputs: &'a Map,
    ) -> Pin<Box<dyn Future<Output = Result<String, Error>> + Send + 'a>> {
        Box::pin(std::future::ready(self.render(template, inputs)))
    }
}

/// Parses rendered text into messages (§6).
///
/// ```
/// # mod typed_prompty { pub use prompty_core::Error; pub use prompty_core::message; pub use prompty_runtime::nonce; pub use prompty_runtime::parse; pub use prompty_runtime::registry; }
/// use typed_prompty::message::Message;
/// use typed_prompty::nonce::Rendered;
/// use typed_prompty::parse::OnForgedMarker;
/// use typed_prompty::registry::{Parser, Registry};
///
/// struct OneMessage;
///
/// impl Parser for OneMessage {
///     fn parse(
///         &self,
///         rendered: &Rendered,
///         _: OnForgedMarker,
///     ) -> Result<Vec<Message>, typed_prompty::Error> {
///         Ok(vec![Message::user(rendered.text())])
///     }
/// }
///
/// let registry = Registry::new().with_parser("one-message", OneMessage);
/// ```
pub trait Parser: Send + Sync {
    /// Parses a rendered prompt.
    ///
    /// # Errors
    ///
    /// Returns an error if the text cannot be parsed, and [`ErrorKind::ForgedMarker`] if
    /// `on_forged_marker` requires it.
    fn parse(
        &self,
        rendered: &Rendered,
        on_forged_marker: OnForgedMarker,
    ) -> Result<Vec<Message>, Error>;

    /// Parses a rendered prompt asynchronously. By default, this parses synchronously when it is
    /// called.
    fn parse_async<'a>(
        &'a self,
        rendered: &'a Rendered,
        on_forged_marker: OnForgedMarker,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<Message>, Error>> + Send + 'a>> {
        Box::pin(std::future::ready(self.parse(rendered, on_forged_marker)))
    }
}

/// A template language, and the engine that runs its templates.
#[derive(Debug, Clone)]
pub(crate) struct RunnableLanguage {
    /// The built-in kind; `None` for a language of the host.
    built_in: Option<&'static str>,
    pub(crate) language: Arc<dyn Language>,
    pub(crate) engine: Arc<dyn Engine>,
}

/// A template language, or a renderer of the host.
#[derive(Clone)]
pub(crate) enum RendererEntry {
    Language(RunnableLanguage),
    Custom(Arc<dyn Renderer>),
}

impl RendererEntry {
    fn built_in(
        kind: &'static str,
        language: impl Language + 'static,
        engine: impl Engine + 'static,
    ) -> (Arc<str>, Self) {
        let (language, engine) = (Arc::new(language), Arc::new(engine));
        (kind.into(), Self::Language(RunnableLanguage { built_in: Some(kind), language, engine }))
    }
}

impl RunnableLanguage {
    /// Parses a template, or takes its tree from the cache.
    pub(crate) fn parse(
        &self,
        text: &str,
        cache: &TemplateCache,
    ) -> Result<Arc<Template>, SyntaxError> {
        let cached = self.built_in.and_then(|kind| cache.parse(kind, text));
        cached.unwrap_or_else(|| self.language.parse(text).map(Arc::new))
    }
}

/// A built-in parser, or one of the host.
#[derive(Clone)]
pub(crate) enum ParserEntry {
    Prompty,
    MessageTags,
    /// The prompt is a text prompt.
    Text,
    Custom(Arc<dyn Parser>),
}

impl ParserEntry {
    /// Parses a rendered prompt synchronously.
    pub(crate) fn parse(
        &self,
        rendered: &Rendered,
        on_forged_marker: OnForgedMarker,
    ) -> Result<Vec<Message>, Error> {
        match self {
            Self::Prompty => parse(rendered, on_forged_marker),
            Self::MessageTags => parse_message_tags(rendered, on_forged_marker),
            Self::Text => Err(text_has_no_messages()),
            Self::Custom(parser) => {
                rendered.check_threads().and_then(|()| parser.parse(rendered, on_forged_marker))
            }
        }
    }

    /// Like [`ParserEntry::parse`], but consumes the rendered prompt.
    pub(crate) fn parse_owned(
        &self,
        rendered: Rendered,
        on_forged_marker: OnForgedMarker,
    ) -> Result<Vec<Message>, Error> {
        match self {
            Self::Prompty => parse::parse_owned(rendered, on_forged_marker),
            Self::MessageTags => parse::parse_message_tags_owned(rendered, on_forged_marker),
            Self::Text | Self::Custom(_) => self.parse(&rendered, on_forged_marker),
        }
    }

    /// How a template marks messages. A parser of the host gets role lines with nonces.
    pub(crate) fn marking(&self) -> Marking {
        match self {
            Self::MessageTags => Marking::Tags,
            Self::Text => Marking::Text,
            Self::Prompty | Self::Custom(_) => Marking::RoleLines,
        }
    }
}

impl fmt::Debug for ParserEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prompty => "prompty",
            Self::MessageTags => MESSAGE_TAGS,
            Self::Text => TEXT,
            Self::Custom(_) => "custom",
        })
    }
}

/// Renderers and parsers by kind, and the host's filters, tests and functions.
#[derive(Clone)]
pub struct Registry {
    renderers: BTreeMap<Arc<str>, RendererEntry>,
    parsers: BTreeMap<Arc<str>, ParserEntry>,
    extensions: Extensions,
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Registry {
    /// Makes a registry with the built-in renderers whose features are enabled, and the parsers
    /// `prompty`, `message-tags` and `text`.
    pub fn new() -> Self {
        let renderers = [
            RendererEntry::built_in("jinja2", Jinja2, JinjaEngine),
            RendererEntry::built_in("nunjucks", Jinja2, JinjaEngine),
            #[cfg(feature = "languages")]
            RendererEntry::built_in("mustache", Mustache, StepEngine::default()),
            #[cfg(feature = "languages")]
            RendererEntry::built_in("handlebars", Handlebars, StepEngine::of_handlebars()),
            #[cfg(feature = "languages")]
            RendererEntry::built_in(
                "semantic-kernel",
                SemanticKernel,
                StepEngine::of_semantic_kernel(),
            ),
        ];
        let parsers = [
            ("prompty".into(), ParserEntry::Prompty),
            (MESSAGE_TAGS.into(), ParserEntry::MessageTags),
            (TEXT.into(), ParserEntry::Text),
        ];
        Self {
            renderers: BTreeMap::from(renderers),
            parsers: BTreeMap::from(parsers),
            extensions: Extensions::new(),
        }
    }

    /// Adds a renderer, or replaces the one of that kind.
    #[must_use]
    pub fn with_renderer(mut self, kind: &str, renderer: impl Renderer + 'static) -> Self {
        self.renderers.insert(kind.into(), RendererEntry::Custom(Arc::new(renderer)));
        self
    }

    /// Adds a template language, or replaces the renderer of that kind. Its templates support
    /// nonces, segments and error positions like those of the built-in languages. The step engine
    /// runs literal text, outputs, function calls and sections.
    ///
    /// ```
    /// # mod typed_prompty {
    /// #     pub use prompty_core::diagnostic;
    /// #     pub use prompty_runtime::{registry, render};
    /// #     pub mod template { pub use prompty_template::*; }
    /// # }
    /// use typed_prompty::diagnostic::TemplateSpan;
    /// use typed_prompty::registry::Registry;
    /// use typed_prompty::render::PipelineBuilder;
    /// use typed_prompty::template::tree::{Expr, ExprKind, Node, NodeKind};
    /// use typed_prompty::template::{Language, SyntaxError, Template};
    ///
    /// /// `Hi <name>`: variables are in angle brackets.
    /// #[derive(Debug)]
    /// struct Angle;
    ///
    /// impl Language for Angle {
    ///     fn parse(&self, text: &str) -> Result<Template, SyntaxError> {
    ///         let mut nodes = Vec::new();
    ///         let mut start = 0;
    ///         for (place, sign) in text.match_indices(['<', '>']) {
    ///             let (span, piece) = (TemplateSpan::new(start, place), &text[start..place]);
    ///             start = place + sign.len();
    ///             let variable = Expr::new(ExprKind::Variable(piece.to_owned()), span);
    ///             nodes.push(match sign {
    ///                 "<" => Node::new(NodeKind::Text(piece.to_owned()), span),
    ///                 _ => Node::new(NodeKind::Output(variable), span),
    ///             });
    ///         }
    ///         let (span, rest) = (TemplateSpan::new(start, text.len()), text[start..].to_owned());
    ///         nodes.push(Node::new(NodeKind::Text(rest), span));
    ///         Ok(Template::new(nodes))
    ///     }
    ///
    ///     fn output(&self, name: &str) -> String {
    ///         format!("<{name}>")
    ///     }
    /// }
    ///
    /// let registry = Registry::new().with_language("angle", Angle);
    /// let pipeline = PipelineBuilder::from_text("greeting", "user:\nHi <name>!")
    ///     .with_format("angle")
    ///     .with_registry(&registry)
    ///     .build()?;
    /// assert_eq!(pipeline.prepare([("name", "Ada")])?[0].text(), "Hi Ada!");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_language(mut self, kind: &str, language: impl Language + 'static) -> Self {
        let (language, engine) = (Arc::new(language), Arc::new(StepEngine::default()));
        let entry = RunnableLanguage { built_in: None, language, engine };
        self.renderers.insert(kind.into(), RendererEntry::Language(entry));
        self
    }

    /// Adds a parser, or replaces the one of that kind.
    #[must_use]
    pub fn with_parser(mut self, kind: &str, parser: impl Parser + 'static) -> Self {
        self.parsers.insert(kind.into(), ParserEntry::Custom(Arc::new(parser)));
        self
    }

    /// Adds a filter for the built-in template languages that have filters.
    #[must_use]
    pub fn with_filter(
        mut self,
        name: &str,
        filter: impl Fn(&Value, &[Value]) -> Result<Value, Error> + Send + Sync + 'static,
    ) -> Self {
        self.extensions = self.extensions.with_filter(name, filter);
        self
    }

    /// Adds a test for the built-in template languages that have tests.
    #[must_use]
    pub fn with_test(
        mut self,
        name: &str,
        test: impl Fn(&Value, &[Value]) -> Result<bool, Error> + Send + Sync + 'static,
    ) -> Self {
        self.extensions = self.extensions.with_test(name, test);
        self
    }

    /// Adds a function for the built-in template languages that have functions.
    #[must_use]
    pub fn with_function(
        mut self,
        name: &str,
        function: impl Fn(&[Value]) -> Result<Value, Error> + Send + Sync + 'static,
    ) -> Self {
        self.extensions = self.extensions.with_function(name, function);
        self
    }

    /// Adds a function with named, typed parameters.
    ///
    /// Templates in the language `semantic-kernel` call it with named arguments, but the first may
    /// omit its name. A parameter without an argument takes the input of the same name. The result
    /// is inserted as data and never read as a template. A function `time.now` can also be called
    /// as `now` if no other plugin has a function `now`. In Jinja2 it is called `time_now`.
    ///
    /// ```
    /// # use prompty_runtime as typed_prompty;
    /// use typed_prompty::registry::Registry;
    /// use typed_prompty::render::PipelineBuilder;
    ///
    /// let registry = Registry::new().with_typed_function(
    ///     "price.of",
    ///     ["dish", "count"],
    ///     |dish: String, count: Option<i64>| Ok(format!("{dish}: {} €", 12 * count.unwrap_or(1))),
    /// );
    /// let pipeline = PipelineBuilder::from_text("menu", "{{$greeting}} {{price.of $dish count='2'}}")
    ///     .with_format("semantic-kernel")
    ///     .with_registry(&registry)
    ///     .build()?;
    /// let messages = pipeline.prepare([("greeting", "Hello."), ("dish", "Soup")])?;
    /// assert_eq!(messages[0].text(), "Hello. Soup: 24 €");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_typed_function<const N: usize, P>(
        mut self,
        name: &str,
        parameters: [&str; N],
        function: impl TypedFunction<N, P>,
    ) -> Self {
        self.extensions = self.extensions.with_typed_function(name, parameters, function);
        self
    }

    /// Adds an async function; otherwise like [`Registry::with_typed_function`]. The languages
    /// `handlebars` and `semantic-kernel` call such functions, in
    /// [`Pipeline::render_async`](crate::render::Pipeline::render_async) and
    /// [`Pipeline::prepare_async`](crate::render::Pipeline::prepare_async).
    #[must_use]
    pub fn with_async_function<const N: usize, P>(
        mut self,
        name: &str,
        parameters: [&str; N],
        function: impl AsyncTypedFunction<N, P>,
    ) -> Self {
        self.extensions = self.extensions.with_async_function(name, parameters, function);
        self
    }

    /// The host's filters, tests and functions.
    pub(crate) fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    pub(crate) fn renderer(&self, kind: &str) -> Result<RendererEntry, Error> {
        let missing = || not_registered("renderer", kind, self.renderers.keys());
        self.renderers.get(kind).cloned().ok_or_else(missing)
    }

    pub(crate) fn parser(&self, kind: &str) -> Result<ParserEntry, Error> {
        let missing = || not_registered("parser", kind, self.parsers.keys());
        self.parsers.get(kind).cloned().ok_or_else(missing)
    }
}

impl From<&Registry> for HostSignatures {
    /// The names and signatures that a registry adds to the built-in ones, for the checker.
    fn from(registry: &Registry) -> Self {
        let mut signatures = registry.extensions.signatures();
        for (kind, entry) in &registry.renderers {
            match entry {
                RendererEntry::Custom(_) => signatures.formats.push(kind.to_string()),
                RendererEntry::Language(RunnableLanguage { built_in, language, .. }) => {
                    if built_in.is_none() {
                        signatures = signatures.with_shared_language(kind, Arc::clone(language));
                    }
                }
            }
        }
        for (kind, entry) in &registry.parsers {
            if let ParserEntry::Custom(_) = entry {
                signatures.parsers.push(kind.to_string());
            }
        }
        signatures
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("renderers", &self.renderers.keys())
            .field("parsers", &self.parsers.keys())
            .field("extensions", &self.extensions)
            .finish()
    }
}

/// The error of a text prompt that is asked for messages.
fn text_has_no_messages() -> Error {
    Error::new(ErrorKind::Invoker, "a text prompt has no messages")
        .with_help("call `text`, or build the pipeline without `as_text`")
}

/// The `InvokerError` of §11, with the registered kinds in its help text.
fn not_registered<'a>(
    component: &str,
    kind: &str,
    known: impl Iterator<Item = &'a Arc<str>>,
) -> Error {
    let message = format!("no {component} is registered for `{kind}`");
    let known: Vec<&str> = known.map(|kind| &**kind).collect();
    let help = match known.as_slice() {
        [] => format!("enable the feature of a {component}"),
        known => format!("registered kinds: `{}`", known.join("`, `")),
    };
    Error::new(ErrorKind::Invoker, message).with_help(help)
}
