//! Tests of typed outputs: schemas and requirements, and values of replies.
#![cfg(feature = "output")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "in a test, a panic is a failure"
)]

mod choices;
mod exact_values;
mod lenient_list;
mod limits;
#[cfg(feature = "tools")]
mod listed_tools;
mod model_text;
#[cfg(feature = "tools")]
mod nested;
mod prose;
mod reading;
mod shape;
mod truncated;
mod types;
mod wrapped;
