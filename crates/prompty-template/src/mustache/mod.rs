//! Mustache, after its specification 1.4 without lambdas: from a template's text to the tree that all
//! languages share.
//!
//! `tags` finds the tags of a text, `syntax` makes the tree of them. `assembly` makes one text of a
//! template and its partials, before anything else reads it; what Mustache cannot say of a partial that
//! names itself is written in the signs of `recursion`.

pub mod assembly;
mod language;
mod recursion;
mod syntax;
mod tags;

pub use language::Mustache;
pub use syntax::parse;
