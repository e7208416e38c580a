//! For tests: texts held to GBNF grammars and structural tags and drawn from them, values held to JSON schemas.
//!
//! Written for being right by reading it, apart from the library whose grammars it judges.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic is a failure"
)]

mod gbnf;
mod matching;
mod sampling;
mod schema;
mod structural_tag;

pub use gbnf::Gbnf;
pub use sampling::Dice;
pub use schema::{follows, is_valid};
