//! What only providers tell of a reply: how many tokens it took, why it ended, and what no other
//! understands.

use std::sync::LazyLock;

use prompty_core::message::ProviderPart;
use serde::Serialize;

use super::event::FinishReason;

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

/// What only providers report about a reply. Public for `prompty-wire`, which fills it in.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Received {
    /// The provider's id of the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The words of a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Why the reply ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<FinishReason>,
    /// The provider's word for it.
    #[serde(skip)]
    pub finish_word: Option<String>,
    /// The text at which the reply was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_sequence: Option<String>,
    /// How many tokens it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The phases of the texts, in the order in which they began.
    #[serde(skip)]
    pub phases: Vec<String>,
    /// What only the provider understands.
    #[serde(skip)]
    pub others: Vec<ProviderPart>,
}

/// What is told of a reply that no provider sent.
pub(super) static NOTHING: LazyLock<Received> = LazyLock::new(Received::default);
