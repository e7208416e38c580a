//! Renders the template of a prompt: a compiled template, or a renderer of the host.
//!
//! A template may be compiled up to three times, with different marks: for all renders, for those
//! without threads and media, which need fewer marks, and for renders to segments
//! ([`LanguageRenderer::fenced`]).

use std::fmt;
use std::sync::Arc;

use super::blueprint::Options;
use crate::engine::functions::find_async_call;
use crate::engine::{CompiledTemplate, EngineOptions, Marks, ParsedTemplate, RenderFailure, Scope};
use crate::registry::{Renderer, RunnableLanguage};
use prompty_template::tree::Node;
use prompty_template::{Boundaries, Marking, SyntaxError, Template, message_tags};

/// The renderer of a prompt's template.
#[derive(Debug)]
pub(super) enum TemplateRenderer {
    Language(LanguageRenderer),
    Custom(CustomRenderer),
}

/// A compiled template in a language.
#[derive(Debug)]
pub(super) struct LanguageRenderer {
    runnable: RunnableLanguage,
    tree: Arc<Template>,
    compiled: Box<dyn CompiledTemplate>,
    /// The compiled template for renders without threads and media, if its marks differ.
    without_rich_inputs: Option<Box<dyn CompiledTemplate>>,
    /// The calls and blocks that mark messages.
    calls: Boundaries,
    /// Whether messages are marked by tags, but the template has none.
    is_one_message: bool,
}

/// A renderer of the host.
pub(super) struct CustomRenderer(pub(super) Arc<dyn Renderer>);

impl fmt::Debug for CustomRenderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CustomRenderer")
    }
}

impl LanguageRenderer {
    /// Compiles a template so that its boundaries get the nonce of each render. `is_text` returns
    /// whether an input is known not to be a thread or media.
    pub(super) fn new(
        runnable: RunnableLanguage,
        text: &str,
        tree: Arc<Template>,
        marking: Marking,
        is_text: &dyn Fn(&str) -> bool,
        options: &Options,
    ) -> Result<Self, SyntaxError> {
        let language = &runnable.language;
        if let Some(refused) = language.refused(text, &tree) {
            return Err(refused);
        }
        let (boundaries, is_one_message) = match marking {
            Marking::Tags => {
                let found = message_tags::find_with(text, &tree, is_text);
                if let Some(error) = found.error() {
                    return Err(error);
                }
                let is_one_message = found.is_one_message;
                (Boundaries::from_tags(found), is_one_message)
            }
            _ => (Boundaries::from_role_lines(text, &tree), false),
        };
        let calls = boundaries.without_insertions();
        let marks = Marks::Boundaries(boundaries);
        let engine = Self::compile(runnable, text, tree, marks, options)?;
        Ok(Self { is_one_message, calls, ..engine })
    }

    /// Compiles a template with the given marks, without `calls` and `is_one_message`. Only
    /// [`new`](Self::new) sets them; a template with fences needs neither.
    fn compile(
        runnable: RunnableLanguage,
        text: &str,
        tree: Arc<Template>,
        marks: Marks,
        options: &Options,
    ) -> Result<Self, SyntaxError> {
        let template = ParsedTemplate { text, tree, marks };
        let engine_options = EngineOptions {
            extensions: options.registry.extensions(),
            limits: options.limits,
            undefined: options.undefined,
        };
        let compiled = runnable.engine.compile(&template, &engine_options)?;
        let fewer_marks = match &template.marks {
            Marks::Boundaries(boundaries) => boundaries.without_rich_inputs(),
            Marks::Fences(_) => None,
        };
        let without_rich_inputs = fewer_marks.map(|boundaries| {
            let marks = Marks::Boundaries(boundaries);
            runnable.engine.compile(&ParsedTemplate { marks, ..template.clone() }, &engine_options)
        });
        let without_rich_inputs = without_rich_inputs.transpose()?;
        if !compiled.can_wait()
            && let Some(error) =
                find_async_call(&*runnable.language, &template.tree, engine_options.extensions)
        {
            return Err(error);
        }
        let calls = Boundaries::default();
        Ok(Self {
            runnable,
            tree: template.tree,
            compiled,
            without_rich_inputs,
            calls,
            is_one_message: false,
        })
    }

    /// Compiles the same template for renders to segments. `text` is the source of the template.
    pub(super) fn fenced(&self, text: &str, options: &Options) -> Result<Self, SyntaxError> {
        let (runnable, tree) = (self.runnable.clone(), Arc::clone(&self.tree));
        Self::compile(runnable, text, tree, Marks::Fences(self.calls.clone()), options)
    }

    /// Whether the complete output is one message.
    pub(super) fn is_one_message(&self) -> bool {
        self.is_one_message
    }

    /// Whether functions see the inputs of the render.
    pub(super) fn calls_see_inputs(&self) -> bool {
        self.runnable.language.functions_see_inputs()
    }

    /// Whether a node is a call that marks a message.
    pub(super) fn marks_message(&self, node: &Node) -> bool {
        self.calls.call_at(node.span).is_some()
    }

    /// The syntax tree of the template.
    pub(super) fn tree(&self) -> &Template {
        &self.tree
    }

    /// Renders the template, and waits for functions of the host.
    pub(super) async fn render_async(&self, scope: Scope<'_>) -> Result<String, RenderFailure> {
        self.compiled_for(&scope).render_async(scope).await
    }

    /// Renders the template.
    pub(super) fn render(&self, scope: Scope<'_>) -> Result<String, RenderFailure> {
        self.compiled_for(&scope).render(scope)
    }

    /// The compiled template with the fewest marks that a render with these inputs needs.
    fn compiled_for(&self, scope: &Scope<'_>) -> &dyn CompiledTemplate {
        match &self.without_rich_inputs {
            Some(compiled) if scope.rich.is_empty() => &**compiled,
            _ => &*self.compiled,
        }
    }
}
