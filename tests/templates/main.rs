//! Chat templates held to themselves: what was found in a template is how it writes, whatever its
//! markers are called and whatever stands between them.
//!
//! The templates are those that the analysis is tested with, which have invented markers, and those
//! of the reference where `PROMPTY_CONFORMANCE` points to its cases.
//!
//! `cargo test --test templates -- --nocapture` prints what was counted.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::print_stdout,
    reason = "a panic is a failed test, and the counts are for people"
)]

mod ambiguity;
mod drafts;
mod markers;
mod messages;
mod names;
mod parts;
mod reading;
mod shown;
mod subjects;
mod writing;

mod end_to_end;
mod generated;
mod linear;
mod renamed;
