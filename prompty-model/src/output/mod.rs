//! Typed values out of replies.

mod error;
mod fit;
mod growing;
mod json;
mod parse;
mod path;
mod reader;
mod repair;
mod stream;
mod typed;

pub use error::{OutputError, OutputErrorKind};
pub use fit::Leniency;
pub use path::{Path, Step};
pub use repair::{Repair, RepairKind};
pub use stream::{OutputEvent, OutputStream};
pub use typed::{Output, Parsed};
