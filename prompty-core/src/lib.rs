//! The words that all packages of `typed-prompty` speak: values, messages, diagnostics, errors, and
//! the tree of a template.
//!
//! Programs depend on the facade, `typed-prompty`, which exports this crate.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod arguments_error;
pub mod diagnostic;
pub mod error;
#[doc(hidden)]
pub mod files;
#[cfg(feature = "jinja")]
#[doc(hidden)]
pub mod handlebars;
#[cfg(feature = "jinja")]
#[doc(hidden)]
pub mod jinja;
pub mod message;
#[cfg(feature = "jinja")]
#[doc(hidden)]
pub mod mustache;
#[cfg(feature = "schema")]
#[doc(hidden)]
pub mod regular_expression;
#[cfg(feature = "schema")]
#[doc(hidden)]
pub mod schema;
#[cfg(feature = "jinja")]
#[doc(hidden)]
pub mod template;
#[doc(hidden)]
pub mod text;
pub mod trace;
pub mod value;
#[doc(hidden)]
pub mod whole_numbers;
#[doc(hidden)]
pub mod work;

pub use error::{Error, ErrorKind};
