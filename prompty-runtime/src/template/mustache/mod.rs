//! Mustache: its parser and its engine, after the Mustache specification 1.4 without lambdas.
//!
//! Partials are parsed and refused when a template is compiled: a prompt is one file. Beyond the
//! specification, `list.0` is an item of a list, and empty texts, zero and empty maps are false as
//! they are in the other template languages.

#[cfg(feature = "mustache")]
mod compile;
#[cfg(feature = "mustache")]
mod engine;
#[cfg(feature = "mustache")]
mod output;
mod syntax;

#[cfg(feature = "mustache")]
pub use engine::MustacheTemplate;
pub use syntax::parse;
