//! The fuzz targets as functions. `fuzz/` calls them from libFuzzer, and the test of this crate calls
//! them on the seeds, so that a target whose own assertions are stale fails.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "in a target, a panic is a finding"
)]

mod assertions;
mod inputs;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../crates/prompty-reply/tests/reply/properties/reply_checks.rs"]
mod reply_checks;
#[cfg(test)]
mod seeds;

pub mod assembly;
pub mod chat;
pub mod check;
pub mod exchange;
pub mod front_matter;
pub mod handlebars;
pub mod jinja;
pub mod jinja_meaning;
pub mod kernel_configuration;
pub mod markers;
pub mod message_tags;
pub mod mustache;
pub mod operations;
pub mod outputs;
pub mod partials;
pub mod pipeline;
pub mod regular_expression;
pub mod reply;
pub mod reply_format_json;
pub mod response_template;
pub mod schema_grammar;
pub mod segments;
pub mod semantic_kernel;
pub mod slots;
pub mod values;
pub mod wire_request;
pub mod wire_stream;

/// A function that takes the bytes of a fuzzer. It panics if it finds a fault. It returns whether the
/// bytes reached its last assertions.
pub type Target = fn(&[u8]) -> bool;

/// All targets, by their names.
pub const TARGETS: [(&str, Target); 27] = [
    ("assembly", assembly::run),
    ("chat", chat::run),
    ("check", check::run),
    ("exchange", exchange::run),
    ("front_matter", front_matter::run),
    ("handlebars", handlebars::run),
    ("jinja", jinja::run),
    ("jinja_meaning", jinja_meaning::run),
    ("kernel_configuration", kernel_configuration::run),
    ("markers", markers::run),
    ("message_tags", message_tags::run),
    ("mustache", mustache::run),
    ("operations", operations::run),
    ("outputs", outputs::run),
    ("partials", partials::run),
    ("pipeline", pipeline::run),
    ("regular_expression", regular_expression::run),
    ("reply", reply::run),
    ("reply_format_json", reply_format_json::run),
    ("response_template", response_template::run),
    ("schema_grammar", schema_grammar::run),
    ("segments", segments::run),
    ("semantic_kernel", semantic_kernel::run),
    ("slots", slots::run),
    ("values", values::run),
    ("wire_request", wire_request::run),
    ("wire_stream", wire_stream::run),
];
