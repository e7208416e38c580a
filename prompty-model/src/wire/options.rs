//! How much a model thinks, what a provider keeps of a prompt, and which options a protocol has.

use std::borrow::Cow;

use prompty_core::message::ToolChoice;

use super::protocol::Protocol;
use super::request::{OutputForm, Request};

/// How much a model may think before it answers.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_model::wire; }
/// use typed_prompty::message::Message;
/// use typed_prompty::wire::{Protocol, Reasoning, Request};
///
/// let messages = [Message::user("Why?")];
/// let request = Request::new("o4-mini", &messages).reasoning(Reasoning::effort("low"));
/// assert!(request.to_json()?.contains(r#""reasoning_effort":"low""#));
///
/// let request = Request::new("claude-sonnet-4-5", &messages).reasoning(Reasoning::budget(2000));
/// let json = request.protocol(Protocol::AnthropicMessages).to_json()?;
/// assert!(json.contains(r#""thinking":{"type":"enabled","budget_tokens":2000}"#));
/// # Ok::<(), prompty_model::wire::WireError>(())
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

/// What a request asks for and its protocol has no word for. The names of options are those of the specification.
pub(super) fn left_out(request: &Request<'_>) -> Vec<&'static str> {
    let options = &request.options;
    let is_anthropic = request.protocol == Protocol::AnthropicMessages;
    let is_responses = request.protocol == Protocol::OpenAiResponses;
    let is_chat = !is_anthropic && !is_responses;
    let has_tools = !request.tools.is_empty() || !request.provider_tools.is_empty();
    let may_call = has_tools && !(is_anthropic && request.tool_choice == ToolChoice::None);
    let reasoning = request.reasoning.as_ref();
    let says = |has: fn(&Reasoning) -> bool| reasoning.is_some_and(has);
    let has_cache_key = request.prompt_cache.as_ref().is_some_and(|cache| cache.key.is_some());
    let has_description =
        matches!(request.output, Some(OutputForm::Schema { description: Some(_), .. }));
    // The name, whether it is asked for, and whether it is written.
    let all = [
        ("topK", options.top_k.is_some(), is_anthropic),
        ("frequencyPenalty", options.frequency_penalty.is_some(), is_chat),
        ("presencePenalty", options.presence_penalty.is_some(), is_chat),
        ("seed", options.seed.is_some(), is_chat),
        ("stopSequences", !options.stop_sequences.is_empty(), !is_responses),
        ("allowMultipleToolCalls", options.allow_multiple_tool_calls.is_some(), may_call),
        ("toolChoice", request.tool_choice != ToolChoice::Auto, has_tools),
        // OpenAI's protocols have efforts, of which `none` is one.
        ("reasoning", says(|it| it.is_on == Some(true) && it.effort.is_none()), is_anthropic),
        ("reasoning", says(|it| it.is_on == Some(false) && it.effort.is_some()), is_anthropic),
        ("reasoning.budget", says(|it| it.is_on == Some(false) && it.budget.is_some()), false),
        ("reasoning.summary", says(|it| it.summary.is_some()), is_responses),
        ("promptCache.key", has_cache_key, !is_anthropic),
        ("output.description", has_description, !is_anthropic),
    ];
    let is_left_out = |(_, is_asked, is_written): &(&str, bool, bool)| *is_asked && !is_written;
    all.into_iter().filter(is_left_out).map(|(name, ..)| name).collect()
}

/// What of the metadata of messages a protocol takes, wherever the messages come from.
pub(super) fn metadata(protocol: Protocol) -> &'static [&'static str] {
    match protocol {
        Protocol::OpenAiChat => &["name"],
        Protocol::OpenAiCompatible => &["name", "prefix"],
        Protocol::OpenAiResponses => &["phase"],
        Protocol::AnthropicMessages => &["cache_control"],
    }
}
