//! Typed values out of replies.

mod fit;
mod growing;
mod json;
mod parse;
mod path;
mod reader;
mod repair;

pub use fit::Leniency;
pub use parse::{try_any, try_read};
pub use path::{Path, Step};
pub use repair::{Repair, RepairKind};
