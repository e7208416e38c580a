//! Handlebars before its tree: the texts and tags of a template, and partials as one text.
//!
//! `pieces` finds the tags of a text and carries out white-space control. `assembly` makes one text of a
//! template and its partials, before anything else reads it.

pub mod assembly;
pub mod pieces;
