//! Tests of typed outputs: schemas and requirements, and values of replies.
#![cfg(feature = "output")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "in a test, a panic is a failure"
)]

mod exact_values;
mod limits;
mod model_text;
#[cfg(feature = "tools")]
mod nested;
mod prose;
mod reading;
mod shape;
mod types;
mod wrapped;
