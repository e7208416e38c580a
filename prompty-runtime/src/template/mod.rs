//! Templates: from text to a tree, and from a tree to text.
//!
//! [`ast`] is what every other room knows of a template; [`jinja`] and [`mustache`] make it, and run
//! what they made. No type of a template engine leaves this room.

pub mod ast;
pub mod builtins;
#[cfg(feature = "jinja2")]
pub mod jinja;
#[cfg(feature = "mustache")]
pub mod mustache;
mod syntax_error;

pub use ast::Template;
pub use syntax_error::SyntaxError;
