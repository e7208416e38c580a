//! Grammars: the texts that they match in every form, and the schemas that they can express.
#![cfg(feature = "parser")]
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
mod random;
mod schema;
mod structural_tag;
mod support;
mod texts;
mod until;
