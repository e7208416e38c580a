//! The prompts of `typed-prompty` at run time: rendering, parsing, and what generated code calls.
//!
//! Programs depend on the facade, `typed-prompty`, which exports this crate.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "render")]
pub mod engine;
#[cfg(feature = "render")]
pub mod nonce;
#[cfg(feature = "render")]
pub mod parse;
#[cfg(feature = "render")]
pub mod registry;
#[cfg(feature = "render")]
pub mod render;
#[cfg(feature = "typed")]
pub mod typed;
