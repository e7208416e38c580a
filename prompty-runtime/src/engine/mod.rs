//! Engines: what runs templates.
//!
//! A [`Language`](prompty_template::Language) reads a text into a tree; an [`Engine`] compiles the
//! tree, and the [`CompiledTemplate`] renders. `jinja` compiles for minijinja, and `steps` runs the
//! trees of all other languages. No type of a template engine leaves this module.

mod budget;
mod extensions;
pub(crate) mod functions;
mod insertions;
mod jinja;
mod output;
mod rendering;
mod steps;

use std::fmt;
use std::sync::Arc;

use prompty_template::{Boundaries, RenderLimits, SyntaxError, Template};

pub use extensions::Extensions;
pub use functions::{Arguments, AsyncTypedFunction, BoxFuture, FromArgument, TypedFunction};
pub use jinja::JinjaEngine;
pub use rendering::{RenderFailure, RichInput, Scope, Undefined};
pub use steps::StepEngine;

/// Compiles the trees of a language. One engine may serve several languages.
pub trait Engine: fmt::Debug + Send + Sync {
    /// Compiles a template that its language accepts.
    ///
    /// # Errors
    ///
    /// The first node that the engine cannot run.
    fn compile(
        &self,
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
    ) -> Result<Box<dyn CompiledTemplate>, SyntaxError>;
}

/// A template that was read.
#[derive(Debug, Clone)]
pub struct ParsedTemplate<'t> {
    /// What it was read from.
    pub text: &'t str,
    /// What was read.
    pub tree: Arc<Template>,
    /// What a render writes beside what the author wrote.
    pub marks: Marks,
}

/// What a render writes beside what the author wrote.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Marks {
    /// The boundaries of messages.
    Boundaries(Boundaries),
    /// For renders to segments: each output stands between `nonce:index;` and `nonce;`, the index being
    /// that of the output in the order of
    /// [`direct_outputs`](prompty_template::walk::direct_outputs). Literal text has no insertions. Attributes
    /// and calls that mark messages are written as elsewhere; a call has an index and no fence, and the body of
    /// a block that is a message is visited behind the block.
    Fences(Boundaries),
}

/// What a host sets for the renders of a template.
#[derive(Debug, Clone, Copy)]
pub struct EngineOptions<'o> {
    /// The filters, tests and functions of the host.
    pub extensions: &'o Extensions,
    /// How much a render may do.
    pub limits: RenderLimits,
    /// What a variable that has no value does when a template prints it.
    pub undefined: Undefined,
}

/// A template that is compiled once and rendered often, from any thread.
pub trait CompiledTemplate: fmt::Debug + Send + Sync {
    /// Renders the template.
    ///
    /// # Errors
    ///
    /// What went wrong, with its place in the template's text.
    fn render(&self, scope: Scope<'_>) -> Result<String, RenderFailure>;

    /// Whether async renders wait for functions of the host that are async. If they do not, a template that
    /// calls such a function is not built.
    fn can_wait(&self) -> bool {
        false
    }

    /// Renders the template, and waits for the functions of the host that are async. By default there are
    /// none, and the work is done when it is called.
    fn render_async<'a>(
        &'a self,
        scope: Scope<'a>,
    ) -> BoxFuture<'a, Result<String, RenderFailure>> {
        Box::pin(std::future::ready(self.render(scope)))
    }
}
