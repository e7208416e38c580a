//! Loading prompts: front matter, references, files, and the first version of the format.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "in a test, a panic is a failure and what is printed is read"
)]

mod agreement;
mod definition_files;
mod definition_hostile;
mod definition_load;
mod first_version;
mod function_tools;
