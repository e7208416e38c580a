//! Reading replies with formats written by hand: one file for each thing that a model writes.
#![cfg(feature = "reply")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic in a test is a failed test"
)]

mod calls;
mod edges;
mod headers;
mod malformed;
mod reasoning;
mod schemas;
mod support;
mod values;
