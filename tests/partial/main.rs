//! Typed values while their reply arrives: their states, and that they match the complete reply.
#![cfg(all(feature = "macros", feature = "output"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "in a test, a panic is a failure"
)]

mod derive;
mod rules;
mod states;
