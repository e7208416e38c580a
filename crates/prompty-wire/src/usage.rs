//! Reads the token counts of an answer. Each protocol has its own names for the same counts, and
//! gateways use the names of one protocol in the answers of another.

use serde::Deserialize;

use super::fields::{Count, Object};
use prompty_reply::Usage;

/// The token counts of an answer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct BodyUsage {
    prompt_tokens: Count,
    input_tokens: Count,
    completion_tokens: Count,
    output_tokens: Count,
    total_tokens: Count,
    prompt_tokens_details: Object<UsageDetails>,
    input_tokens_details: Object<UsageDetails>,
    completion_tokens_details: Object<UsageDetails>,
    output_tokens_details: Object<UsageDetails>,
    // Some protocols have no details, but these fields.
    prompt_cache_hit_tokens: Count,
    cache_read_input_tokens: Count,
    cache_creation_input_tokens: Count,
    reasoning_tokens: Count,
}

/// The parts of a count.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct UsageDetails {
    cached_tokens: Count,
    cache_write_tokens: Count,
    reasoning_tokens: Count,
    thinking_tokens: Count,
}

impl BodyUsage {
    pub(super) fn usage(&self) -> Usage {
        let input = self.prompt_tokens_details.0.as_ref().or(self.input_tokens_details.0.as_ref());
        let output =
            self.completion_tokens_details.0.as_ref().or(self.output_tokens_details.0.as_ref());
        // The first name that the answer has counts.
        let first = |counts: &[Option<Count>]| counts.iter().flatten().find_map(|count| count.0);
        let mut usage = Usage::default();
        usage.input = first(&[Some(self.prompt_tokens), Some(self.input_tokens)]);
        usage.output = first(&[Some(self.completion_tokens), Some(self.output_tokens)]);
        usage.total = self.total_tokens.0;
        usage.cached_input = first(&[
            input.map(|it| it.cached_tokens),
            Some(self.prompt_cache_hit_tokens),
            Some(self.cache_read_input_tokens),
        ]);
        usage.cache_writes =
            first(&[input.map(|it| it.cache_write_tokens), Some(self.cache_creation_input_tokens)]);
        usage.reasoning = first(&[
            output.map(|it| it.reasoning_tokens),
            output.map(|it| it.thinking_tokens),
            Some(self.reasoning_tokens),
        ]);
        usage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Usage {
        serde_json::from_str::<BodyUsage>(json).unwrap().usage()
    }

    #[test]
    fn counts_are_read_in_the_names_of_each_protocol() {
        let chat = r#"{"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14,
            "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 1},
            "completion_tokens_details": {"reasoning_tokens": 3}}"#;
        let responses = r#"{"input_tokens": 9, "output_tokens": 5, "total_tokens": 14,
            "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 1},
            "output_tokens_details": {"reasoning_tokens": 3}}"#;
        let anthropic = r#"{"input_tokens": 9, "output_tokens": 5, "total_tokens": 14,
            "cache_read_input_tokens": 4, "cache_creation_input_tokens": 1,
            "output_tokens_details": {"thinking_tokens": 3}}"#;
        for json in [chat, responses, anthropic] {
            let usage = read(json);
            let tokens = [usage.input, usage.output, usage.total];
            assert_eq!(tokens, [Some(9), Some(5), Some(14)], "{json}");
            let parts = [usage.cached_input, usage.cache_writes, usage.reasoning];
            assert_eq!(parts, [Some(4), Some(1), Some(3)], "{json}");
        }
    }

    #[test]
    fn a_null_count_is_missing() {
        assert_eq!(
            read(r#"{"prompt_tokens": null, "prompt_tokens_details": []}"#),
            Usage::default()
        );
    }
}
