//! Writes the options of a request, and checks combinations that the provider refuses.

use prompty_core::message::ToolChoice;
use prompty_core::value::{Map, Value};

use crate::error::{Result, WireError};
use crate::request::Request;
use crate::response_format::AnswerForm;

/// The minimum reasoning budget.
const MIN_BUDGET: u64 = 1024;

/// The minimum `top_p` together with reasoning.
const MIN_TOP_P: f64 = 0.95;

/// How much the model reasons before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThinkingMode {
    /// The provider decides.
    Default,
    Off,
    /// The model decides.
    Adaptive,
    /// At most this number of tokens.
    Budget(u64),
}

impl ThinkingMode {
    pub(super) fn new(request: &Request<'_>) -> Self {
        let Some(reasoning) = &request.reasoning else { return Self::Default };
        match (reasoning.is_on, reasoning.budget) {
            (Some(false), _) => Self::Off,
            (_, Some(budget)) => Self::Budget(budget),
            (Some(true), None) => Self::Adaptive,
            (None, None) => Self::Default,
        }
    }

    /// The entry `thinking` of a body.
    pub(super) fn entry(self) -> Option<Map> {
        let kind = match self {
            Self::Default => return None,
            Self::Off => "disabled",
            Self::Adaptive => "adaptive",
            Self::Budget(_) => "enabled",
        };
        let mut thinking = Map::from([("type", kind)]);
        if let Self::Budget(budget) = self {
            thinking.insert("budget_tokens", budget);
        }
        Some(thinking)
    }
}

/// The token limit of an answer, which includes the reasoning.
pub(super) fn max_tokens(request: &Request<'_>) -> u64 {
    let budget = match ThinkingMode::new(request) {
        ThinkingMode::Budget(budget) => budget,
        _ => 0,
    };
    request
        .options
        .max_output_tokens
        .unwrap_or(budget.saturating_add(Request::DEFAULT_MAX_OUTPUT_TOKENS))
}

/// Checks the options.
///
/// # Errors
///
/// Returns an error if the provider refuses an option. A body for its own provider is not checked,
/// because some limits depend on the headers of the request.
pub(super) fn check(request: &Request<'_>) -> Result<()> {
    if request.is_from_own_protocol() {
        return Ok(());
    }
    if let Some(sequence) = request.options.stop_sequences.iter().find(|it| it.trim().is_empty()) {
        let message = format!("the protocol does not support a blank stop sequence: {sequence:?}");
        return Err(
            WireError::unsupported(message).with_help("remove it, and cut the answer at that text")
        );
    }
    match ThinkingMode::new(request) {
        ThinkingMode::Default | ThinkingMode::Off => Ok(()),
        ThinkingMode::Adaptive => check_options_with_reasoning(request),
        ThinkingMode::Budget(budget) => {
            check_budget(budget, request.options.max_output_tokens)?;
            check_options_with_reasoning(request)
        }
    }
}

fn check_budget(budget: u64, limit: Option<u64>) -> Result<()> {
    if budget < MIN_BUDGET {
        let message = format!("the reasoning budget {budget} is below the minimum {MIN_BUDGET}");
        return Err(WireError::unsupported(message)
            .with_help("set a higher budget, or turn reasoning off: `Reasoning::off()`"));
    }
    match limit.filter(|limit| budget >= *limit) {
        None => Ok(()),
        Some(limit) => {
            let message =
                format!("the reasoning budget {budget} is not below the token limit {limit}");
            Err(WireError::unsupported(message).with_help(
                "set a higher limit with `request.with_max_output_tokens(…)`, which includes the \
                 reasoning; for interleaved thinking, which has no such limit, use \
                 `request.with_extra(\"thinking\", …)`",
            ))
        }
    }
}

/// Checks the options that the provider refuses together with reasoning.
fn check_options_with_reasoning(request: &Request<'_>) -> Result<()> {
    let options = &request.options;
    let requires_call = matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Tool(_));
    let is_other = |temperature: f64| (temperature - 1.0).abs() > f64::EPSILON;
    let refused = [
        ("a temperature", options.temperature.is_some_and(is_other)),
        ("a `topP` below 0.95", options.top_p.is_some_and(|top_p| top_p < MIN_TOP_P)),
        ("`topK`", options.top_k.is_some()),
        ("a required tool call", requires_call),
    ];
    match refused.into_iter().find(|(_, is_set)| *is_set) {
        None => Ok(()),
        Some((what, _)) => Err(WireError::unsupported(format!(
            "the protocol does not support reasoning together with {what}"
        ))
        .with_help("remove one of the two")),
    }
}

/// Which tools may be called, and whether several at once; `None` if both are the default.
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

/// The entry `output_config`: the response format and the effort.
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
