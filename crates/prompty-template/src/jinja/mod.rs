//! The one front end of Jinja: from a template's text to the tree of templates, with places.
//!
//! `lexer` makes tokens, `parser` makes the [tree](crate::tree) of them, `mistakes` says what is wrong with a text
//! that is no template. Prompts and models' chat templates are read by the same code; what one may
//! write and the other may not is a value, the [`Dialect`]. `methods` says what the methods of Python's
//! texts do, for the engines that run templates. `assembly` makes one text of a template with several
//! files, before anything else reads it.

pub mod assembly;
mod dialect;
pub mod format;
pub mod habits;
mod language;
mod lexer;
pub mod methods;
mod mistakes;
mod parser;
pub mod role_lines;
pub mod role_loops;
mod split_tags;
pub mod syntax;
mod token;

pub use dialect::{Dialect, is_python_space};
pub use language::Jinja2;
pub use parser::parse;
pub use split_tags::{SplitTag, split_tags};
