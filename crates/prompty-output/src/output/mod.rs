//! Typed values from a model's answers. A Rust type describes the expected answer, and the reply
//! becomes a value of the type.
//!
//! An [`Output`] has a type's JSON schema and reads replies. Models write JSON in prose and fences,
//! omit quotes and commas, add comments, and stop in the middle. Damage with a clear meaning is
//! repaired and reported as a [`Repair`]. Ambiguous damage is an [`OutputError`] with the place and
//! the expected value. The option [`Leniency`] decides how much is repaired.
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
//! An [`OutputStream`] reads a streamed reply and reports what is new. It uses the same reader, so
//! the result does not depend on how a reply is split. It never takes back an event, with one
//! exception: if a later value of the reply is the intended one, it reports
//! [`OutputEvent::Restarted`].
//!
//! Reading takes time in proportion to the reply, because lookahead is bounded.

mod choices;
mod error;
mod event;
mod fit;
#[doc(hidden)]
pub mod generated;
mod json;
mod known_paths;
mod lenient_list;
mod long_numbers;
mod parse;
mod partial;
mod path;
mod reader;
mod repair;
mod shape;
mod stream;
mod text_stream;
mod typed;
mod value_builder;
mod written_form;

pub use error::{OutputError, OutputErrorKind};
pub use event::OutputEvent;
pub use fit::Leniency;
pub use lenient_list::LenientList;
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
