//! The front end of Handlebars, which follows handlebars.js 4.7.
//!
//! `pieces` finds the tags of a text and applies white-space control. `assembly` assembles a
//! template and its partials into one text before it is parsed. A partial that remains is rejected.
//! Nothing is escaped, because the text of a message is not HTML.

pub mod assembly;
mod calls;
mod expressions;
pub mod helpers;
mod language;
mod names;
pub mod pieces;
mod syntax;

pub use helpers::{BLOCKS, HELPERS};
pub use language::Handlebars;
pub use syntax::parse;
