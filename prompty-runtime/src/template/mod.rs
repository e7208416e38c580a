//! Templates: from text to a tree, and from a tree to text.
//!
//! [`tree`](prompty_core::jinja::tree) is what every other room knows of a template; [`jinja`] and
//! [`mustache`] make it, and run what they made. No type of a template engine leaves this room.

pub mod builtins;
mod extensions;
#[cfg(any(feature = "jinja2", feature = "check"))]
pub mod jinja;
#[cfg(feature = "_marker")]
pub mod markers;
#[cfg(any(feature = "mustache", feature = "check"))]
pub mod mustache;
mod rendering;

pub use extensions::Extensions;
pub use prompty_core::jinja::{RenderLimits, SyntaxError, Template};
pub use rendering::{RenderFailure, RichInput, Scope, Undefined};
