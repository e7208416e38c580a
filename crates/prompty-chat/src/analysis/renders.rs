//! The outputs that the steps read. Each probe is tried in the forms that templates accept.

use super::conversation::{
    AbsentContent, CONTENT, FIRST, FIRST_ID, MessageStyle, NEXT_USER, ProbeCall, REASON,
    ReasoningForm, SECOND, ToolOffer, USER, after_question, two_calls,
};
use super::piece::Piece;
use super::probe::{FormatProber, ProbeResult, probe_error};
use super::unconditional_prompt::{PromptOutputs, generation_prompt};
use crate::capabilities::{REASONING_FIELDS, REASONING_PARTS};

/// The outputs for conversations without calls.
#[derive(Debug)]
pub(super) struct ConversationRenders {
    pub(super) style: MessageStyle,
    /// The user message alone.
    pub(super) alone: Option<String>,
    /// With the generation prompt, and thinking on.
    pub(super) prompt_with_thinking: Option<String>,
    /// With the generation prompt, and thinking off.
    pub(super) prompt_without_thinking: Option<String>,
    /// With the generation prompt, and thinking not set.
    pub(super) prompt_by_default: Option<String>,
    /// A user message and an answer.
    pub(super) answered: String,
    /// A user message, an answer and another user message.
    pub(super) followed: Option<String>,
    /// A user message and an answer with reasoning; `None` if the template does not write it.
    pub(super) reasoned: Option<String>,
}

/// The output for calls.
#[derive(Debug)]
pub(super) struct CallRender {
    pub(super) style: MessageStyle,
    /// The output for two calls, or for one if the template accepts only one.
    pub(super) output: String,
    /// Whether the output contains both calls.
    pub(super) has_both: bool,
}

impl ConversationRenders {
    /// The text between the question and the content of the answer without reasoning.
    pub(super) fn before_content(&self) -> Option<Piece<'_>> {
        after_question(&self.answered)?.before(CONTENT)
    }

    /// The text after the content of the answer without reasoning.
    pub(super) fn after_content(&self) -> Option<Piece<'_>> {
        after_question(&self.answered)?.after(CONTENT)
    }

    /// Renders the conversations without calls.
    pub(super) fn new(prober: &mut FormatProber<'_>) -> ProbeResult<Self> {
        let (style, answered) = render_answer(prober)?;
        let is_switched = !prober.switches.is_empty();
        let alone =
            prober.render_conversation("a question alone", vec![style.ask(USER)], ToolOffer::None);
        let mut render_prompt = |name: &str, thinking: Option<bool>| {
            prober.render(name, vec![style.ask(USER)], ToolOffer::None, true, thinking)
        };
        let with_thinking = render_prompt("the generation prompt, thinking on", Some(true));
        // If no variable switches thinking, the three prompts are equal, and one render is enough.
        let (without_thinking, by_default) = match is_switched {
            true => (
                render_prompt("the generation prompt, thinking off", Some(false)),
                render_prompt("the generation prompt", None),
            ),
            false => (with_thinking.clone(), with_thinking.clone()),
        };
        let answer = style.answer(Some(CONTENT), None, &[]);
        let turns = vec![style.ask(USER), answer, style.ask(NEXT_USER)];
        let followed =
            prober.render_conversation("question, answer and question", turns, ToolOffer::None);
        let followed = followed.filter(|it| it.contains(NEXT_USER) && it.contains(CONTENT));
        // A generation prompt that is also written without being requested is removed from all.
        if let (Some(alone), Some(followed)) = (&alone, &followed)
            && let Some(prompt) =
                generation_prompt(PromptOutputs { alone, answered: &answered, followed })
        {
            prober.strip_always(prompt);
        }
        let alone = alone.map(|it| prober.without_prompt(it));
        let followed = followed.map(|it| prober.without_prompt(it));
        let answered = prober.without_prompt(answered);
        let reasoned = render_reasoning(prober, style, Some(CONTENT), &[]);
        Ok(Self {
            style,
            alone,
            prompt_with_thinking: with_thinking,
            prompt_without_thinking: without_thinking,
            prompt_by_default: by_default,
            answered,
            followed,
            reasoned,
        })
    }
}

/// The output for an answer with content only, and the style in which the template accepts it.
fn render_answer(prober: &mut FormatProber<'_>) -> ProbeResult<(MessageStyle, String)> {
    for parts in [false, true] {
        let style = MessageStyle { parts, ..MessageStyle::default() };
        let messages = vec![style.ask(USER), style.answer(Some(CONTENT), None, &[])];
        let answered = prober.render_conversation("question and answer", messages, ToolOffer::None);
        let shows = |it: &String| after_question(it).is_some_and(|it| it.contains(CONTENT));
        if let Some(answered) = answered.filter(shows) {
            return Ok((style, answered));
        }
    }
    Err(probe_error(prober.records.first(), "the template does not write assistant messages"))
}

