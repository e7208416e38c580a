//! The prompts of `typed-prompty`, from their source to messages: loading, checking, rendering and
//! parsing.
//!
//! Programs depend on the facade, `typed-prompty`, which exports this crate.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "check")]
pub mod check;
#[cfg(feature = "_marker")]
pub mod nonce;
#[cfg(feature = "_template")]
#[doc(hidden)]
pub mod template;

#[cfg(any(feature = "definition", feature = "check"))]
pub mod definition;

#[cfg(feature = "render")]
pub mod parse;
#[cfg(feature = "render")]
pub mod registry;
#[cfg(feature = "render")]
pub mod render;
#[cfg(feature = "slots")]
pub mod slots;
#[cfg(feature = "typed")]
pub mod typed;
