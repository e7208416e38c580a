//! The outputs that the steps read: each probe is tried in the forms that templates accept.

use super::conversation::{
    Absent, CONTENT, Call, FIRST, FIRST_ID, NEXT_USER, Offer, REASON, ReasonAs, SECOND, Style,
    USER, behind_question, two_calls,
};
use super::probe::{Prober, Result};
use super::written_always::{Shown, generation_prompt};
use crate::capabilities::{REASONING_FIELDS, REASONING_PARTS};

/// The outputs for conversations without calls.
#[derive(Debug)]
pub(super) struct Renders {
    pub(super) style: Style,
    /// The question alone.
    pub(super) alone: Option<String>,
    /// With the generation prompt, and thinking on.
    pub(super) prompt_with_thinking: Option<String>,
    /// With the generation prompt, and thinking off.
    pub(super) prompt_without_thinking: Option<String>,
    /// With the generation prompt, and thinking not set.
    pub(super) prompt_by_default: Option<String>,
    /// Question and answer.
    pub(super) answered: String,
    /// Question, answer and question.
    pub(super) followed: Option<String>,
    /// Question, and an answer with reasoning; `None` if the template does not write it.
    pub(super) reasoned: Option<String>,
}

/// The output for calls.
#[derive(Debug)]
pub(super) struct RenderedCalls {
    pub(super) style: Style,
    /// Two calls, or one if the template accepts no more.
    pub(super) output: String,
    /// Whether the output contains both.
    pub(super) has_both: bool,
}

