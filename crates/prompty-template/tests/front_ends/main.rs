//! The front ends of the template languages.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "in a test, a panic is a failure and what is printed is read"
)]

mod jinja_assembly;
mod jinja_dialects;
mod jinja_syntax;
