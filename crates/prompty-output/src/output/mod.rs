//! Typed values out of what a model answers: a Rust type is what the model is asked for, and what its reply
//! becomes.
//!
//! An [`Output`] has a type's JSON schema and reads replies. Models write JSON into prose and fences, leave
//! quotes and commas out, add comments, and stop in the middle. What was plainly meant is mended and told
//! as a [`Repair`]; what is ambiguous is an [`OutputError`] that says where and what was expected. How much
//! is taken is one option, [`Leniency`].
//!
//! ```
//! # mod typed_prompty { pub use prompty_output::output; }
//! use typed_prompty::output::Output;
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Ticket {
//!     title: String,
//!     /// From 1 (later) to 5 (now).
//!     urgency: u8,
//!     labels: Vec<String>,
//! }
//!
//! let reply = "Here is the ticket:\n```json\n\
//!              {'title': 'Printer on fire', urgency: 5, // at once\n  labels: [\"hardware\",]}\n```";
//! let parsed = Output::<Ticket>::new().parse(reply)?;
//! assert_eq!(parsed.value.title, "Printer on fire");
//! assert_eq!((parsed.value.urgency, parsed.value.labels.len()), (5, 1));
//! assert_eq!(parsed.repairs[0].to_string(), "other quotes than `\"` (at byte 29)");
//! # Ok::<(), prompty_output::output::OutputError>(())
//! ```
//!
//! A reply that comes in pieces is read by an [`OutputStream`], which tells what is new. It is the same
//! reader: however a reply is cut, the result is the same. It never takes back what it told, but where a
//! later value of the reply turns out to be the one that is meant: then it says
//! [`OutputEvent::Restarted`].
//!
//! Reading takes time in proportion to the reply: what must be looked at before it can be decided is
//! bounded.

mod error;
mod event;
mod fit;
#[doc(hidden)]
pub mod generated;
mod growing;
mod json;
mod named;
mod parse;
mod partial;
mod path;
mod prose;
mod reader;
mod repair;
mod shape;
mod stream;
mod typed;

pub use error::{OutputError, OutputErrorKind};
pub use event::OutputEvent;
pub use fit::Leniency;
pub use partial::{Growable, GrowingMap, GrowingValue, Growth, Partial, PartialStream};
pub use path::{Path, Step};
pub use repair::{Repair, RepairKind};
#[doc(hidden)]
pub use shape::schema;
pub use shape::{HasSchema, shape_of};
pub use stream::OutputStream;
pub use typed::{Answer, Output, Parsed};
#[doc(hidden)]
pub use typed::{output_of, output_of_schema};