impl Renders {
    /// Renders the conversations without calls.
    pub(super) fn new(prober: &mut Prober<'_>) -> Result<Self> {
        let (style, answered) = render_answer(prober)?;
        let is_switched = prober.is_switched();
        let alone =
            prober.render_conversation("a question alone", vec![style.ask(USER)], Offer::Nothing);
        let mut render_prompt = |name: &str, thinking: Option<bool>| {
            prober.render(name, vec![style.ask(USER)], Offer::Nothing, true, thinking)
        };
        let with_thinking = render_prompt("the generation prompt, thinking on", Some(true));
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
            prober.render_conversation("question, answer and question", turns, Offer::Nothing);
        let followed = followed.filter(|it| it.contains(NEXT_USER) && it.contains(CONTENT));
        if let (Some(alone), Some(followed)) = (&alone, &followed)
            && let Some(prompt) = generation_prompt(Shown { alone, answered: &answered, followed })
        {
            prober.take_off(prompt);
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
fn render_answer(prober: &mut Prober<'_>) -> Result<(Style, String)> {
    for parts in [false, true] {
        let style = Style { parts, ..Style::default() };
        let messages = vec![style.ask(USER), style.answer(Some(CONTENT), None, &[])];
        let answered = prober.render_conversation("question and answer", messages, Offer::Nothing);
        let shows = |it: &String| behind_question(it).is_some_and(|it| it.contains(CONTENT));
        if let Some(answered) = answered.filter(shows) {
            return Ok((style, answered));
        }
    }
    Err(prober.cannot_begin("the template does not write what an assistant said"))
}

/// The output for an answer with reasoning, in the first form in which the template writes that once.
pub(super) fn render_reasoning(
    prober: &mut Prober<'_>,
    style: Style,
    content: Option<&str>,
    calls: &[Call],
) -> Option<String> {
    let what = match (content, calls) {
        (_, []) => "an answer with reasoning",
        (None, _) => "calls with reasoning",
        (Some(_), _) => "calls with reasoning and content",
    };
    let offer = if calls.is_empty() { Offer::Nothing } else { Offer::Plain };
    let constants = prober.engine().string_constants();
    let mut ask = |given: ReasonAs| {
        let messages = vec![style.ask(USER), style.answer(content, Some(given), calls)];
        let text = prober.render_conversation(&format!("{what}, {given}"), messages, offer)?;
        let count = behind_question(&text)?.text().matches(REASON).count();
        Some((text, count))
    };
    let first = ask(ReasonAs::Fields);
    if let Some((text, 1)) = first {
        return Some(text);
    }
    if !matches!(first, Some((_, 0))) {
        for field in REASONING_FIELDS {
            if let Some((text, 1)) = ask(ReasonAs::Field(field)) {
                return Some(text);
            }
        }
    }
    let known = |kind: &str| constants.iter().any(|it| it == kind);
    REASONING_PARTS.into_iter().filter(|(kind, _)| known(kind)).find_map(|(kind, key)| {
        let (text, count) = ask(ReasonAs::Part(kind, key))?;
        // A template that prints the parts shows reasoning as data.
        let front = behind_question(&text)?.before(REASON)?;
        let data = [format!("\"{key}\""), format!("'{key}'")];
        (count == 1 && !data.iter().any(|it| front.contains(it))).then_some(text)
    })
}

impl RenderedCalls {
    /// Renders calls in the forms that templates accept, until `read` succeeds with one. `None` if the
    /// template writes no calls.
    pub(super) fn find<T>(
        prober: &mut Prober<'_>,
        base: Style,
        mut read: impl FnMut(&mut Prober<'_>, &Self) -> Result<T>,
    ) -> Result<Option<(Self, T)>> {
        let (mut unread, mut without_calls) = (None, None);
        for style in styles(base) {
            // If calls are not written, other arguments do not help, but missing content may.
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
            let has_both = behind_question(&output).is_some_and(|it| it.contains(SECOND));
            let called = Self { style, output, has_both };
            let known = prober.findings.len();
            match read(prober, &called) {
                Ok(found) => return Ok(Some((called, found))),
                Err(error) => unread = unread.or(Some(error)),
            }
            prober.forget(known);
        }
        unread.map_or(Ok(None), Err)
    }

    /// Renders content with calls behind it.
    pub(super) fn render_behind_content(&self, prober: &mut Prober<'_>) -> Option<String> {
        let answer = self.style.answer(Some(CONTENT), None, &two_calls());
        let messages = vec![self.style.ask(USER), answer];
        prober.render_conversation("content and calls", messages, Offer::Plain)
    }

    /// Renders other calls in the same style.
    pub(super) fn render_other(
        &self,
        prober: &mut Prober<'_>,
        name: &str,
        calls: &[Call],
        offer: Offer,
    ) -> Option<String> {
        let messages = vec![self.style.ask(USER), self.style.answer(None, None, calls)];
        prober.render_conversation(name, messages, offer)
    }
}

/// What a template does with calls.
enum CallsOutput {
    Refused,
    /// It writes a text without them.
    Missing,
    Written(Style, String),
}

/// Renders two calls. If the template writes only their ids, these contain the names.
fn render_calls(prober: &mut Prober<'_>, style: Style) -> CallsOutput {
    let mut render = |style: Style| {
        let messages = vec![style.ask(USER), style.answer(None, None, &two_calls())];
        prober.render_conversation(&style.to_string(), messages, Offer::Plain)
    };
    let Some(calls) = render(style) else { return CallsOutput::Refused };
    let Some(region) = behind_question(&calls) else { return CallsOutput::Missing };
    if region.contains(FIRST) {
        return CallsOutput::Written(style, calls);
    }
    if !region.contains(FIRST_ID) {
        return CallsOutput::Missing;
    }
    let style = Style { named_ids: true, ..style };
    match render(style) {
        Some(calls) if behind_question(&calls).is_some_and(|it| it.contains(FIRST)) => {
            CallsOutput::Written(style, calls)
        }
        _ => CallsOutput::Missing,
    }
}

/// The forms of calls, the usual ones first.
fn styles(base: Style) -> impl Iterator<Item = Style> {
    let shapes = [(false, false), (true, false), (false, true), (true, true)];
    [Absent::Empty, Absent::Null, Absent::Missing, Absent::Said].into_iter().flat_map(
        move |absent| {
            shapes.into_iter().map(move |(arguments_as_text, single)| Style {
                arguments_as_text,
                single,
                absent,
                ..base
            })
        },
    )
}
