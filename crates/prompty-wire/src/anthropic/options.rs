//! How the options of a request are written, and which of them the provider refuses beside each other.

use prompty_core::message::ToolChoice;
use prompty_core::value::{Map, Value};

use crate::error::{Result, WireError};
use crate::request::Request;
use crate::response_format::AnswerForm;

/// The limit of an answer where a request has none: the protocol demands one.
const DEFAULT_MAX_TOKENS: u64 = 4096;

/// The smallest budget of reasoning.
const LEAST_BUDGET: u64 = 1024;

/// The smallest `top_p` beside reasoning.
const LEAST_TOP_P: f64 = 0.95;

/// How much the model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thinking {
    /// The provider decides.
    Unsaid,
    Off,
    /// As much as the model finds useful.
    Adaptive,
    /// At most so many tokens.
    Budget(u64),
}

impl Thinking {
    pub(super) fn new(request: &Request<'_>) -> Self {
        let Some(reasoning) = &request.reasoning else { return Self::Unsaid };
        match (reasoning.is_on, reasoning.budget) {
            (Some(false), _) => Self::Off,
            (_, Some(budget)) => Self::Budget(budget),
            (Some(true), None) => Self::Adaptive,
            (None, None) => Self::Unsaid,
        }
    }

    fn budget(self) -> Option<u64> {
        match self {
            Self::Budget(budget) => Some(budget),
            Self::Unsaid | Self::Off | Self::Adaptive => None,
        }
    }

    /// The entry `thinking` of a body.
    pub(super) fn entry(self) -> Option<Map> {
        let kind = match self {
            Self::Unsaid => return None,
            Self::Off => "disabled",
            Self::Adaptive => "adaptive",
            Self::Budget(_) => "enabled",
        };
        let mut thinking = Map::from([("type", kind)]);
        if let Some(budget) = self.budget() {
            thinking.insert("budget_tokens", budget);
        }
        Some(thinking)
    }
}

/// The limit of an answer. It counts the reasoning, too.
pub(super) fn max_tokens(request: &Request<'_>) -> u64 {
    let budget = Thinking::new(request).budget().unwrap_or(0);
    request.options.max_output_tokens.unwrap_or(budget.saturating_add(DEFAULT_MAX_TOKENS))
}

/// Checks the options.
///
/// # Errors
///
/// Where the provider refuses one. What a body says to its own provider is its writer's: some limits depend on the
/// headers of the request.
pub(super) fn check(request: &Request<'_>) -> Result<()> {
    if request.is_own_body() {
        return Ok(());
    }
    if let Some(sequence) = request.options.stop_sequences.iter().find(|it| it.trim().is_empty()) {
        let message = format!("the protocol takes no stop sequence without a letter: {sequence:?}");
        return Err(WireError::unsupported(message)
            .with_help("leave it out, and cut the answer where the text stands"));
    }
    match Thinking::new(request) {
        Thinking::Unsaid | Thinking::Off => Ok(()),
        Thinking::Adaptive => check_beside_thinking(request),
        Thinking::Budget(budget) => {
            check_budget(budget, request.options.max_output_tokens)?;
            check_beside_thinking(request)
        }
    }
}

fn check_budget(budget: u64, limit: Option<u64>) -> Result<()> {
    if budget < LEAST_BUDGET {
        let message = format!("the budget of reasoning, {budget}, is below {LEAST_BUDGET}");
        return Err(WireError::unsupported(message)
            .with_help("set a higher budget, or none: `Reasoning::off()`"));
    }
    match limit.filter(|limit| budget >= *limit) {
        None => Ok(()),
        Some(limit) => {
            let message =
                format!("the budget of reasoning, {budget}, is not below the limit, {limit}");
            Err(WireError::unsupported(message).with_help(
                "set a higher limit: `request.with_max_output_tokens(…)` counts the reasoning, too; for interleaved thinking, \
                 which has no such limit, write `request.with_extra(\"thinking\", …)`",
            ))
        }
    }
}

/// Checks what the provider refuses where the model thinks.
fn check_beside_thinking(request: &Request<'_>) -> Result<()> {
    let options = &request.options;
    let forces = matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Tool(_));
    let is_other = |temperature: f64| (temperature - 1.0).abs() > f64::EPSILON;
    let refused = [
        ("a temperature", options.temperature.is_some_and(is_other)),
        ("a `topP` below 0.95", options.top_p.is_some_and(|top_p| top_p < LEAST_TOP_P)),
        ("`topK`", options.top_k.is_some()),
        ("a tool that must be called", forces),
    ];
    match refused.into_iter().find(|(_, is_asked)| *is_asked) {
        None => Ok(()),
        Some((what, _)) => {
            Err(WireError::unsupported(format!("the protocol takes no reasoning beside {what}"))
                .with_help("leave out one of the two"))
        }
    }
}

/// Which tools may be called, and whether several at once; nothing where both are the default.
pub(super) fn choice(request: &Request<'_>) -> Option<Map> {
    let is_single = request.options.allow_multiple_tool_calls == Some(false);
    let mut choice = match &request.tool_choice {
        ToolChoice::None => return Some(Map::from([("type", "none")])),
        ToolChoice::Required => Map::from([("type", "any")]),
        ToolChoice::Tool(name) => Map::from([("type", "tool"), ("name", name)]),
        _ if is_single => Map::from([("type", "auto")]),
        _ => return None,
    };
    if is_single {
        choice.insert("disable_parallel_tool_use", true);
    }
    Some(choice)
}

/// The form of the answer, and how hard the model tries.
pub(super) fn output_config(request: &Request<'_>, answer: Option<&AnswerForm<'_>>) -> Option<Map> {
    let mut config = Map::new();
    if let Some(AnswerForm::Schema { schema, .. }) = answer {
        let kind = ("type", Value::from("json_schema"));
        config.insert("format", Map::from([kind, ("schema", Value::clone(schema))]));
    }
    if let Some(effort) = request.reasoning.as_ref().and_then(|it| it.effort.as_deref()) {
        config.insert("effort", effort);
    }
    (!config.is_empty()).then_some(config)
}
