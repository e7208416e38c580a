//! Everything of `typed-prompty` that runs: loading, checking, rendering and parsing prompts.
//!
//! Use the facade, `typed-prompty`; this crate is where its parts live.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "chat")]
pub mod chat;
#[cfg(feature = "check")]
pub mod check;
pub mod diagnostic;
pub mod error;
pub mod message;
#[cfg(feature = "_marker")]
pub mod nonce;
pub mod template;
pub mod value;

#[cfg(any(feature = "definition", feature = "check"))]
pub mod definition;

#[cfg(feature = "parse")]
pub mod parse;
#[cfg(all(feature = "render", feature = "parse"))]
pub mod registry;
#[cfg(all(feature = "render", feature = "parse"))]
pub mod render;
#[cfg(feature = "reply")]
pub mod reply;
#[cfg(feature = "tools")]
pub mod tools;
pub mod trace;
#[cfg(feature = "typed")]
pub mod typed;

pub use error::{Error, ErrorKind};
