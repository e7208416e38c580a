//! Templates: from text to a tree, and from a tree to text.
//!
//! [`tree`](prompty_core::jinja::tree) is what every other room knows of a template; [`jinja`] and
//! [`mustache`] make it, and run what they made. No type of a template engine leaves this room.

pub mod builtins;
mod extensions;
mod failure;
#[cfg(any(feature = "jinja2", feature = "check"))]
pub mod jinja;
#[cfg(feature = "_marker")]
pub mod markers;
#[cfg(any(feature = "mustache", feature = "check"))]
pub mod mustache;
mod undefined;

pub use extensions::Extensions;
pub use failure::RenderFailure;
pub use prompty_core::jinja::{RenderLimits, SyntaxError, Template};
pub use undefined::Undefined;

/// What a template is rendered with.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The inputs that are text, numbers, lists and maps.
    pub inputs: &'a prompty_core::value::Map,
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
