//! Typed values out of replies.

mod growing;
mod json;
mod reader;
mod repair;

pub use reader::{Found, Reader, any_value};
pub use repair::{Repair, RepairKind};
