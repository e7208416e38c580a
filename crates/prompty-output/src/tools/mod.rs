//! Typed tools: a Rust type describes a tool to a model, and a call of the tool becomes a value of
//! the type.
//!
//! A [`Tool`] is a struct: its fields are the arguments, its doc comments the descriptions. A
//! [`ToolSet`] is an enum of tools, and a call becomes the variant of its name. Wrong arguments
//! become a [`ToolError`]. Its text has the place and what was expected, so that the model can
//! correct its call. Any type that implements [`Call`] can be read.
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
//! // `#[derive(Tool)]` of the facade generates this from the type's name and doc comment.
//! impl Tool for Weather {
//!     const NAME: &'static str = "weather";
//!     const DESCRIPTION: &'static str = "The weather of the next days in a city.";
//! }
//!
//! let weather = Weather::from_call(&ToolCall::new("1", "weather", r#"{"city": "Bonn"}"#))?;
//! assert_eq!((weather.city.as_str(), weather.days), ("Bonn", None));
//!
//! let call = ToolCall::new("2", "weather", r#"{"city": "Bonn", "days": "two"}"#);
//! let error = Weather::from_call(&call).err().expect("a string is not a number");
//! assert_eq!(error.place(), Some("days"));
//! assert_eq!(error.help(), Some(r#"`days` must match {"type":"integer","minimum":0,"maximum":255}"#));
//! # Ok::<(), prompty_output::tools::ToolError>(())
//! ```
//!
//! Arguments are read in time proportional to their text. For an enum that is `#[serde(untagged)]`
//! and contains itself in two variants, serde tries both again at each level, so the work doubles
//! with each level. Arguments for which it would be too much are an error. Use a tag for such an
//! enum.

mod call;
mod error;
mod expected;
#[doc(hidden)]
pub mod generated;
mod into_answer;
mod mismatch;
mod read;
mod tool;
mod toolbox;

pub use call::Call;
pub use error::{ToolError, ToolErrorKind};
pub use into_answer::IntoAnswer;
pub use tool::{Arguments, Tool, ToolSet};
pub use toolbox::{AsyncToolbox, Toolbox};
