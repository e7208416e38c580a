//! The front end of Jinja: the tree of a template, and walks over it.
//!
//! [`tree`] is what every other room knows of a template.

mod limits;
mod syntax_error;
pub mod tree;
pub mod walk;

pub use limits::RenderLimits;
pub use syntax_error::SyntaxError;
pub use tree::Template;
