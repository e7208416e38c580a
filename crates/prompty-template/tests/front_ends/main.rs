//! The front ends of the template languages.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a panic in a test is a failure, and its output is read"
)]

mod jinja_assembly;
mod jinja_dialects;
mod jinja_syntax;
