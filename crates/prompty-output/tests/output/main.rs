//! Typed outputs: what a model is asked for, and what is read from its text.
#![cfg(feature = "output")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "in a test, a panic is a failure"
)]

mod inside;
mod reading;
mod shape;
mod types;
mod written;
