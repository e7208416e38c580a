//! Formats as data: written as JSON and as response templates, and read back.
#![cfg(feature = "reply")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic in a test is a failed test"
)]

#[allow(dead_code, reason = "shared with the tests of single replies, which use all of it")]
#[path = "../reply/support.rs"]
mod support;

mod json;
mod response_template;
