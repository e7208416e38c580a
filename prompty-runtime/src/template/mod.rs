//! Templates: from text to a tree, and from a tree to text.
//!
//! [`tree`](prompty_core::template::tree) is what every other room knows of a template; a
//! [`Language`] makes it of a text, and compiles it. `steps` runs the trees of languages that have no
//! engine of their own. No type of a template engine leaves this room.

#[cfg(feature = "_engine")]
mod boundaries;
#[cfg(feature = "_engine")]
mod budget;
mod built_in;
pub mod builtins;
mod extensions;
#[cfg_attr(
    not(feature = "_engine"),
    allow(
        dead_code,
        reason = "engines alone call functions; a registry may hold them without one"
    )
)]
pub(crate) mod functions;
#[cfg(any(feature = "handlebars", feature = "check"))]
pub mod handlebars;
#[cfg(any(feature = "jinja2", feature = "check"))]
pub mod jinja;
mod language;
#[cfg(feature = "_marker")]
pub mod markers;
#[cfg(feature = "_marker")]
mod marking;
#[cfg(any(feature = "mustache", feature = "check"))]
pub mod mustache;
#[cfg(feature = "_engine")]
mod output;
mod rendering;
#[cfg(any(feature = "semantic-kernel", feature = "check"))]
pub mod semantic_kernel;
#[cfg(feature = "_engine")]
mod steps;
#[cfg(feature = "_marker")]
pub mod tags;

#[cfg(feature = "_engine")]
pub use boundaries::Boundaries;
pub use built_in::{built_in, built_in_kinds};
pub use extensions::Extensions;
pub use functions::{Arguments, AsyncTypedFunction, BoxFuture, FromArgument, TypedFunction};
pub use language::Language;
#[cfg(feature = "_engine")]
pub use language::{CompiledTemplate, EngineOptions, Marks, ParsedTemplate};
#[cfg(feature = "_marker")]
pub use marking::{MESSAGE_TAGS, Marking, PARSERS};
pub use prompty_core::template::{RenderLimits, SyntaxError, Template};
pub use rendering::{RenderFailure, RichInput, Scope, Undefined};
