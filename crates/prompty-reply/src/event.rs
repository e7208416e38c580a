//! The events of a reply, in the order in which the model wrote it.

use serde::Serialize;

/// One increment of a reply.
///
/// The strings are borrowed from the stream that reports the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event<'stream> {
    /// More reasoning.
    Reasoning {
        /// The added text.
        text: &'stream str,
    },
    /// More content.
    Content {
        /// The added text.
        text: &'stream str,
    },
    /// A call began.
    CallStarted {
        /// The index of the call in the reply, from 0.
        index: usize,
        /// Its id. It is empty if the call has none, or if the id is written after the name; then
        /// [`Event::CallEnded`] has it.
        id: &'stream str,
        /// The tool's name.
        name: &'stream str,
        /// Whether the tool was offered.
        known: bool,
        /// Whether the arguments are free text instead of JSON. Only providers report such calls.
        free_text: bool,
    },
    /// More of the arguments of the latest call, as JSON text.
    Arguments {
        /// The index of the call in the reply, from 0.
        index: usize,
        /// The added text.
        text: &'stream str,
    },
    /// A call ended.
    CallEnded {
        /// The index of the call in the reply, from 0.
        index: usize,
        /// Its id; empty if it has none.
        id: &'stream str,
        /// Whether the call is complete. Then its arguments are valid JSON. Do not carry out an
        /// incomplete call.
        complete: bool,
        /// Whether braces that the model left open were closed.
        repaired: bool,
    },
    /// Text in the place of a call that is not a valid call.
    ///
    /// If the call had already begun, [`Event::CallEnded`] reports it as incomplete before this
    /// event.
    Malformed {
        /// The complete text, as the model wrote it.
        text: &'stream str,
        /// The problem with it.
        reason: Malformation,
    },
    /// More of the text in which the model refuses to answer, if its provider marks refusals.
    Refusal {
        /// The added text.
        text: &'stream str,
    },
    /// An item that only the provider understands: signed reasoning, a search that it ran itself,
    /// or a kind of item that is newer than this library.
    Other {
        /// The name of the provider's protocol.
        protocol: &'static str,
        /// The item as the provider wrote it, as JSON text.
        json: &'stream str,
    },
}

/// The problem with a malformed part of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Malformation {
    /// The reply ended inside it.
    CutOff,
    /// A call's opener that no call follows.
    NoCall,
    /// A call without a name.
    NoName,
    /// A call without arguments although its tool requires some.
    NoArguments,
    /// The arguments are not valid JSON and cannot be converted to JSON.
    WrongArguments,
    /// The text after the name is neither arguments nor the end of the call.
    WrongMarkup,
}

impl std::fmt::Display for Malformation {
    /// Writes the problem as a phrase.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::CutOff => "a call that the end of the reply cuts off",
            Self::NoCall => "the opener of a call without a call after it",
            Self::NoName => "a call without a name",
            Self::NoArguments => "a call without arguments although its tool requires some",
            Self::WrongArguments => "arguments that are not valid JSON",
            Self::WrongMarkup => "markup that does not belong in a call",
        })
    }
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// The model ended its turn.
    #[default]
    End,
    /// The token limit was reached.
    Length,
    /// A stop string was reached. It is not part of the text, so a call is complete if the string
    /// was its closer.
    Stop,
    /// Somebody cancelled it.
    Cancelled,
    /// The model called tools and waits for their results.
    ToolCalls,
    /// The provider's filter stopped it.
    Filtered,
    /// The model refused to answer.
    Refused,
    /// A reason that this library does not know.
    Other,
}

/// How a piece of a reply's text was classified. The pieces of a reply add up to its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Channel {
    /// Reasoning.
    Reasoning,
    /// Content.
    Content,
    /// A call, with the markup inside it.
    Call,
    /// Markup, and white space around it.
    Markup,
    /// Text in the place of a call that is not a valid call.
    Malformed,
}
