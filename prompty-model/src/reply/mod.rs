//! What a model answered, structured: reasoning, content and tool calls, whole or as a stream.
//!
//! A [`format::ReplyFormat`] says how a model writes; a [`ReplyParser`] reads what it wrote. There is
//! one machine for whole and streamed replies, so that they cannot differ, and no text can make it
//! fail: text that is not a call is reported as malformed, and every byte of a reply is in exactly one
//! [`Channel`].
//!
//! ```
//! use prompty_model::reply::ReplyParser;
//! use prompty_model::reply::format::{CallShape, JsonCall, Reasoning, ReplyFormat, Tools};
//!
//! let mut format = ReplyFormat::plain();
//! format.reasoning = Some(Reasoning::tags("<think>\n", "\n</think>\n\n"));
//! format.tools = Some(
//!     Tools::new(CallShape::Json(JsonCall::default()))
//!         .with_call("<tool_call>\n", "\n</tool_call>"),
//! );
//! let reply = ReplyParser::new(format).parse(concat!(
//!     "<think>\nI need the weather.\n</think>\n\nOne moment.\n<tool_call>\n",
//!     r#"{"name": "weather", "arguments": {"city": "Bonn"}}"#,
//!     "\n</tool_call>",
//! ));
//! assert_eq!(reply.reasoning(), "I need the weather.");
//! assert_eq!(reply.calls()[0].arguments, r#"{"city": "Bonn"}"#);
//! assert!(reply.calls()[0].complete);
//! ```

mod case;
mod convert;
mod event;
pub mod format;
pub mod grammar;
mod layout;
mod machine;
mod options;
mod outcome;
mod parser;
mod sink;
mod stream;

/// For the tests of this workspace: no part of the interface.
#[doc(hidden)]
pub mod internal {
    use super::format::ReplyFormat;
    use super::layout::Part;
    use prompty_core::value::Value;

    /// The layout of replies of a format, as JSON.
    pub fn layout(format: &ReplyFormat) -> Value {
        Value::from_serialize(&Part::of_format(format)).unwrap_or_default()
    }
}

pub use case::{CaseFailure, ReplyCase};
pub use event::{Channel, Event, FinishReason, Malformation};
pub use options::{CallsInReasoning, ReplyOptions};
pub use outcome::{Malformed, Part, Reply, ReplyCall};
pub use parser::ReplyParser;
pub use stream::{Events, ReplyStream};
