//! How much a model thinks, what a provider keeps of a prompt, and which metadata a protocol takes.

use std::borrow::Cow;

/// How much a model may think before it answers.
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
pub struct Reasoning {
    /// How hard the model tries, in the provider's words, such as `low` or `high`.
    pub effort: Option<Cow<'static, str>>,
    /// At most so many tokens of reasoning.
    pub budget: Option<u64>,
    /// How much of it the provider tells, such as `auto` or `detailed`.
    pub summary: Option<Cow<'static, str>>,
    /// Whether the model may think at all; `None` leaves it to the provider.
    pub is_on: Option<bool>,
}

impl Reasoning {
    /// Reasoning of an effort.
    pub fn effort(effort: impl Into<Cow<'static, str>>) -> Self {
        Self { effort: Some(effort.into()), ..Self::default() }
    }

    /// Reasoning of at most so many tokens.
    pub fn budget(tokens: u64) -> Self {
        Self { budget: Some(tokens), ..Self::default() }
    }

    /// Reasoning as much as the model finds useful.
    pub fn on() -> Self {
        Self { is_on: Some(true), ..Self::default() }
    }

    /// No reasoning.
    pub fn off() -> Self {
        Self { is_on: Some(false), ..Self::default() }
    }

    /// The same reasoning, with how much of it the provider tells.
    #[must_use]
    pub fn with_summary(mut self, summary: impl Into<Cow<'static, str>>) -> Self {
        self.summary = Some(summary.into());
        self
    }
}

/// What a provider keeps of a prompt, so that the next request that begins alike is cheaper.
///
/// OpenAI keeps prompts by itself, and a key brings requests together. Anthropic keeps a prompt only where it
/// is asked to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PromptCache {
    /// What requests have in common, for OpenAI.
    pub key: Option<String>,
    /// How long, in the provider's words: `24h` for OpenAI, `5m` or `1h` for Anthropic.
    pub time: Option<String>,
}

impl PromptCache {
    /// The prompt is kept as the provider thinks best.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, with what requests have in common.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// The same for a time.
    #[must_use]
    pub fn with_time(mut self, time: impl Into<String>) -> Self {
        self.time = Some(time.into());
        self
    }
}
