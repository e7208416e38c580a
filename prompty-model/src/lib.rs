//! Everything of `typed-prompty` between messages and a model: chat templates, replies, grammars and
//! tools.
//!
//! Use the facade, `typed-prompty`; this crate is where its parts live.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "chat")]
pub mod chat;
#[cfg(any(feature = "tools", feature = "wire"))]
mod no_object;
#[cfg(feature = "output")]
pub mod output;
#[cfg(any(feature = "output", feature = "tools"))]
mod per_type;
#[cfg(any(feature = "reply", feature = "wire"))]
pub mod reply;
#[cfg(feature = "tools")]
pub mod tools;
#[cfg(any(feature = "output", feature = "tools"))]
mod type_schema;
#[cfg(any(feature = "reply", feature = "tools", feature = "wire"))]
mod whole_numbers;
#[cfg(feature = "wire")]
pub mod wire;
