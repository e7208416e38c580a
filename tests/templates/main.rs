//! The analysis of a chat template agrees with the template: its format is the format in which the
//! template writes. This holds for any names of markers and for any texts between them.
//!
//! The templates are those with which the analysis is tested, which have invented markers, and
//! those of the reference cases in the folder of `PROMPTY_CONFORMANCE` if it is set.
//!
//! `cargo test --test models templates -- --nocapture` prints the counts.
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
