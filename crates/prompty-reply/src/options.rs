//! What a caller can ask of a parser.

use prompty_core::value::Value;

/// How a reply is read.
///
/// ```
/// # mod typed_prompty { pub use prompty_reply as reply; }
/// use typed_prompty::reply::{CallsInReasoning, ReplyOptions};
///
/// let options = ReplyOptions::default()
///     .with_reasoning_in_content(true)
///     .with_calls_in_reasoning(CallsInReasoning::Text);
/// assert!(options.reasoning_in_content);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
#[must_use]
pub struct ReplyOptions {
    /// Whether reasoning stays where it is, markers and all, as part of the content.
    pub reasoning_in_content: bool,
    /// Whether the text of a message that the model continues comes first in the reply.
    pub prepend_continued: bool,
    /// Whether nothing is read behind the first call.
    pub stop_at_first_call: bool,
    /// What the opener of a call inside reasoning is.
    pub calls_in_reasoning: CallsInReasoning,
    /// The JSON schema that the content has to follow. A Markdown fence around the content is taken
    /// off.
    pub content_schema: Option<Value>,
}

/// What the opener of a call inside reasoning is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CallsInReasoning {
    /// Where the prompt opened the reasoning, it ends it; where the model did, it is text.
    #[default]
    ByOpener,
    /// It ends the reasoning.
    End,
    /// It is text until the reasoning closes.
    Text,
}

impl ReplyOptions {
    /// The same options, with reasoning kept inside the content, or not.
    pub fn with_reasoning_in_content(mut self, yes: bool) -> Self {
        self.reasoning_in_content = yes;
        self
    }

    /// The same options, with a continued message's text in front of the reply, or not.
    pub fn with_prepend_continued(mut self, yes: bool) -> Self {
        self.prepend_continued = yes;
        self
    }

    /// The same options, with nothing read behind the first call, or all.
    pub fn with_stop_at_first_call(mut self, yes: bool) -> Self {
        self.stop_at_first_call = yes;
        self
    }

    /// The same options, with another reading of calls inside reasoning.
    pub fn with_calls_in_reasoning(mut self, calls: CallsInReasoning) -> Self {
        self.calls_in_reasoning = calls;
        self
    }

    /// The same options, with a JSON schema for the content.
    pub fn with_content_schema(mut self, schema: impl Into<Value>) -> Self {
        self.content_schema = Some(schema.into());
        self
    }
}
