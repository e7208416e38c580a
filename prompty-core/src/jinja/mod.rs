//! The one front end of Jinja: from a template's text to a tree with places, and walks over it.
//!
//! `lexer` makes tokens, `parser` makes the [`tree`] of them, `mistakes` says what is wrong with a text
//! that is no template. Prompts and models' chat templates are read by the same code; what one may
//! write and the other may not is a value, the [`Dialect`]. `methods` says what the methods of Python's
//! texts do, for the engines that run templates.

mod dialect;
pub mod format;
pub mod habits;
mod lexer;
mod limits;
pub mod methods;
mod mistakes;
mod parser;
mod syntax_error;
mod token;
pub mod tree;
pub mod walk;

pub use dialect::{Dialect, is_python_space};
pub use limits::RenderLimits;
pub use parser::parse;
pub use syntax_error::SyntaxError;
pub use tree::Template;
