//! Templates: from text to a tree, and from a tree to text.
//!
//! [`ast`] is what every other room knows of a template; [`jinja`] and [`mustache`] make it, and run
//! what they made. No type of a template engine leaves this room.

pub mod ast;
pub mod builtins;
mod extensions;
mod failure;
#[cfg(any(feature = "jinja2", feature = "check"))]
pub mod jinja;
mod limits;
#[cfg(feature = "_marker")]
pub mod markers;
#[cfg(any(feature = "mustache", feature = "check"))]
pub mod mustache;
mod syntax_error;
pub mod walk;

pub use ast::Template;
pub use extensions::Extensions;
pub use failure::RenderFailure;
pub use limits::{RenderLimits, Undefined};
pub use syntax_error::SyntaxError;

/// What a template is rendered with.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The inputs that are text, numbers, lists and maps.
    pub inputs: &'a crate::value::Map,
    /// The inputs that are not, by their placeholders.
    pub rich: &'a [RichInput],
    /// What role markers carry.
    pub nonce: &'a str,
}

/// An input that is no text, as a template sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RichInput {
    /// The input's name.
    pub name: String,
    /// What is written where the template prints it.
    pub placeholder: String,
    /// Whether there is anything in it, for conditions.
    pub present: bool,
}
