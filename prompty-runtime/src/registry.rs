//! Renderers and parsers by their kinds (§11), and what a host adds to the template language.
//!
//! A [`Registry`] is a value: nothing is global and nothing has to be filled first. It begins with
//! the built-in kinds; `with_…` adds others or replaces them.
//!
//! ```
//! use prompty_runtime::registry::{Registry, Renderer};
//! use prompty_core::value::Map;
//!
//! struct Dollar;
//!
//! impl Renderer for Dollar {
//!     fn render(&self, template: &str, inputs: &Map) -> Result<String, prompty_core::Error> {
//!         let replace = |text: String, (name, value): (&str, &prompty_core::value::Value)| {
//!             text.replace(&format!("${name}"), &value.to_string())
//!         };
//!         Ok(inputs.iter().fold(template.to_owned(), replace))
//!     }
//! }
//!
//! let registry = Registry::new().with_renderer("dollar", Dollar);
//! assert!(registry.renderer_kinds().any(|kind| kind == "dollar"));
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::nonce::Rendered;
use crate::parse::{OnForgedMarker, parse};
use crate::template::Extensions;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::Message;
use prompty_core::value::{Map, Value};

/// A future that can be sent between threads and needs no particular runtime.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Turns a template and inputs into text (§5).
///
/// The template that it gets carries the render's nonce in its role markers; it must write them as
/// they are, each in a line of its own. Inputs that are no text come as texts, their placeholders,
/// and must be written as they are, too.
pub trait Renderer: Send + Sync {
    /// Renders a template.
    ///
    /// # Errors
    ///
    /// Whatever goes wrong, as an [`Error`] for the person who must fix the prompt.
    fn render(&self, template: &str, inputs: &Map) -> Result<String, Error>;

    /// The same for callers that wait; by default it does the work at once.
    fn render_async<'a>(
        &'a self,
        template: &'a str,
        inputs: &'a Map,
    ) -> BoxFuture<'a, Result<String, Error>> {
        Box::pin(std::future::ready(self.render(template, inputs)))
    }
}

/// Turns rendered text into messages (§6).
pub trait Parser: Send + Sync {
    /// Reads a rendered prompt.
    ///
    /// # Errors
    ///
    /// Whatever goes wrong, and [`ErrorKind::ForgedMarker`] where `on_forged_marker` asks for it.
    fn parse(
        &self,
        rendered: &Rendered,
        on_forged_marker: OnForgedMarker,
    ) -> Result<Vec<Message>, Error>;

    /// The same for callers that wait; by default it does the work at once.
    fn parse_async<'a>(
        &'a self,
        rendered: &'a Rendered,
        on_forged_marker: OnForgedMarker,
    ) -> BoxFuture<'a, Result<Vec<Message>, Error>> {
        Box::pin(std::future::ready(self.parse(rendered, on_forged_marker)))
    }
}

/// The parser of §6, kind `prompty`.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct PromptyParser;

impl Parser for PromptyParser {
    fn parse(
        &self,
        rendered: &Rendered,
        on_forged_marker: OnForgedMarker,
    ) -> Result<Vec<Message>, Error> {
        parse(rendered, on_forged_marker)
    }
}

/// A renderer by its kind: one that is built in, or the host's.
#[derive(Clone)]
pub(crate) enum RendererEntry {
    #[cfg(feature = "jinja2")]
    Jinja2,
    #[cfg(feature = "mustache")]
    Mustache,
    Custom(Arc<dyn Renderer>),
}

/// A parser by its kind.
#[derive(Clone)]
pub(crate) enum ParserEntry {
    Prompty,
    Custom(Arc<dyn Parser>),
}

impl fmt::Debug for ParserEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prompty => "prompty",
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
    /// What is built in: the renderers whose features are on, and the parser `prompty`.
    pub fn new() -> Self {
        let renderers = [
            #[cfg(feature = "jinja2")]
            ("jinja2".into(), RendererEntry::Jinja2),
            #[cfg(feature = "mustache")]
            ("mustache".into(), RendererEntry::Mustache),
        ];
        let parsers = [("prompty".into(), ParserEntry::Prompty)];
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

    /// The kinds of renderers, sorted.
    pub fn renderer_kinds(&self) -> impl Iterator<Item = &str> {
        self.renderers.keys().map(|kind| &**kind)
    }

    /// The kinds of parsers, sorted.
    pub fn parser_kinds(&self) -> impl Iterator<Item = &str> {
        self.parsers.keys().map(|kind| &**kind)
    }

    /// The host's filters, tests and functions.
    pub(crate) fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    pub(crate) fn renderer(&self, kind: &str) -> Result<RendererEntry, Error> {
        let missing = || not_registered("renderer", kind, self.renderer_kinds());
        self.renderers.get(kind).cloned().ok_or_else(missing)
    }

    pub(crate) fn parser(&self, kind: &str) -> Result<ParserEntry, Error> {
        let missing = || not_registered("parser", kind, self.parser_kinds());
        self.parsers.get(kind).cloned().ok_or_else(missing)
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

/// The `InvokerError` of §11, with the kinds that there are.
fn not_registered<'a>(component: &str, kind: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let message = format!("no {component} registered for key: {kind}");
    let known: Vec<&str> = known.collect();
    let help = match known.as_slice() {
        [] => format!("no {component} is compiled in; turn on the feature of one"),
        known => format!("these kinds are registered: {}", known.join(", ")),
    };
    Error::new(ErrorKind::Invoker, message).with_help(help)
}
