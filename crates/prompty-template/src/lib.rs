//! The template languages of `typed-prompty`: Jinja2, Mustache, Handlebars and Semantic Kernel's
//! basic language.
//!
//! A front end reads a template's text into the one [`tree`] that all languages share. The checker,
//! the macros and the engines work on that tree, so a new language needs only a parser.
//! Nothing here runs a template.
//!
//! Programs depend on the facade, `typed-prompty`, which exports the parts of this crate for users.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod assembly;
mod boundaries;
mod built_in;
pub mod builtins;
pub mod handlebars;
pub mod host_functions;
pub mod jinja;
mod language;
mod limits;
mod marking;
pub mod message_tags;
pub mod mustache;
pub mod nonce;
pub mod role_markers;
pub mod semantic_kernel;
mod syntax_error;
mod template_cache;
pub mod tree;
pub mod walk;

pub use boundaries::Boundaries;
pub use built_in::{built_in, built_in_kinds};
pub use language::Language;
pub use limits::RenderLimits;
pub use marking::{MESSAGE_TAGS, Marking, PARSERS, TEXT};
pub use syntax_error::SyntaxError;
pub use template_cache::TemplateCache;
pub use tree::Template;

/// The variable that holds the output requirement in the template of a prompt with an output.
pub const OUTPUT_REQUIREMENT: &str = "output_requirement";
