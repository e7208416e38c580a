//! The prompts of `typed-prompty`, from a source to messages: loading, checking, rendering, parsing.
//!
//! Use the facade, `typed-prompty`; this crate is where its parts live.
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
#[cfg(feature = "typed")]
pub mod typed;
