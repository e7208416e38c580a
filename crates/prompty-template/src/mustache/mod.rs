//! The front end of Mustache, which follows its specification 1.4 without lambdas.
//!
//! `tags` finds the tags of a text, and `syntax` parses them into the tree. `assembly` assembles a
//! template and its partials into one text before it is parsed. Mustache has no syntax for a
//! partial that includes itself in such a text; `recursion` defines tags for it.

pub mod assembly;
mod language;
mod recursion;
mod syntax;
mod tags;

pub use language::Mustache;
pub use syntax::parse;
