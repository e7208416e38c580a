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
use crate::nonce::TextRules;
use crate::registry::{Renderer, RunnableLanguage};
use prompty_core::message::Role;
use prompty_template::tree::Node;
use prompty_template::{Boundaries, Marking, SyntaxError, Template, message_tags, role_markers};

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
    /// How the output is divided into messages.
    rules: TextRules,
}

/// How the template of a prompt marks its messages.
#[derive(Debug, Clone)]
pub(super) struct MessageMarks {
    pub(super) marking: Marking,
    /// The role of the message of a template without marks, if the prompt sets it.
    pub(super) role: Option<Role>,
    /// Whether only line breaks of the template are removed at the ends of messages.
    pub(super) keeps_white_space: bool,
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
        message_marks: MessageMarks,
        is_text: &dyn Fn(&str) -> bool,
        options: &Options,
    ) -> Result<Self, SyntaxError> {
        let language = &runnable.language;
        if let Some(refused) = language.refused(text, &tree) {
            return Err(refused);
        }
        let MessageMarks { marking, role, keeps_white_space } = message_marks;
        let (boundaries, leading_role) = match marking {
            Marking::Tags => {
                let found = message_tags::find_with(text, &tree, is_text);
                if let Some(error) = found.error() {
                    return Err(error);
                }
                if let (Some(role), Some((_, span))) = (&role, found.messages.first()) {
                    let message = format!("a prompt with the role `{role}` has a message tag");
                    return Err(SyntaxError::new(*span, message)
                        .with_help("remove the tag, or the role of the prompt"));
                }
                let role = found.is_one_message.then(|| role.unwrap_or(Role::User));
                (Boundaries::from_tags(found), role)
            }
            Marking::Text => {
                if let Some(refused) = role_markers::refused_in_text(text, &tree).next() {
                    return Err(refused);
                }
                (Boundaries::default(), None)
            }
            _ => {
                let markers = role_markers::find(text, &tree);
                let role = match (role, markers.first()) {
                    (Some(role), Some(marker)) => {
                        return Err(role_markers::refused_with_role(&role, marker));
                    }
                    (role, None) => Some(role.unwrap_or(Role::System)),
                    (None, Some(_)) => None,
                };
                let breaks = match keeps_white_space {
                    true => role_markers::template_breaks(text, &tree, &markers),
                    false => Vec::new(),
                };
                (Boundaries::from_markers(markers).with_insertions(breaks), role)
            }
        };
        let calls = boundaries.without_insertions();
        let marks = Marks::Boundaries(boundaries);
        let engine = Self::compile(runnable, text, tree, marks, options)?;
        let rules = TextRules { leading_role, keeps_white_space };
        Ok(Self { rules, calls, ..engine })
    }

    /// Compiles a template with the given marks, without `calls` and `rules`. Only
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
            rules: TextRules::default(),
        })
    }

    /// Compiles the same template for renders to segments. `text` is the source of the template.
    pub(super) fn fenced(&self, text: &str, options: &Options) -> Result<Self, SyntaxError> {
        let (runnable, tree) = (self.runnable.clone(), Arc::clone(&self.tree));
        Self::compile(runnable, text, tree, Marks::Fences(self.calls.clone()), options)
    }

    /// How the output is divided into messages.
    pub(super) fn rules(&self) -> &TextRules {
        &self.rules
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
