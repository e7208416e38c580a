//! Typed tools: a Rust type is what a tool is told to a model as, and what a call of it becomes.
//!
//! A [`Tool`] is a struct: its fields are the arguments, its doc comments the descriptions. A
//! [`ToolSet`] is an enum of tools, and a call becomes the variant of its name. What does not fit
//! becomes a [`ToolError`], which goes back to the model as text that says where and what was
//! expected, so that it can mend its call. Calls come from wherever there is a [`Call`].
//!
//! ```
//! # mod typed_prompty { pub use prompty_core::message; pub use prompty_output::tools; }
//! use typed_prompty::message::ToolCall;
//! use typed_prompty::tools::Tool;
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Weather {
//!     /// The city's name.
//!     city: String,
//!     days: Option<u8>,
//! }
//!
//! // `#[derive(Tool)]` of the facade writes this, from the type's name and doc comment.
//! impl Tool for Weather {
//!     const NAME: &'static str = "weather";
//!     const DESCRIPTION: &'static str = "The weather of the next days in a city.";
//! }
//!
//! let weather = Weather::from_call(&ToolCall::new("1", "weather", r#"{"city": "Bonn"}"#))?;
//! assert_eq!((weather.city.as_str(), weather.days), ("Bonn", None));
//!
//! let call = ToolCall::new("2", "weather", r#"{"city": "Bonn", "days": "two"}"#);
//! let error = Weather::from_call(&call).err().expect("a text is no number");
//! assert_eq!(error.place(), Some("days"));
//! assert_eq!(error.help(), Some(r#"`days` takes {"type":"integer","minimum":0,"maximum":255}"#));
//! # Ok::<(), prompty_output::tools::ToolError>(())
//! ```
//!
//! Arguments are read in time proportional to their text, but for one kind of type: where an enum is
//! `#[serde(untagged)]` and holds itself, serde tries every alternative again at each level, so that
//! the time doubles with each level. Give such an enum a tag.

mod call;
mod error;
mod expected;
#[doc(hidden)]
pub mod generated;
mod misfit;
mod read;
mod tool;
mod toolbox;

pub use call::Call;
pub use error::{ToolError, ToolErrorKind};
pub use tool::{Arguments, Tool, ToolSet};
pub use toolbox::{AsyncToolbox, Toolbox};
