//! The types that all `typed-prompty` packages share: values, messages, diagnostics and schemas.
//!
//! Programs depend on the facade, `typed-prompty`, which exports this crate.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod arguments_error;
pub mod diagnostic;
pub mod error;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod lenient_integers;
pub mod message;
#[doc(hidden)]
pub mod ordered_map;
#[cfg(feature = "schema")]
#[doc(hidden)]
pub mod regular_expression;
#[cfg(feature = "schema")]
#[doc(hidden)]
pub mod schema;
#[cfg(feature = "slots")]
pub mod slots;
#[doc(hidden)]
pub mod text;
pub mod trace;
pub mod value;
#[doc(hidden)]
pub mod work;

pub use error::{Error, ErrorKind};

/// What the macros of [`trace`] expand to.
#[cfg(feature = "tracing")]
#[doc(hidden)]
pub use tracing as __tracing;
