//! Options of requests: reasoning and the prompt cache.

use std::borrow::Cow;

/// How much a model may reason before it answers.
///
/// The fields can be combined. Each protocol writes those that it has: chat completions the effort,
/// responses the effort and the summary, Anthropic everything but the summary. A budget is an error
/// in the protocols of OpenAI. [`Request::left_out`](super::Request::left_out) names the other
/// fields that are not written. If reasoning is off, Anthropic gets no budget; OpenAI gets the
/// effort `none`, unless an effort is set.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_wire as wire; }
/// use typed_prompty::message::Message;
/// use typed_prompty::wire::{Protocol, Reasoning, Request};
///
/// let messages = [Message::user("Why?")];
/// let request = Request::new("o4-mini", &messages).with_reasoning(Reasoning::effort("low"));
/// assert!(request.to_json()?.contains(r#""reasoning_effort":"low""#));
///
/// let request = Request::new("claude-sonnet-4-5", &messages).with_reasoning(Reasoning::budget(2000));
/// let json = request.with_protocol(Protocol::AnthropicMessages).to_json()?;
/// assert!(json.contains(r#""thinking":{"type":"enabled","budget_tokens":2000}"#));
/// # Ok::<(), prompty_wire::WireError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
#[must_use]
pub struct Reasoning {
    /// The effort, in the provider's words, such as `low` or `high`.
    pub effort: Option<Cow<'static, str>>,
    /// The maximum number of reasoning tokens.
    pub budget: Option<u64>,
    /// How much of the reasoning the provider summarizes, such as `auto` or `detailed`.
    pub summary: Option<Cow<'static, str>>,
    /// Whether the model may reason at all; `None` leaves it to the provider.
    pub is_on: Option<bool>,
}

impl Reasoning {
    /// Reasoning with an effort.
    pub fn effort(effort: impl Into<Cow<'static, str>>) -> Self {
        Self { effort: Some(effort.into()), ..Self::default() }
    }

    /// Reasoning with at most this number of tokens.
    pub fn budget(tokens: u64) -> Self {
        Self { budget: Some(tokens), ..Self::default() }
    }

    /// Reasoning whose amount the model decides.
    pub fn on() -> Self {
        Self { is_on: Some(true), ..Self::default() }
    }

    /// No reasoning.
    pub fn off() -> Self {
        Self { is_on: Some(false), ..Self::default() }
    }

    /// Sets how much of the reasoning the provider summarizes.
    pub fn with_summary(mut self, summary: impl Into<Cow<'static, str>>) -> Self {
        self.summary = Some(summary.into());
        self
    }
}

/// How a provider caches a prompt, so that the next request with the same beginning is cheaper.
///
/// OpenAI caches all prompts, and a key groups requests. Anthropic caches a prompt only on request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
#[must_use]
pub struct PromptCache {
    /// The key of requests with the same beginning, for OpenAI.
    pub key: Option<String>,
    /// How long, in the provider's words: `24h` for OpenAI, `5m` or `1h` for Anthropic.
    pub time: Option<String>,
}

impl PromptCache {
    /// A cache with the provider's defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the key of requests with the same beginning.
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets how long the prompt is cached.
    pub fn with_time(mut self, time: impl Into<String>) -> Self {
        self.time = Some(time.into());
        self
    }
}
