//! The data about a reply that only providers report: token counts, the finish reason, and items
//! that only the provider understands.

use std::sync::LazyLock;

use prompty_core::message::ProviderPart;
use serde::Serialize;

use super::event::FinishReason;

/// The numbers of tokens of a reply. A number is `None` if the provider did not report it.
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
    /// The tokens of the prompt that the provider took from its cache. It depends on the provider
    /// whether `input` includes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<u64>,
    /// The tokens of the prompt that the provider wrote to its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_writes: Option<u64>,
    /// The tokens of the reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
}

/// The data about a reply that only providers report. Public for `prompty-wire`, which fills it in.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ProviderMetadata {
    /// The provider's id of the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The text of a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Why the reply ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<FinishReason>,
    /// The provider's own term for the finish reason.
    #[serde(skip)]
    pub finish_word: Option<String>,
    /// The stop string that ended the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_sequence: Option<String>,
    /// The number of tokens used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The phases of the texts, in the order in which they began.
    #[serde(skip)]
    pub phases: Vec<String>,
    /// The items that only the provider understands.
    #[serde(skip)]
    pub others: Vec<ProviderPart>,
}

/// The metadata of a reply that no provider sent.
pub(super) static NO_METADATA: LazyLock<ProviderMetadata> =
    LazyLock::new(ProviderMetadata::default);
