//! Test tools: match texts with GBNF grammars and structural tags, draw texts from them, and
//! validate values by JSON schemas.
//!
//! The code is simple enough to be checked by reading, and independent of the library that it
//! tests.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic is a failure"
)]

mod gbnf;
mod matching;
mod replies;
mod sampling;
mod schema;
mod structural_tag;

pub use gbnf::Gbnf;
pub use replies::{DrawnReply, ExpectedReply, MarkupStyle, draw_reply};
pub use sampling::Dice;
pub use schema::{follows, is_valid};
