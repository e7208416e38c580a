//! The events of a reply, in the order in which the model wrote it.

use serde::Serialize;

/// One increment of a reply.
///
/// Texts are borrowed from the stream that tells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event<'stream> {
    /// More reasoning.
    Reasoning {
        /// The text.
        text: &'stream str,
    },
    /// More content.
    Content {
        /// The text.
        text: &'stream str,
    },
    /// A call began.
    CallStarted {
        /// Which call of the reply it is, from 0.
        index: usize,
        /// Its id; empty where it has none, or where it is written behind the name: then
        /// [`Event::CallEnded`] has it.
        id: &'stream str,
        /// The tool's name.
        name: &'stream str,
        /// Whether the tool was offered.
        known: bool,
        /// Whether the arguments are free text and no JSON. No model writes such calls into its text.
        free_text: bool,
    },
    /// More of the arguments of the call that began last, as JSON text.
    Arguments {
        /// Which call of the reply it is, from 0.
        index: usize,
        /// The text.
        text: &'stream str,
    },
    /// A call ended.
    CallEnded {
        /// Which call of the reply it is, from 0.
        index: usize,
        /// Its id; empty where it has none.
        id: &'stream str,
        /// Whether it is whole, so that its arguments are valid JSON. A call that is not must not be
        /// carried out.
        complete: bool,
        /// Whether braces that the model left open were closed for it.
        mended: bool,
    },
    /// Text in the place of a call that is none.
    Malformed {
        /// All of it, as the model wrote it.
        text: &'stream str,
        /// What is wrong with it.
        reason: Malformation,
    },
    /// More of the words in which the model refuses to answer, where its provider tells them apart.
    Refusal {
        /// The text.
        text: &'stream str,
    },
    /// What only the provider understands: signed reasoning, a search that it ran itself, a kind of item that
    /// is newer than this library.
    Other {
        /// The name of the provider's protocol.
        protocol: &'static str,
        /// The item as the provider wrote it, as JSON text.
        json: &'stream str,
    },
}

/// What is wrong with a malformed part of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Malformation {
    /// The reply ended inside it.
    CutOff,
    /// A call's opener without a call.
    NoCall,
    /// A call without a name.
    NoName,
    /// A call without arguments, of a tool that requires some.
    NoArguments,
    /// The arguments are no JSON, and nothing that could be made into JSON.
    WrongArguments,
    /// What stands behind the name is neither arguments nor the call's end.
    WrongMarkup,
}

impl std::fmt::Display for Malformation {
    /// What is wrong, for a person.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::CutOff => "the reply ended inside a call",
            Self::NoCall => "a call's opener without a call behind it",
            Self::NoName => "a call without a name",
            Self::NoArguments => "a call without arguments, of a tool that requires some",
            Self::WrongArguments => "arguments that are no JSON",
            Self::WrongMarkup => "markup that does not belong into a call",
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
    /// The limit of tokens was reached.
    Length,
    /// A stop string came, and is not part of the text: a call whose closer it was is whole.
    Stop,
    /// Somebody cancelled it.
    Cancelled,
    /// The model called tools, and waits for their answers.
    ToolCalls,
    /// The provider's filter stopped it.
    Filtered,
    /// The model refused to answer.
    Refused,
    /// A reason that only the provider knows.
    Other,
}

/// What a piece of a reply's text was read as. The pieces of a reply are its text, byte for byte.
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
    /// What is no call where one should be.
    Malformed,
}
