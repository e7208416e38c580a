//! What a model answered, structured: reasoning, content and tool calls, whole or as a stream. A [`Reply`]
//! and its [`Event`]s are the same, whether the model's text is read here or a provider sent them (the crate
//! `prompty-wire`). [`Reply::complete`] turns refusals and cut replies into errors.
//!
//! A [`format::ReplyFormat`] says how a model writes; a [`ReplyParser`] reads what it wrote. There is
//! one machine for whole and streamed replies, so that they cannot differ, and no text can make it
//! fail: text that is not a call is reported as malformed, and every byte of a reply is in exactly one
//! [`Channel`].
//!
//! ```
//! # mod typed_prompty { pub use prompty_reply as reply; }
//! use typed_prompty::reply::ReplyParser;
//! use typed_prompty::reply::format::{CallShape, JsonCall, Reasoning, ReplyFormat, Tools};
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
//!
//! | feature | what it adds |
//! |---|---|
//! | `parser` | formats, the parser of model text, and grammars |
//! | `output` | `Reply::output`: the content as a value of a Rust type |
//! | `tools` | calls of a reply are calls that the tools of `prompty-output` answer |
//!
//! Programs depend on the facade, `typed-prompty`, which exports this crate.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "parser")]
mod case;
mod complete;
#[cfg(feature = "parser")]
mod convert;
mod event;
mod events;
#[cfg(feature = "parser")]
pub mod format;
#[cfg(feature = "parser")]
pub mod grammar;
#[cfg(feature = "parser")]
mod layout;
#[cfg(feature = "parser")]
mod machine;
#[cfg(feature = "parser")]
mod options;
mod outcome;
#[cfg(feature = "parser")]
mod parser;
mod received;
#[cfg(feature = "parser")]
mod sink;
#[cfg(feature = "parser")]
mod stream;
#[cfg(feature = "tools")]
mod tool_calls;
#[cfg(feature = "output")]
mod typed_output;

/// What `prompty-wire` builds replies with; not part of the interface.
#[doc(hidden)]
pub mod provider {
    pub use crate::complete::is_failure;
    pub use crate::events::EventBuffer;
    pub use crate::received::Received;
}

/// For the tests of this workspace: no part of the interface.
#[cfg(feature = "parser")]
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

#[cfg(feature = "parser")]
pub use case::{CaseFailure, ReplyCase};
pub use complete::{ReplyError, ReplyErrorKind};
pub use event::{Channel, Event, FinishReason, Malformation};
pub use events::Events;
#[cfg(feature = "parser")]
pub use options::{CallsInReasoning, ReplyOptions};
pub use outcome::{Malformed, Part, Reply, ReplyCall};
#[cfg(feature = "parser")]
pub use parser::ReplyParser;
pub use received::Usage;
#[cfg(feature = "parser")]
pub use stream::ReplyStream;
