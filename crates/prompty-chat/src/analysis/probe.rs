//! Probes: conversations that are rendered, and their results.

use std::fmt;

use super::conversation::{ToolOffer, USER, tools};
use super::piece::Piece;
use crate::capabilities::{ProbedTemplate, ThinkingSwitch};
use crate::engine::Engine;
use crate::probes::ProbeBudget;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::{Map, Value};

/// The result of a step of the analysis.
pub(super) type ProbeResult<T> = Result<T, Error>;

/// A probe and its result: an output, or an error.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ProbeRecord {
    /// The name of the probe.
    pub name: String,
    /// The template's output; `None` if there was an error.
    pub rendered: Option<String>,
    /// The message of the error.
    pub refusal: Option<String>,
    /// The kind of the error, such as [`ErrorKind::Refused`].
    pub error: Option<ErrorKind>,
}

/// The finding of a step of the analysis.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Finding {
    /// The step: `turn` and `headers` for the text around a message; R1 to R3 for reasoning, C1 for
    /// content, T1 to T7 for tool calls, A1 and A2 for arguments.
    pub step: &'static str,
    /// The finding, as text.
    pub found: String,
}

/// Renders probes and records their results.
pub(super) struct FormatProber<'e> {
    pub(super) engine: &'e Engine,
    /// The variables of every probe. [`Self::render_with`] adds those that turn out to be needed.
    base: Map,
    /// The variables that switch thinking in the generation prompt.
    pub(super) switches: &'e [ThinkingSwitch],
    pub(super) budget: ProbeBudget,
    /// The generation prompt, if the template writes it after every conversation.
    always_written: Option<String>,
    pub(super) records: Vec<ProbeRecord>,
    pub(super) findings: Vec<Finding>,
}

impl<'e> FormatProber<'e> {
    pub(super) fn new(template: ProbedTemplate<'e>) -> Self {
        let ProbedTemplate { engine, tokens, capabilities, budget } = template;
        let (base, switches) = (tokens.variables(), &*capabilities.thinking_switches);
        let (records, findings) = (Vec::new(), Vec::new());
        Self { engine, base, switches, budget, always_written: None, records, findings }
    }

    /// Records the finding of a step.
    pub(super) fn note(&mut self, step: &'static str, found: impl fmt::Display) {
        let found = found.to_string();
        self.findings.push(Finding { step, found });
    }

    /// Renders a conversation, without the generation prompt.
    pub(super) fn render_conversation(
        &mut self,
        name: &str,
        messages: Vec<Value>,
        offer: ToolOffer,
    ) -> Option<String> {
        let rendered = self.render(name, messages, offer, false, Some(true))?;
        Some(self.without_prompt(rendered))
    }

    /// Removes the generation prompt from all conversations that are rendered after this call.
    pub(super) fn strip_always(&mut self, prompt: &str) {
        self.note("turn", format_args!("{prompt:?} is written after every conversation"));
        self.always_written = Some(prompt.to_owned());
    }

    /// A render without the generation prompt that the template always writes.
    pub(super) fn without_prompt(&self, mut render: String) -> String {
        let front = self.always_written.as_deref().and_then(|prompt| render.strip_suffix(prompt));
        if let Some(length) = front.map(str::len) {
            render.truncate(length);
        }
        render
    }

    /// Renders messages with thinking on, off, or unset. [`USUAL_SWITCHES`] are set in every probe
    /// that sets thinking. `with_prompt` requests the generation prompt; only then, the template's
    /// own `switches` are set as well, because they were found in generation prompts.
    pub(super) fn render(
        &mut self,
        name: &str,
        messages: Vec<Value>,
        offer: ToolOffer,
        with_prompt: bool,
        thinking: Option<bool>,
    ) -> Option<String> {
        let mut variables = self.base.clone();
        variables.insert("messages", Value::from_iter(messages));
        variables.insert("add_generation_prompt", with_prompt);
        if let Some(thinking) = thinking {
            for switch in USUAL_SWITCHES {
                variables.insert(switch, thinking);
            }
            for switch in self.switches.iter().filter(|_| with_prompt) {
                let ThinkingSwitch { variable, on, off } = switch;
                match if thinking { on.as_ref() } else { Some(off) } {
                    Some(value) => variables.insert(&**variable, value.clone()),
                    None => variables.remove(variable),
                };
            }
        }
        if offer != ToolOffer::None {
            let variables_read = self.engine.variables().iter().map(|it| &**it);
            let with_tools =
                variables_read.filter(|it| offer == ToolOffer::Everywhere && it.contains("tools"));
            for name in with_tools.chain(["tools"]) {
                variables.insert(name, tools(offer));
            }
        }
        let (rendered, refusal, error) = match self.render_with(variables) {
            Ok(text) => (Some(text), None, None),
            Err(error) => (None, Some(error.to_string()), Some(error.kind())),
        };
        self.records.push(ProbeRecord {
            name: name.to_owned(),
            rendered: rendered.clone(),
            refusal,
            error,
        });
        rendered
    }

    /// Renders with an empty string for each variable that the template needs and that is not set.
    fn render_with(&mut self, mut variables: Map) -> ProbeResult<String> {
        loop {
            let error = match self.budget.render(self.engine, &variables, NOW) {
                Ok(written) => return Ok(written.text),
                Err(error) => error,
            };
            // The error of a variable that is not set contains its name in backticks.
            let message = error.to_string();
            let name = message.split('`').nth(1).unwrap_or("");
            let is_read = self.engine.variables().iter().any(|it| it == name);
            if error.kind() != ErrorKind::Render || !is_read || variables.contains_key(name) {
                return Err(error);
            }
            variables.insert(name, "");
            self.base.insert(name, "");
        }
    }
}

/// An error with a probe and its result. If the result is an output, the error shows only its text
/// after the user message.
pub(super) fn probe_error(record: Option<&ProbeRecord>, what: &str) -> Error {
    let name = record.map_or("none", |record| &*record.name);
    let result = match record.map(|record| (&record.refusal, &record.rendered)) {
        Some((Some(refusal), _)) => {
            let refused = record.is_some_and(|record| record.error == Some(ErrorKind::Refused));
            format!("the template {}: {refusal}", if refused { "refused" } else { "failed" })
        }
        Some((_, Some(text))) => {
            let tail = Piece::new(text).after_last(USER).map_or(&**text, Piece::text);
            match tail.trim() {
                "" => "the template wrote nothing after the user message".to_owned(),
                _ => {
                    let tail: String = tail.chars().take(SHOWN_CHARACTERS).collect();
                    format!("the template wrote after the user message: {tail}")
                }
            }
        }
        _ => "it was not rendered".to_owned(),
    };
    Error::new(ErrorKind::Analysis, format!("{what}; in the probe `{name}`, {result}"))
        .with_help("write the reply format by hand, or change the format of a similar template")
}

/// The time of every probe, in seconds since 1970. It is fixed, so that the result of an analysis
/// does not depend on the clock.
const NOW: i64 = 1_736_942_400;

/// The maximum number of characters of an output that an error shows.
const SHOWN_CHARACTERS: usize = 400;

/// The variables that most templates read to decide whether thinking is on.
const USUAL_SWITCHES: [&str; 2] = ["enable_thinking", "thinking"];