/// The output for an answer with reasoning, in the first form in which the template writes it once.
pub(super) fn render_reasoning(
    prober: &mut FormatProber<'_>,
    style: MessageStyle,
    content: Option<&str>,
    calls: &[ProbeCall],
) -> Option<String> {
    let what = match (content, calls) {
        (_, []) => "an answer with reasoning",
        (None, _) => "calls with reasoning",
        (Some(_), _) => "calls with reasoning and content",
    };
    let offer = if calls.is_empty() { ToolOffer::None } else { ToolOffer::Plain };
    let constants = prober.engine.string_constants();
    // The output, and how often it contains the reasoning.
    let mut render = |form: ReasoningForm| {
        let messages = vec![style.ask(USER), style.answer(content, Some(form), calls)];
        let text = prober.render_conversation(&format!("{what}, {form}"), messages, offer)?;
        let count = after_question(&text)?.text().matches(REASON).count();
        Some((text, count))
    };
    let in_all_fields = render(ReasoningForm::Fields);
    if let Some((text, 1)) = in_all_fields {
        return Some(text);
    }
    // The template refused, or wrote several of the fields.
    if !matches!(in_all_fields, Some((_, 0))) {
        for field in REASONING_FIELDS {
            if let Some((text, 1)) = render(ReasoningForm::Field(field)) {
                return Some(text);
            }
        }
    }
    let is_in_template = |kind: &str| constants.iter().any(|it| it == kind);
    REASONING_PARTS.into_iter().filter(|(kind, _)| is_in_template(kind)).find_map(|(kind, key)| {
        let (text, count) = render(ReasoningForm::Part(kind, key))?;
        // A template that prints the parts as data does not write reasoning.
        let front = after_question(&text)?.before(REASON)?;
        let printed_keys = [format!("\"{key}\""), format!("'{key}'")];
        (count == 1 && !printed_keys.iter().any(|it| front.contains(it))).then_some(text)
    })
}

impl CallRender {
    /// Renders calls in the forms that templates accept, until `read` succeeds with one. Returns
    /// `None` if the template writes no calls.
    pub(super) fn find<T>(
        prober: &mut FormatProber<'_>,
        base: MessageStyle,
        mut read: impl FnMut(&mut FormatProber<'_>, &Self) -> ProbeResult<T>,
    ) -> ProbeResult<Option<(Self, T)>> {
        let (mut unread, mut without_calls) = (None, None);
        for style in styles(base) {
            // If calls are not written, other arguments do not help, but other content may.
            if without_calls == Some(style.absent) {
                continue;
            }
            let (style, output) = match render_calls(prober, style) {
                CallsOutput::Refused => continue,
                CallsOutput::Missing => {
                    without_calls = Some(style.absent);
                    continue;
                }
                CallsOutput::Written(style, output) => (style, output),
            };
            let has_both = after_question(&output).is_some_and(|it| it.contains(SECOND));
            let called = Self { style, output, has_both };
            let findings_before = prober.findings.len();
            match read(prober, &called) {
                Ok(found) => return Ok(Some((called, found))),
                Err(error) => unread = unread.or(Some(error)),
            }
            // The attempt failed, so its findings do not describe the format.
            prober.findings.truncate(findings_before);
        }
        unread.map_or(Ok(None), Err)
    }

    /// Renders content with calls after it.
    pub(super) fn render_after_content(&self, prober: &mut FormatProber<'_>) -> Option<String> {
        let answer = self.style.answer(Some(CONTENT), None, &two_calls());
        let messages = vec![self.style.ask(USER), answer];
        prober.render_conversation("content and calls", messages, ToolOffer::Plain)
    }

    /// Renders other calls in the same style.
    pub(super) fn render_other(
        &self,
        prober: &mut FormatProber<'_>,
        name: &str,
        calls: &[ProbeCall],
        offer: ToolOffer,
    ) -> Option<String> {
        let messages = vec![self.style.ask(USER), self.style.answer(None, None, calls)];
        prober.render_conversation(name, messages, offer)
    }
}

/// The result of rendering calls.
enum CallsOutput {
    Refused,
    /// The output does not contain the calls.
    Missing,
    Written(MessageStyle, String),
}

/// Renders two calls. If the template writes only their ids, the names are put into the ids.
fn render_calls(prober: &mut FormatProber<'_>, style: MessageStyle) -> CallsOutput {
    let mut render = |style: MessageStyle| {
        let messages = vec![style.ask(USER), style.answer(None, None, &two_calls())];
        prober.render_conversation(&style.to_string(), messages, ToolOffer::Plain)
    };
    let Some(calls) = render(style) else { return CallsOutput::Refused };
    let Some(region) = after_question(&calls) else { return CallsOutput::Missing };
    if region.contains(FIRST) {
        return CallsOutput::Written(style, calls);
    }
    if !region.contains(FIRST_ID) {
        return CallsOutput::Missing;
    }
    let style = MessageStyle { named_ids: true, ..style };
    match render(style) {
        Some(calls) if after_question(&calls).is_some_and(|it| it.contains(FIRST)) => {
            CallsOutput::Written(style, calls)
        }
        _ => CallsOutput::Missing,
    }
}

/// The styles of calls, the usual ones first.
fn styles(base: MessageStyle) -> impl Iterator<Item = MessageStyle> {
    let shapes = [(false, false), (true, false), (false, true), (true, true)];
    [AbsentContent::Empty, AbsentContent::Null, AbsentContent::Missing, AbsentContent::Filled]
        .into_iter()
        .flat_map(move |absent| {
            let style = MessageStyle { absent, ..base };
            shapes.map(|(arguments_as_text, single)| MessageStyle {
                arguments_as_text,
                single,
                ..style
            })
        })
}
