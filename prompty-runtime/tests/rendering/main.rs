//! Prompts at run time: engines, rendering, parsing, and attacks by inputs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "in a test, a panic is a failure, and printed output is read"
)]

mod exchange;
mod fuzz_regressions;
mod handlebars;
mod hosts;
mod injection;
mod jinja_engine;
mod jinja_hostile;
mod jinja_limits;
mod jinja_meaning;
mod jinja_methods;
mod message_tags;
mod message_tags_data;
mod mustache;
mod nesting;
mod outputs;
mod parses;
mod pipeline;
mod rendered_messages;
mod repetitions;
mod rich_in_calls;
mod role_loops;
mod secrets;
mod segments;
mod semantic_kernel;
mod semantic_kernel_config;
mod threads;
