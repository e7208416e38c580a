//! Reading replies with handwritten formats, with one module for each part of a reply.
#![cfg(feature = "parser")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic in a test is a failed test"
)]

mod calls;
mod edges;
mod formats;
mod headers;
mod malformed;
mod properties;
mod reasoning;
mod schemas;
mod support;
mod values;
