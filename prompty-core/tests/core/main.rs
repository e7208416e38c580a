//! Values, messages, schemas, files and slots.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "in a test, a panic is a failure and printed text is read"
)]

mod chat_api;
mod files;
mod json;
mod message_values;
mod nested_values;
mod schema;
mod schema_violations;
mod shape;
mod shape_notation;
mod slots;
mod slots_export;
mod value_serde;
