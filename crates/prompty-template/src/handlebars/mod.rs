//! Handlebars: its parser, after handlebars.js 4.7.
//!
//! `pieces` finds the tags of a text and carries out white-space control. `assembly` makes one text of a
//! template and its partials, before anything else reads it; a partial that is left is refused. A
//! message's text is no HTML, so nothing is escaped: a value arrives byte for byte.

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
