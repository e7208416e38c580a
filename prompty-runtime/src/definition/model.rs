//! The model that a prompt is written for, and how to reach it (§2.5, §2.6).

use prompty_core::trace::redact_entries;
use prompty_core::value::{Map, Value};

/// The model, or just its id.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Model {
    /// The model's id, such as `gpt-4o`.
    pub id: Option<String>,
    /// Who serves it, such as `openai`.
    pub provider: Option<String>,
    /// Which API it is reached by: `chat`, `embedding`, `image`, `responses`.
    pub api_type: Option<String>,
    /// Where it is, and with which credentials.
    pub connection: Option<Connection>,
    /// How it should answer.
    pub options: Option<ModelOptions>,
    /// Keys that the format does not have.
    pub unknown: Map,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("id", &self.id)
            .field("provider", &self.provider)
            .field("api_type", &self.api_type)
            .field("connection", &self.connection)
            .field("options", &self.options)
            .field("unknown", &redact_entries(&self.unknown))
            .finish()
    }
}

/// Where a model or tool is, and with which credentials it is reached.
///
/// `Debug` shows no credential.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Connection {
    /// `key`, `reference`, `remote`, `anonymous`, `foundry`, `oauth`, or a host's own kind.
    pub kind: String,
    /// The name of a connection that the host keeps.
    pub name: Option<String>,
    /// The URL.
    pub endpoint: Option<String>,
    /// The key.
    pub api_key: Option<String>,
    /// All other keys, as they are written.
    pub other: Map,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("kind", &self.kind)
            .field("name", &self.name)
            .field("endpoint", &self.endpoint)
            .field("api_key", &self.api_key.as_ref().map(|_| "[REDACTED]"))
            .field("other", &self.other.keys().collect::<Vec<_>>())
            .finish()
    }
}

/// How the model should answer. What is `None` is left to the provider.
///
/// `Debug` shows nothing whose name sounds like a credential's.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ModelOptions {
    /// Randomness.
    pub temperature: Option<f64>,
    /// The longest answer, in tokens.
    pub max_output_tokens: Option<u64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// How many candidates are considered for each token.
    pub top_k: Option<u64>,
    /// Penalty on repeated tokens.
    pub frequency_penalty: Option<f64>,
    /// Penalty on tokens that have come up.
    pub presence_penalty: Option<f64>,
    /// For reproducible answers.
    pub seed: Option<i64>,
    /// Texts at which the answer ends.
    pub stop_sequences: Vec<String>,
    /// Whether several tools may be called at once.
    pub allow_multiple_tool_calls: Option<bool>,
    /// What only the provider knows, `additionalProperties` in the file.
    pub additional_properties: Map,
    /// Keys that the format does not have.
    pub unknown: Map,
}

impl std::fmt::Debug for ModelOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelOptions")
            .field("temperature", &self.temperature)
            .field("max_output_tokens", &self.max_output_tokens)
            .field("top_p", &self.top_p)
            .field("top_k", &self.top_k)
            .field("frequency_penalty", &self.frequency_penalty)
            .field("presence_penalty", &self.presence_penalty)
            .field("seed", &self.seed)
            .field("stop_sequences", &self.stop_sequences)
            .field("allow_multiple_tool_calls", &self.allow_multiple_tool_calls)
            .field("additional_properties", &redact_entries(&self.additional_properties))
            .field("unknown", &redact_entries(&self.unknown))
            .finish()
    }
}

impl ModelOptions {
    /// An additional property by its name.
    pub fn additional(&self, name: &str) -> Option<&Value> {
        self.additional_properties.get(name)
    }
}
