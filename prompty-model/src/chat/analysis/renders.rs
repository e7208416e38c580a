//! The outputs that the steps read: each probe is tried in the forms that templates accept.

use super::align::Piece;
use super::conversation::{
    Absent, CONTENT, Call, FIRST, FIRST_ID, NEXT_USER, Offer, REASON, ReasonAs, SECOND, Style,
    USER, two_calls,
};
use super::probe::Prober;
use crate::chat::capabilities::{REASONING_FIELDS, REASONING_PARTS};
use prompty_core::error::Error;

/// What a template made of the conversations without calls.
#[derive(Debug)]
pub(super) struct Renders {
    pub(super) style: Style,
    /// The question alone.
    pub(super) alone: Option<String>,
    /// With the generation prompt, and thinking on.
    pub(super) thinking: Option<String>,
    /// With the generation prompt, and thinking off.
    pub(super) silent: Option<String>,
    /// With the generation prompt, and nothing said of thinking.
    pub(super) unsaid: Option<String>,
    /// Question and answer.
    pub(super) said: String,
    /// Question, answer and question.
    pub(super) followed: Option<String>,
    /// Question, and an answer with reasoning; nothing where the template does not show it.
    pub(super) reasoned: Option<String>,
}

/// What a template made of calls.
#[derive(Debug)]
pub(super) struct Called {
    pub(super) style: Style,
    /// Two calls, or one where the template takes no more.
    pub(super) calls: String,
    /// Whether both are there.
    pub(super) both: bool,
}

/// What stands behind the last question.
pub(super) fn tail(render: &str) -> Option<Piece<'_>> {
    Piece::whole(render).after_last(USER)
}

impl Renders {
    /// Asks for the conversations without calls.
    pub(super) fn new(prober: &mut Prober<'_>) -> Result<Self, Error> {
        let (style, said) = said(prober)?;
        let alone = prober.talk("a question alone", vec![style.ask(USER)], Offer::Nothing);
        let thinking =
            prober.generate("the generation prompt, thinking on", style.ask(USER), Some(true));
        let (silent, unsaid) = if prober.is_switched() {
            let off = "the generation prompt, thinking off";
            let silent = prober.generate(off, style.ask(USER), Some(false));
            (silent, prober.generate("the generation prompt", style.ask(USER), None))
        } else {
            (thinking.clone(), thinking.clone())
        };
        let answer = style.answer(Some(CONTENT), None, &[]);
        let turns = vec![style.ask(USER), answer, style.ask(NEXT_USER)];
        let followed = prober.talk("question, answer and question", turns, Offer::Nothing);
        let followed = followed.filter(|it| it.contains(NEXT_USER) && it.contains(CONTENT));
        let reasoned = reasoned(prober, style, Some(CONTENT), &[]);
        Ok(Self { style, alone, thinking, silent, unsaid, said, followed, reasoned })
    }
}

/// The answer with content alone, and the style in which the template takes it.
fn said(prober: &mut Prober<'_>) -> Result<(Style, String), Error> {
    for parts in [false, true] {
        let style = Style { parts, ..Style::default() };
        let messages = vec![style.ask(USER), style.answer(Some(CONTENT), None, &[])];
        let said = prober.talk("question and answer", messages, Offer::Nothing);
        let shows = |it: &String| tail(it).is_some_and(|it| it.contains(CONTENT));
        if let Some(said) = said.filter(shows) {
            return Ok((style, said));
        }
    }
    Err(prober.cannot_begin("the template does not write what an assistant said"))
}

/// An answer with reasoning, given in the first way in which the template shows it once.
pub(super) fn reasoned(
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
        let text = prober.talk(&format!("{what}, {given}"), messages, offer)?;
        let count = tail(&text)?.text().matches(REASON).count();
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
        // A template that writes the parts as they are shows reasoning as data.
        let front = tail(&text)?.before(REASON)?;
        let data = [format!("\"{key}\""), format!("'{key}'")];
        (count == 1 && !data.iter().any(|it| front.contains(it))).then_some(text)
    })
}

impl Called {
    /// Renders calls in the forms that templates accept, until `read` succeeds with one. `None` if the
    /// template writes no calls.
    pub(super) fn find<T>(
        prober: &mut Prober<'_>,
        base: Style,
        mut read: impl FnMut(&mut Prober<'_>, &Self) -> Result<T, Error>,
    ) -> Result<Option<(Self, T)>, Error> {
        let (mut unread, mut silent) = (None, None);
        for style in styles(base) {
            // If calls are not written, other arguments do not help, but missing content may.
            if silent == Some(style.absent) {
                continue;
            }
            let (style, calls) = match ask(prober, style) {
                Asked::Refused => continue,
                Asked::Silent => {
                    silent = Some(style.absent);
                    continue;
                }
                Asked::Wrote(style, calls) => (style, calls),
            };
            let both = tail(&calls).is_some_and(|it| it.contains(SECOND));
            let called = Self { style, calls, both };
            let known = prober.findings.len();
            match read(prober, &called) {
                Ok(found) => return Ok(Some((called, found))),
                Err(error) => unread = unread.or(Some(error)),
            }
            prober.forget(known);
        }
        unread.map_or(Ok(None), Err)
    }

    /// Asks for content with calls behind it.
    pub(super) fn behind_content(&self, prober: &mut Prober<'_>) -> Option<String> {
        let answer = self.style.answer(Some(CONTENT), None, &two_calls());
        let messages = vec![self.style.ask(USER), answer];
        prober.talk("content and calls", messages, Offer::Plain)
    }

    /// Asks for other calls in the same style.
    pub(super) fn other(
        &self,
        prober: &mut Prober<'_>,
        name: &str,
        calls: &[Call],
        offer: Offer,
    ) -> Option<String> {
        let messages = vec![self.style.ask(USER), self.style.answer(None, None, calls)];
        prober.talk(name, messages, offer)
    }
}

enum Asked {
    Refused,
    Silent,
    Wrote(Style, String),
}

/// Asks for two calls; for ids that hold the name, where the template writes only those.
fn ask(prober: &mut Prober<'_>, style: Style) -> Asked {
    let mut render = |style: Style| {
        let messages = vec![style.ask(USER), style.answer(None, None, &two_calls())];
        prober.talk(&style.to_string(), messages, Offer::Plain)
    };
    let Some(calls) = render(style) else { return Asked::Refused };
    let Some(region) = tail(&calls) else { return Asked::Silent };
    if region.contains(FIRST) {
        return Asked::Wrote(style, calls);
    }
    if !region.contains(FIRST_ID) {
        return Asked::Silent;
    }
    let style = Style { named_ids: true, ..style };
    match render(style) {
        Some(calls) if tail(&calls).is_some_and(|it| it.contains(FIRST)) => {
            Asked::Wrote(style, calls)
        }
        _ => Asked::Silent,
    }
}

/// The ways to ask for calls, the usual ones first.
fn styles(base: Style) -> impl Iterator<Item = Style> {
    let shapes = [(false, false), (true, false), (false, true), (true, true)];
    [Absent::Empty, Absent::Null, Absent::Missing].into_iter().flat_map(move |absent| {
        shapes.into_iter().map(move |(arguments_as_text, single)| Style {
            arguments_as_text,
            single,
            absent,
            ..base
        })
    })
}
