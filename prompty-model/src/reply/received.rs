//! What only providers tell of a reply: how many tokens it took, why it ended, and what no other
//! understands.

use prompty_core::message::ProviderPart;
use serde::Serialize;

use super::event::FinishReason;
use super::outcome::Reply;

/// How many tokens a reply took. What the provider did not tell is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Usage {
    /// The tokens of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// The tokens of the answer, with its reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// All tokens, as the provider counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// The tokens of the prompt that came out of the provider's cache. Whether `input` counts them, too,
    /// is the provider's choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<u64>,
    /// The tokens of the prompt that went into the provider's cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_writes: Option<u64>,
    /// The tokens of the reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
}

/// What only providers tell of a reply.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct Received {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refusal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) finish_reason: Option<FinishReason>,
    /// The provider's word for it.
    #[serde(skip)]
    pub(crate) finish_word: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stop_sequence: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<Usage>,
    /// The phases of the texts, in the order in which they began.
    #[serde(skip)]
    pub(crate) phases: Vec<String>,
    #[serde(skip)]
    pub(crate) others: Vec<ProviderPart>,
    #[serde(skip)]
    pub(crate) alternatives: Vec<Reply>,
}

/// What is told of a reply that no provider sent.
pub(super) static NOTHING: Received = Received {
    id: None,
    model: None,
    refusal: None,
    finish_reason: None,
    finish_word: None,
    stop_sequence: None,
    usage: None,
    phases: Vec::new(),
    others: Vec::new(),
    alternatives: Vec::new(),
};
