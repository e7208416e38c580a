//! A model's reply as structured data: reasoning, content and tool calls, complete or as a stream.
//! A [`Reply`] and its [`Event`]s look the same for a model's text that is parsed here and for a
//! reply that a provider sent (the crate `prompty-wire`). [`Reply::complete`] turns refusals and
//! truncated replies into errors.
//!
//! A [`format::ReplyFormat`] describes how a model writes; a [`ReplyParser`] reads what it wrote.
//! One state machine reads complete and streamed replies, so they cannot differ. No text makes it
//! fail: text that is not a valid call is reported as malformed. Every byte of a reply is in
//! exactly one [`Channel`].
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
//! | `tools` | implements the trait `Call` of `prompty-output` for the calls of a reply |
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
mod provider_metadata;
#[cfg(feature = "parser")]
mod sink;
#[cfg(feature = "parser")]
mod stream;
#[cfg(feature = "tools")]
mod tool_calls;
#[cfg(feature = "output")]
mod typed_output;

/// Types from which `prompty-wire` builds replies; not part of the public interface.
#[doc(hidden)]
pub mod provider {
    pub use crate::complete::is_failure;
    pub use crate::events::EventBuffer;
    pub use crate::provider_metadata::ProviderMetadata;
}

/// Functions for the tests of this workspace; not part of the public interface.
#[cfg(feature = "parser")]
#[doc(hidden)]
pub mod internal {
    use super::format::ReplyFormat;
    use super::layout::LayoutPart;
    use prompty_core::value::Value;

    /// Returns the layout of replies of a format, as JSON.
    pub fn layout(format: &ReplyFormat) -> Value {
        Value::from_serialize(&LayoutPart::of_format(format)).unwrap_or_default()
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
pub use provider_metadata::Usage;
#[cfg(feature = "parser")]
pub use stream::ReplyStream;
