//! The options of a parser.

use prompty_core::value::Value;

/// The options of reading a reply.
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
    /// Whether reasoning and its markers are kept as part of the content.
    pub reasoning_in_content: bool,
    /// Whether the reply begins with the text of the message that the model continues.
    pub prepend_continued: bool,
    /// Whether reading stops after the first call.
    pub stop_at_first_call: bool,
    /// What the opener of a call does inside reasoning.
    pub calls_in_reasoning: CallsInReasoning,
    /// The JSON schema that the content must follow. A Markdown fence around the content is
    /// removed.
    pub content_schema: Option<Value>,
}

/// What the opener of a call does inside reasoning.
///
/// A stream cannot look ahead to see whether the reasoning is closed later, and inference engines
/// differ in what they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CallsInReasoning {
    /// It ends reasoning that the prompt opened; in reasoning that the model opened, it is text.
    #[default]
    ByOpener,
    /// It ends the reasoning.
    End,
    /// It is text as long as the reasoning is open.
    Text,
}

impl ReplyOptions {
    /// Sets whether reasoning is kept inside the content.
    pub fn with_reasoning_in_content(mut self, yes: bool) -> Self {
        self.reasoning_in_content = yes;
        self
    }

    /// Sets whether the reply begins with the text of the continued message.
    pub fn with_prepend_continued(mut self, yes: bool) -> Self {
        self.prepend_continued = yes;
        self
    }

    /// Sets whether reading stops after the first call.
    pub fn with_stop_at_first_call(mut self, yes: bool) -> Self {
        self.stop_at_first_call = yes;
        self
    }

    /// Sets what the opener of a call does inside reasoning.
    pub fn with_calls_in_reasoning(mut self, calls: CallsInReasoning) -> Self {
        self.calls_in_reasoning = calls;
        self
    }

    /// Sets the JSON schema of the content.
    pub fn with_content_schema(mut self, schema: impl Into<Value>) -> Self {
        self.content_schema = Some(schema.into());
        self
    }
}
