//! Grammars: what they admit in every form, and which schemas they can say.
#![cfg(feature = "reply")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, a panic is a failure"
)]

mod builder;
mod calls;
mod forms;
mod growth;
#[cfg(all(feature = "chat", feature = "output"))]
mod output;
mod random;
mod schema;
mod structural_tag;
mod support;
#[cfg(feature = "chat")]
mod templates;
mod texts;
mod until;
