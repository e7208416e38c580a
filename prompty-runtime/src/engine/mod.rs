//! Engines, which run templates.
//!
//! A [`Language`](prompty_template::Language) parses a text into a tree. An [`Engine`] compiles the
//! tree, and the [`CompiledTemplate`] renders it. `jinja` compiles for minijinja; `steps` runs the
//! trees of all other languages. This module does not expose any type of a template engine.

mod budget;
mod extensions;
pub(crate) mod functions;
mod insertions;
mod jinja;
mod output;
mod rendering;
mod steps;
mod unsupported;

use std::fmt;
use std::sync::Arc;

use prompty_template::{Boundaries, RenderLimits, SyntaxError, Template};

pub use extensions::Extensions;
pub use functions::{Arguments, AsyncTypedFunction, BoxFuture, FromArgument, TypedFunction};
pub use jinja::JinjaEngine;
pub use rendering::{RenderFailure, RichInput, Scope, Undefined};
pub use steps::StepEngine;

/// Compiles template trees. One engine may serve several languages.
pub trait Engine: fmt::Debug + Send + Sync {
    /// Compiles a template that its language accepts.
    ///
    /// # Errors
    ///
    /// Returns an error for the first node that the engine does not support.
    fn compile(
        &self,
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
    ) -> Result<Box<dyn CompiledTemplate>, SyntaxError>;
}

/// A parsed template.
#[derive(Debug, Clone)]
pub struct ParsedTemplate<'t> {
    /// The source text.
    pub text: &'t str,
    /// The syntax tree.
    pub tree: Arc<Template>,
    /// What a render writes in addition to the template's own output.
    pub marks: Marks,
}

/// What a render writes in addition to the template's own output.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Marks {
    /// The boundaries of messages.
    Boundaries(Boundaries),
    /// For renders to segments: `nonce:index;` precedes each output, and `nonce;` follows it. The
    /// index is the position in
    /// [`direct_outputs`](prompty_template::walk::direct_outputs).
    ///
    /// Literal text has no insertions. Attributes and calls that mark messages are written as with
    /// [`Marks::Boundaries`]. Such a call has an index but no fence. The outputs in the body of a
    /// message block have higher indexes than the block.
    Fences(Boundaries),
}

/// The host's settings for the renders of a template.
#[derive(Debug, Clone, Copy)]
pub struct EngineOptions<'o> {
    /// The filters, tests and functions of the host.
    pub extensions: &'o Extensions,
    /// The limits of a render.
    pub limits: RenderLimits,
    /// The behaviour of a variable without a value.
    pub undefined: Undefined,
}

/// A template that is compiled once and can be rendered often, from any thread.
pub trait CompiledTemplate: fmt::Debug + Send + Sync {
    /// Renders the template.
    ///
    /// # Errors
    ///
    /// Returns an error with its place in the template's text if the render fails.
    fn render(&self, scope: Scope<'_>) -> Result<String, RenderFailure>;

    /// Whether async renders wait for the host's async functions. If not, building a template that
    /// calls such a function fails.
    fn can_wait(&self) -> bool {
        false
    }

    /// Renders the template and waits for the host's async functions. The default implementation
    /// renders synchronously when it is called.
    fn render_async<'a>(
        &'a self,
        scope: Scope<'a>,
    ) -> BoxFuture<'a, Result<String, RenderFailure>> {
        Box::pin(std::future::ready(self.render(scope)))
    }
}
