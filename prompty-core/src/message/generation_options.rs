//! Options for generating answers: those that most providers have, and those of a single provider.

use std::fmt;

use crate::trace::redact_entries;
use crate::value::{Map, Value};

/// Options for generating answers. The provider chooses the value of an option that is `None`.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::message::GenerationOptions;
///
/// let mut options = GenerationOptions::default();
/// options.temperature = Some(0.2);
/// options.stop_sequences.push("END".to_owned());
/// options.additional.insert("service_tier", "flex");
/// assert_eq!(options.additional.get("service_tier").unwrap().as_str(), Some("flex"));
/// ```
///
/// `Debug` hides the options whose names suggest secrets.
#[derive(Clone, PartialEq, Default)]
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
    /// The penalty on tokens in proportion to their number of occurrences.
    pub frequency_penalty: Option<f64>,
    /// The penalty on tokens that have occurred at least once.
    pub presence_penalty: Option<f64>,
    /// The seed for reproducible answers.
    pub seed: Option<i64>,
    /// The strings at which the answer ends.
    pub stop_sequences: Vec<String>,
    /// Whether the model may call several tools at once.
    pub allow_multiple_tool_calls: Option<bool>,
    /// Options of a single provider, by the provider's names.
    pub additional: Map,
}

impl GenerationOptions {
    /// Sets an option by its name in the Prompty specification (§2.8), such as `maxOutputTokens`.
    /// The entries of `additionalProperties` become additional options. So does an option that the
    /// specification does not have, or whose value is of another kind.
    ///
    /// ```
    /// # use prompty_core as typed_prompty;
    /// use typed_prompty::message::GenerationOptions;
    ///
    /// let mut options = GenerationOptions::default();
    /// options.set("maxOutputTokens", 600);
    /// options.set("service_tier", "flex");
    /// assert_eq!(options.max_output_tokens, Some(600));
    /// assert_eq!(options.additional.get("service_tier").unwrap().as_str(), Some("flex"));
    /// ```
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        let count = || value.as_integer().and_then(|number| u64::try_from(number).ok());
        let is_set = match name {
            "temperature" => set_option(&mut self.temperature, value.as_f64()),
            "maxOutputTokens" => set_option(&mut self.max_output_tokens, count()),
            "topP" => set_option(&mut self.top_p, value.as_f64()),
            "topK" => set_option(&mut self.top_k, count()),
            "frequencyPenalty" => set_option(&mut self.frequency_penalty, value.as_f64()),
            "presencePenalty" => set_option(&mut self.presence_penalty, value.as_f64()),
            "seed" => {
                let seed = value.as_integer().and_then(|number| i64::try_from(number).ok());
                set_option(&mut self.seed, seed)
            }
            "stopSequences" => {
                let stops = value.as_array().unwrap_or_default().iter().filter_map(Value::as_str);
                self.stop_sequences = stops.map(str::to_owned).collect();
                value.as_array().is_some()
            }
            "allowMultipleToolCalls" => {
                set_option(&mut self.allow_multiple_tool_calls, value.as_bool())
            }
            "additionalProperties" => match &value {
                Value::Object(more) => {
                    self.additional.extend(more.iter().map(|(name, value)| (name, value.clone())));
                    true
                }
                _ => false,
            },
            _ => false,
        };
        if !is_set && !value.is_null() {
            self.additional.insert(name, value);
        }
    }

    /// Overwrites the options that `other` sets, and keeps the rest.
    #[doc(hidden)]
    pub fn merge(&mut self, other: Self) {
        let Self { stop_sequences, additional, .. } = other;
        self.temperature = other.temperature.or(self.temperature);
        self.max_output_tokens = other.max_output_tokens.or(self.max_output_tokens);
        self.top_p = other.top_p.or(self.top_p);
        self.top_k = other.top_k.or(self.top_k);
        self.frequency_penalty = other.frequency_penalty.or(self.frequency_penalty);
        self.presence_penalty = other.presence_penalty.or(self.presence_penalty);
        self.seed = other.seed.or(self.seed);
        self.allow_multiple_tool_calls =
            other.allow_multiple_tool_calls.or(self.allow_multiple_tool_calls);
        if !stop_sequences.is_empty() {
            self.stop_sequences = stop_sequences;
        }
        self.additional.extend(additional.iter().map(|(name, value)| (name, value.clone())));
    }
}

impl fmt::Debug for GenerationOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenerationOptions")
            .field("temperature", &self.temperature)
            .field("max_output_tokens", &self.max_output_tokens)
            .field("top_p", &self.top_p)
            .field("top_k", &self.top_k)
            .field("frequency_penalty", &self.frequency_penalty)
            .field("presence_penalty", &self.presence_penalty)
            .field("seed", &self.seed)
            .field("stop_sequences", &self.stop_sequences)
            .field("allow_multiple_tool_calls", &self.allow_multiple_tool_calls)
            .field("additional", &redact_entries(&self.additional))
            .finish()
    }
}

/// Sets an option. `value` is `None` if the given value is of another kind; then the result is
/// `false`.
fn set_option<T>(option: &mut Option<T>, value: Option<T>) -> bool {
    let is_some = value.is_some();
    *option = value;
    is_some
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_additional_options_are_not_shown() {
        let mut options = GenerationOptions::default();
        options.set("api_key", "sk-1");
        assert!(!format!("{options:?}").contains("sk-1"));
    }

    #[test]
    fn a_value_of_another_kind_is_kept_unchanged() {
        let mut options = GenerationOptions::default();
        options.set("temperature", "hot");
        assert_eq!(options.temperature, None);
        assert_eq!(options.additional.get("temperature").and_then(Value::as_str), Some("hot"));
    }
}
