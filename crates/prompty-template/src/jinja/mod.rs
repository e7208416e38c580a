//! The front end of Jinja, which parses a template's text into a tree with spans.
//!
//! `lexer` makes tokens, `parser` makes the [tree](crate::tree), and `syntax_errors` explains
//! errors. Prompts and models' chat templates are parsed by the same code. The differences between
//! them are a value, the [`Dialect`]. `methods` implements the methods of Python's strings for the
//! engines. `assembly` combines the files of a template into one text before it is parsed.

pub mod assembly;
mod dialect;
pub mod foreign_syntax;
pub mod format;
mod language;
mod lexer;
pub mod methods;
mod parser;
pub mod role_lines;
pub mod role_loops;
mod split_tags;
pub mod syntax;
mod syntax_errors;
mod token;

pub use dialect::{Dialect, is_python_space};
pub use language::Jinja2;
pub use parser::parse;
pub use split_tags::{SplitTag, split_tags};

/// The maximum nesting of brackets and blocks. A block costs one level, and a bracket two: one for
/// the value, and one for the expression in it.
const MAX_DEPTH: usize = 150;
/// The maximum nesting of brackets. The parser needs 14 KB of stack or more for each level in a
/// debug build, and a small thread has 512 KB.
const MAX_BRACKETS: usize = 20;
