//! The model that a prompt is written for, and how to reach it (Prompty §2.5, §2.6).
//!
//! `Debug` must not show what came from the host's environment and files. So each type records
//! these parts in `host`, and shows its fields with [`DebugFields`].

use super::host::{DebugFields, HostParts};
use prompty_core::message::GenerationOptions;
use prompty_core::trace::REDACTED;
use prompty_core::value::{Map, Value};

/// A model: its id, and optionally how to reach it and how it should answer.
///
/// `Debug` hides what came from `${env:…}` and `${file:…}`.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Model {
    /// The model's id, such as `gpt-4o`.
    pub id: Option<String>,
    /// The provider that serves the model, such as `openai`.
    pub provider: Option<String>,
    /// The API of the model: `chat`, `embedding`, `image` or `responses`.
    pub api_type: Option<String>,
    /// The endpoint and its credentials.
    pub connection: Option<Connection>,
    /// The options for its answers.
    pub options: Option<ModelOptions>,
    /// The keys that the format does not define.
    pub unknown: Map,
    /// The parts of these fields that came from the host.
    pub(super) host: HostParts,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        DebugFields::new(f, "Model", &self.host)
            .field("id", "id", &self.id)
            .field("provider", "provider", &self.provider)
            .field("api_type", "apiType", &self.api_type)
            .shown_as_is("connection", &self.connection)
            .shown_as_is("options", &self.options)
            .unknown(&self.unknown)
            .finish()
    }
}

/// The endpoint of a model or a tool, and the credentials for it.
///
/// `Debug` hides credentials, and what came from `${env:…}` and `${file:…}`.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Connection {
    /// `key`, `reference`, `remote`, `anonymous`, `foundry`, `oauth`, or a kind of the host.
    pub kind: String,
    /// The name of a connection that is configured in the host.
    pub name: Option<String>,
    /// The URL of the endpoint.
    pub endpoint: Option<String>,
    /// The API key.
    pub api_key: Option<String>,
    /// All other keys, as the source has them.
    pub other: Map,
    /// The parts of these fields that came from the host.
    pub(super) host: HostParts,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        DebugFields::new(f, "Connection", &self.host)
            .field("kind", "kind", &self.kind)
            .field("name", "name", &self.name)
            .field("endpoint", "endpoint", &self.endpoint)
            .shown_as_is("api_key", &self.api_key.as_ref().map(|_| REDACTED))
            .keys("other", &self.other)
            .finish()
    }
}

/// The options of a model's answers. The provider chooses the value of an option that is `None`.
///
/// `Debug` hides what came from `${env:…}` and `${file:…}`, and the options whose names look like
/// the names of credentials.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ModelOptions {
    /// The randomness of the answer.
    pub temperature: Option<f64>,
    /// The maximum length of the answer, in tokens.
    pub max_output_tokens: Option<u64>,
    /// The probability mass for nucleus sampling.
    pub top_p: Option<f64>,
    /// The number of candidates for each token.
    pub top_k: Option<u64>,
    /// The penalty on tokens in proportion to how often they occurred.
    pub frequency_penalty: Option<f64>,
    /// The penalty on tokens that occurred at all.
    pub presence_penalty: Option<f64>,
    /// The seed for reproducible answers.
    pub seed: Option<i64>,
    /// The strings that end the answer.
    pub stop_sequences: Vec<String>,
    /// Whether the model may call several tools at once.
    pub allow_multiple_tool_calls: Option<bool>,
    /// Options that only the provider defines: `additionalProperties` in the file.
    pub additional_properties: Map,
    /// The keys that the format does not define.
    pub unknown: Map,
    /// The parts of these fields that came from the host.
    pub(super) host: HostParts,
}

impl std::fmt::Debug for ModelOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        DebugFields::new(f, "ModelOptions", &self.host)
            .field("temperature", "temperature", &self.temperature)
            .field("max_output_tokens", "maxOutputTokens", &self.max_output_tokens)
            .field("top_p", "topP", &self.top_p)
            .field("top_k", "topK", &self.top_k)
            .field("frequency_penalty", "frequencyPenalty", &self.frequency_penalty)
            .field("presence_penalty", "presencePenalty", &self.presence_penalty)
            .field("seed", "seed", &self.seed)
            .field("stop_sequences", "stopSequences", &self.stop_sequences)
            .field(
                "allow_multiple_tool_calls",
                "allowMultipleToolCalls",
                &self.allow_multiple_tool_calls,
            )
            .entries("additional_properties", "additionalProperties", &self.additional_properties)
            .unknown(&self.unknown)
            .finish()
    }
}

/// The name of the option for a streamed answer.
const STREAM: &str = "stream";

impl ModelOptions {
    /// The value of an additional property.
    pub fn additional(&self, name: &str) -> Option<&Value> {
        self.additional_properties.get(name)
    }

    /// Whether the file asks for a streamed answer: `additionalProperties: {stream: true}` (Prompty
    /// §5).
    #[doc(hidden)]
    pub fn asks_for_stream(&self) -> bool {
        self.additional(STREAM).and_then(Value::as_bool) == Some(true)
    }
}

impl From<&ModelOptions> for GenerationOptions {
    /// The options in the form of a request.
    ///
    /// `stream` is not copied, because only the program can choose to read a stream.
    /// [`ModelOptions::asks_for_stream`] returns the file's setting. Keys that the format does not
    /// define are not copied either. Options that only a provider knows belong in
    /// `additionalProperties`.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_check::definition; }
    /// use typed_prompty::message::GenerationOptions;
    /// use typed_prompty::definition::Definition;
    ///
    /// let text = "---
    /// model:
    ///   id: small
    ///   options:
    ///     temperature: 0.5
    ///     additionalProperties: {service_tier: flex, stream: true}
    /// ---
    /// user:
    /// Hello";
    /// let model = Definition::from_text(text)?.model.expect("the front matter has a model");
    /// let own = model.options.expect("it has options");
    /// let options = GenerationOptions::from(&own);
    /// assert_eq!(options.temperature, Some(0.5));
    /// assert_eq!(options.additional.keys().collect::<Vec<_>>(), ["service_tier"]);
    /// assert!(own.asks_for_stream());
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    fn from(own: &ModelOptions) -> Self {
        // The struct is of another crate and `#[non_exhaustive]`, so each field is assigned.
        let mut options = Self::default();
        options.temperature = own.temperature;
        options.max_output_tokens = own.max_output_tokens;
        options.top_p = own.top_p;
        options.top_k = own.top_k;
        options.frequency_penalty = own.frequency_penalty;
        options.presence_penalty = own.presence_penalty;
        options.seed = own.seed;
        options.stop_sequences.clone_from(&own.stop_sequences);
        options.allow_multiple_tool_calls = own.allow_multiple_tool_calls;
        options.additional = own.additional_properties.clone();
        options.additional.remove(STREAM);
        options
    }
}
