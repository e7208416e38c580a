//! Chat templates: the engine, prompts, control tokens, the analysis of a template, and grammars.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "in a test, a panic is a failure"
)]

mod analysis;
mod control;
mod control_assembled;
mod control_growth;
mod control_ranges;
mod control_support;
mod engine;
#[cfg(unix)]
mod files;
#[allow(dead_code, reason = "shared with the grammars of replies, which use all of it")]
#[path = "../../../prompty-reply/tests/grammar/support.rs"]
mod grammar_support;
mod nesting;
mod probe_limits;
mod prompt;
mod reply_grammars;
mod transformers;
#[cfg(feature = "output")]
mod typed_output;
