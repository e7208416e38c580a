//! The options of a model's answers that most providers have, and those that only one has.

use crate::value::{Map, Value};

/// The options of a model's answers. The provider chooses the value of an option that is `None`.
///
/// ```
/// use prompty_core::message::GenerationOptions;
///
/// let mut options = GenerationOptions::default();
/// options.temperature = Some(0.2);
/// options.stop_sequences.push("END".to_owned());
/// let options = options.with_additional("service_tier", "flex");
/// assert_eq!(options.additional.get("service_tier").unwrap().as_str(), Some("flex"));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct GenerationOptions {
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
    /// The texts at which the answer ends.
    pub stop_sequences: Vec<String>,
    /// Whether the model may call several tools at once.
    pub allow_multiple_tool_calls: Option<bool>,
    /// Options that only the provider knows, by the names that it has for them.
    pub additional: Map,
}

impl GenerationOptions {
    /// The same options with one that only the provider knows.
    #[must_use]
    pub fn with_additional(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.additional.insert(name, value);
        self
    }
}
