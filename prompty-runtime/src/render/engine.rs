//! One interface for all template engines: those of template languages, and the renderers of the host.

use std::fmt;
use std::sync::Arc;

use super::blueprint::Options;
use crate::registry::{Renderer, RendererEntry};
use crate::template::functions::awaited_call;
use crate::template::{
    Boundaries, CompiledTemplate, EngineOptions, Language, Marking, Marks, ParsedTemplate,
    RenderFailure, Scope, SyntaxError, Template, tags,
};
use prompty_core::template::tree::Node;

/// The engine that renders a prompt's template.
#[derive(Debug)]
pub(super) enum Engine {
    Language(LanguageEngine),
    Custom(Custom),
}

/// A compiled template in a language.
#[derive(Debug)]
pub(super) struct LanguageEngine {
    language: Arc<dyn Language>,
    tree: Arc<Template>,
    compiled: Box<dyn CompiledTemplate>,
    /// What marks messages beside literal text.
    calls: Boundaries,
    /// Whether messages are marked by tags, and the template has none.
    is_one_message: bool,
}

/// A renderer of the host.
pub(super) struct Custom(pub(super) Arc<dyn Renderer>);

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Custom")
    }
}

impl Engine {
    /// Compiles a template so that its boundaries get the nonce of each render. `is_text` says whether an input is
    /// known to be neither a thread nor a medium.
    pub(super) fn compile(
        renderer: RendererEntry,
        text: &str,
        marking: Marking,
        is_text: &dyn Fn(&str) -> bool,
        options: &Options,
    ) -> Result<Self, SyntaxError> {
        let language = match renderer {
            RendererEntry::Language(language) => language,
            RendererEntry::Custom(renderer) => return Ok(Self::Custom(Custom(renderer))),
        };
        let tree = language.parse(text)?;
        if let Some(refused) = language.refused(text, &tree) {
            return Err(refused);
        }
        let (boundaries, is_one_message) = match marking {
            Marking::Tags => {
                let found = tags::find_with(text, &tree, is_text);
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
        let engine = LanguageEngine::compile(language, text, Arc::new(tree), marks, options)?;
        Ok(Self::Language(LanguageEngine { is_one_message, calls, ..engine }))
    }
}

impl LanguageEngine {
    fn compile(
        language: Arc<dyn Language>,
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
        let compiled = language.compile(&template, &engine_options)?;
        if !compiled.can_wait()
            && let Some(error) = awaited_call(&*language, &template.tree, engine_options.extensions)
        {
            return Err(error);
        }
        let calls = Boundaries::default();
        Ok(Self { language, tree: template.tree, compiled, calls, is_one_message: false })
    }

    /// Compiles the same template for renders to segments. `text` is the source of the template.
    pub(super) fn fenced(&self, text: &str, options: &Options) -> Result<Self, SyntaxError> {
        let (language, tree) = (Arc::clone(&self.language), Arc::clone(&self.tree));
        Self::compile(language, text, tree, Marks::Fences(self.calls.clone()), options)
    }

    /// Whether all that the template writes is one message.
    pub(super) fn is_one_message(&self) -> bool {
        self.is_one_message
    }

    /// Whether functions see the inputs of the render.
    pub(super) fn calls_see_inputs(&self) -> bool {
        self.language.functions_see_inputs()
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
        self.compiled.render_async(scope).await
    }

    /// Renders the template.
    pub(super) fn render(&self, scope: Scope<'_>) -> Result<String, RenderFailure> {
        self.compiled.render(scope)
    }
}
