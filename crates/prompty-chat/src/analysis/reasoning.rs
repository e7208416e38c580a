//! Reasoning: whether the template writes it (R1), how switching thinking on or off changes the
//! generation prompt (R2), and whether it is written only in replies with calls (R3).
//!
//! A template that writes no reasoning may still remove it from past answers. So its constants are
//! tried as markers in an answer that is not the last. The model of such a template may also answer
//! at once. So text before the closer is reasoning only if the opener precedes it, in the reply or
//! at the end of the prompt. The exception is a closer that has no mirrored opener.

use std::cmp::Ordering;

use super::conversation::{
    CONTENT, FIRST, NEXT_USER, REASON, ToolOffer, USER, after_question, two_calls,
};
use super::piece::Piece;
use super::probe::FormatProber;
use super::renders::{CallRender, ConversationRenders, render_reasoning};
use super::turn::TurnMarkers;
use prompty_reply::format::{Marker, Reasoning, ReasoningMode};

/// The maximum number of constants of a template that are tried as the closer of reasoning.
const MOST_CONSTANTS: usize = 24;

/// The results of the probes about reasoning.
#[derive(Debug, Default)]
pub(super) struct DetectedReasoning {
    pub(super) reasoning: Option<Reasoning>,
    /// The opener of content after reasoning, if it is known.
    pub(super) content_open: Option<Marker>,
    /// The closer of content after reasoning.
    pub(super) content_close: Option<Marker>,
}

impl DetectedReasoning {
    fn new(mode: ReasoningMode, open: impl AsRef<str>, close: impl AsRef<str>) -> Self {
        let reasoning = Reasoning { mode, ..Reasoning::tags(open, close) };
        Self { reasoning: Some(reasoning), ..Self::default() }
    }
}

/// The texts around reasoning in an output.
#[derive(Debug, Clone, Copy)]
struct ReasoningTexts<'t> {
    open: Piece<'t>,
    following: Piece<'t>,
}

pub(super) fn find(
    prober: &mut FormatProber<'_>,
    renders: &ConversationRenders,
    turns: &TurnMarkers,
    called: Option<&CallRender>,
) -> DetectedReasoning {
    let prompts = PromptTails {
        with_thinking: turns.after_opener(renders.prompt_with_thinking.as_deref()),
        without_thinking: turns.after_opener(renders.prompt_without_thinking.as_deref()),
    };
    let (on, off) = prompts.texts();
    if let Some(found) = find_before_content(renders, turns, prompts) {
        prober.note("R1", "reasoning is shown before content");
        prober.note("R2", format_args!("the prompt ends with {on:?}, without thinking {off:?}"));
        prober.note("R3", "calls do not change this");
        return found;
    }
    prober.note("R1", "no reasoning is shown before content");
    prober.note("R2", format_args!("the prompt ends with {on:?}, without thinking {off:?}"));
    if let Some(found) = find_before_calls(prober, turns, called, prompts) {
        prober.note("R3", "reasoning is shown before calls only");
        return found;
    }
    prober.note("R3", "no reasoning is shown before calls");
    find_in_prompt(prober, renders, turns, prompts)
}

/// The text after the opener in the generation prompts.
#[derive(Debug, Clone, Copy)]
struct PromptTails<'t> {
    with_thinking: Option<Piece<'t>>,
    without_thinking: Option<Piece<'t>>,
}

impl<'t> PromptTails<'t> {
    fn texts(self) -> (&'t str, &'t str) {
        let text = |piece: Option<Piece<'t>>| piece.map_or("", Piece::text);
        (text(self.with_thinking), text(self.without_thinking))
    }
}

/// R1: reasoning before content.
fn find_before_content(
    renders: &ConversationRenders,
    turns: &TurnMarkers,
    prompts: PromptTails<'_>,
) -> Option<DetectedReasoning> {
    let reply = turns.reply(renders.reasoned.as_deref()?)?;
    let around =
        ReasoningTexts { open: reply.before(REASON)?, following: reply.between(REASON, CONTENT)? };
    let plain = turns.reply(&renders.answered)?;
    let front = plain.before(CONTENT)?;
    let (tail, plain_tail) = (reply.after(CONTENT)?, plain.after(CONTENT)?);

    // The text that closes content only if there is reasoning before it.
    let extra = tail.without_end(tail.shared_end(plain_tail));
    let wrapped = !turns.without_end(plain_tail, Piece::new("")).is_blank();
    let open = if front.is_blank() {
        (!extra.is_blank()).then(|| last_marker(around.following)).flatten()
    } else {
        content_opener(around.following, front, prompts.without_thinking, wrapped)
    };
    let open = open.filter(|it| !it.is_blank());
    let close = around.following.without_end(open.map_or(0, Piece::len));
    let mode = mode(around.open, close, prompts);
    let content_close = open.filter(|_| !extra.is_blank()).map(|_| Marker::new(extra));
    let content_open = open.map(Marker::new);
    Some(DetectedReasoning {
        content_open,
        content_close,
        ..DetectedReasoning::new(mode, around.open, close)
    })
}

/// The opener of content, at the end of the text between reasoning and content.
fn content_opener<'t>(
    between: Piece<'t>,
    front: Piece<'_>,
    without_thinking: Option<Piece<'_>>,
    wrapped: bool,
) -> Option<Piece<'t>> {
    let common = between.common_end(front);
    if !between.without_end(common.len()).is_blank() {
        return Some(common);
    }
    // The template writes the closer of reasoning even without reasoning.
    let prompt = without_thinking.map(|it| it.text().trim()).filter(|it| !it.is_empty());
    let opener = prompt.and_then(|prompt| between.without_end_of(prompt));
    if let Some(rest) = opener.filter(|rest| !rest.is_blank()) {
        return Some(between.from(rest.len()));
    }
    if wrapped { last_marker(between) } else { None }
}

fn last_marker(piece: Piece<'_>) -> Option<Piece<'_>> {
    piece.last_marker().filter(|at| *at > 0).map(|at| piece.from(at))
}

/// The reasoning mode for known markers, according to the generation prompts.
fn mode(open: Piece<'_>, close: Piece<'_>, prompts: PromptTails<'_>) -> ReasoningMode {
    let (open, close) = (open.text().trim(), close.text().trim());
    let ends = |piece: Option<Piece<'_>>, text: &str| {
        piece.is_some_and(|it| it.text().trim_end().ends_with(text))
    };
    if open.is_empty() {
        ReasoningMode::Delimiter
    } else if !ends(prompts.with_thinking, open) {
        ReasoningMode::TagBased
    } else if ends(prompts.without_thinking, close) {
        ReasoningMode::ForcedClosed
    } else {
        ReasoningMode::ForcedOpen
    }
}

/// R3: reasoning before calls, if there is none before content.
fn find_before_calls(
    prober: &mut FormatProber<'_>,
    turns: &TurnMarkers,
    called: Option<&CallRender>,
    prompts: PromptTails<'_>,
) -> Option<DetectedReasoning> {
    let called = called?;
    let render = render_reasoning(prober, called.style, None, &two_calls())?;
    let reply = turns.reply(&render)?;
    let around =
        ReasoningTexts { open: reply.before(REASON)?, following: reply.between(REASON, FIRST)? };
    // A text that also opens calls without reasoning is not part of the closer.
    let plain = turns.reply(&called.output)?.before(FIRST)?;
    let mut close = around.following.without_end(around.following.shared_end(plain));
    if close.is_blank() {
        close = around.following.to(around.following.first_marker()?);
    }
    let mode = match mode(around.open, close, prompts) {
        ReasoningMode::TagBased | ReasoningMode::Delimiter => ReasoningMode::ToolsOnly,
        forced => forced,
    };
    Some(DetectedReasoning::new(mode, around.open, close))
}

/// R2: reasoning that is visible only in the generation prompt, or in the text that the template
/// removes from content.
fn find_in_prompt(
    prober: &mut FormatProber<'_>,
    renders: &ConversationRenders,
    turns: &TurnMarkers,
    prompts: PromptTails<'_>,
) -> DetectedReasoning {
    let (with_thinking, without_thinking) = prompts.texts();
    let (on, off) = (with_thinking.trim(), without_thinking.trim());
    if on != off
        && let Some(close) = without_thinking.trim_end().strip_prefix(with_thinking.trim_end())
    {
        if !on.is_empty() {
            return DetectedReasoning::new(ReasoningMode::ForcedClosed, with_thinking, close);
        }
        if let Some((open, close)) = two_markers(without_thinking) {
            return DetectedReasoning::new(ReasoningMode::TagBased, open, close);
        }
    }
    if let Some((open, close)) = removed_text(prober, renders, turns) {
        // The model may begin with the opener, or answer directly. Text is reasoning from the start
        // only if there can be no opener.
        return match (on.is_empty(), on == off) {
            (false, false) => {
                DetectedReasoning::new(ReasoningMode::ForcedClosed, with_thinking, close)
            }
            (false, true) => {
                DetectedReasoning::new(ReasoningMode::ForcedOpen, with_thinking, close)
            }
            (true, _) if open.is_empty() => {
                DetectedReasoning::new(ReasoningMode::Delimiter, "", close)
            }
            (true, _) => DetectedReasoning::new(ReasoningMode::TagBased, &open, close),
        };
    }
    let mirrored = Marker::new(on).mirrored_closer();
    if let Some(close) = mirrored.filter(|close| *close == off) {
        return DetectedReasoning::new(ReasoningMode::ForcedClosed, with_thinking, &close);
    }
    find_instructed(renders).or_else(|| find_left_open(renders)).unwrap_or_default()
}

/// Reasoning that the prompt opens, and that the template never closes.
fn find_left_open(renders: &ConversationRenders) -> Option<DetectedReasoning> {
    let prompt = after_question(renders.prompt_by_default.as_deref()?)?.trim_end();
    let open = prompt.from(prompt.last_marker()?).text();
    let close = Marker::new(open).mirrored_closer()?;
    // A tag that opens each answer does not open reasoning.
    let answer = after_question(&renders.answered)?.before(CONTENT)?;
    let is_own = !answer.contains(open) && !prompt.contains(&close);
    is_own.then(|| DetectedReasoning::new(ReasoningMode::ForcedOpen, open, close))
}

/// Two markers with only white space between them.
fn two_markers(text: &str) -> Option<(&str, &str)> {
    let piece = Piece::new(text).trim_end();
    let at = piece.last_marker().filter(|at| *at > 0)?;
    let (open, close) = (piece.to(at), piece.from(at));
    let blank = open.len() - open.trim_end().len();
    (!open.is_blank()).then(|| (open.without_end(blank).text(), close.text()))
}

/// The opener and the closer of text that the template removes from an answer. The template removes
/// either all text up to one of its constants, or the text between two.
fn removed_text<'e>(
    prober: &mut FormatProber<'e>,
    renders: &ConversationRenders,
    turns: &TurnMarkers,
) -> Option<(String, &'e str)> {
    const HEAD: &str = "zqheadqz";
    const LATER: &str = "zqlaterqz";
    let candidates = marks_of_constants(prober.engine().string_constants(), turns);
    let style = renders.style;
    let mut loses = |front: &str, close: &str| {
        if close.is_empty() {
            return false;
        }
        // Many templates do not change the last answer.
        let contents = [&*format!("{front}{CONTENT}"), LATER];
        let [answer, later] = contents.map(|it| style.answer(Some(it), None, &[]));
        let messages = vec![style.ask(USER), answer, style.ask(NEXT_USER), later];
        let text = prober.render_conversation("content with markers", messages, ToolOffer::None);
        let heads = |text: &str| text.matches(HEAD).count();
        text.as_deref().and_then(after_question).is_some_and(|reply| {
            let is_less = heads(reply.text()) < heads(front);
            is_less && reply.contains(CONTENT) && !reply.contains(close)
        })
    };
    let up_to = |close: &str| format!("{HEAD}{close}");
    let all = candidates.concat();
    if loses(&up_to(&all), &all) {
        let close = candidates.iter().find(|close| loses(&up_to(close), close))?;
        let open = Marker::new(close).mirrored_opener();
        return Some((open.unwrap_or_default().into_owned(), close));
    }
    let name = |mark: &str| mark.chars().filter(|it| it.is_alphanumeric()).collect::<String>();
    let between = |(open, close): &(&str, &str)| format!("{open}{HEAD}{close}");
    // It is not known which of two constants is the opener. A template may search only for the
    // first closer, so pairs of the same order are tried together.
    [Ordering::Less, Ordering::Greater].into_iter().find_map(|order| {
        let partners = |open: &'e str| {
            let partners = candidates.iter().filter(move |it| open.cmp(it) == order);
            partners.filter(move |it| name(it) == name(open)).map(move |close| (open, *close))
        };
        let pairs: Vec<_> = candidates.iter().flat_map(|open| partners(open)).collect();
        let all: String = pairs.iter().map(between).collect();
        if !loses(&all, &all) {
            return None;
        }
        let (open, close) = pairs.into_iter().find(|pair| loses(&between(pair), pair.1))?;
        Some((open.to_owned(), close))
    })
}

/// The constants of a template that may mark a part of an answer.
fn marks_of_constants<'c>(constants: &'c [String], turns: &TurnMarkers) -> Vec<&'c str> {
    let is_mark = |text: &&str| {
        (3..=64).contains(&text.len())
            && !text.contains(char::is_whitespace)
            && text.contains(|character: char| !character.is_alphanumeric() && character != '_')
            && ![&turns.open, &turns.end, &turns.user_open].iter().any(|it| it.contains(text))
    };
    let mut marks: Vec<&str> = constants.iter().map(|it| it.trim()).filter(is_mark).collect();
    marks.sort_unstable();
    marks.dedup();
    // If all are joined, a tag that is part of another constant would appear twice.
    let tags: Vec<&str> = marks.iter().copied().filter(|it| it.starts_with('<')).collect();
    marks.retain(|it| !tags.iter().any(|tag| tag != it && it.contains(tag)));
    marks.sort_by_key(|it| usize::from(!it.contains('/')));
    marks.truncate(MOST_CONSTANTS);
    marks
}

/// Pairs of tags that the template tells the model to write if thinking is on. The first is for
/// reasoning, the second for content.
fn find_instructed(renders: &ConversationRenders) -> Option<DetectedReasoning> {
    let on = renders.prompt_with_thinking.as_deref()?;
    let off = renders.prompt_without_thinking.as_deref().unwrap_or("");
    if on == off {
        return None;
    }
    let mut pairs = on.match_indices("></").filter_map(|(at, _)| {
        let front = on.get(..=at)?;
        let open = front.get(front.rfind('<')?..)?;
        let name = open.strip_prefix('<')?.strip_suffix('>')?;
        let following = on.get(at + "></".len()..)?;
        let closed = following.strip_prefix(name)?.starts_with('>');
        let pair = (format!("<{name}>"), format!("</{name}>"));
        (closed && !name.is_empty() && !off.contains(&*pair.1)).then_some(pair)
    });
    let (open, close) = pairs.next()?;
    let content = pairs.find(|(other, _)| *other != open);
    Some(DetectedReasoning {
        content_open: content.as_ref().map(|it| Marker::new(&it.0)),
        content_close: content.map(|it| Marker::new(it.1)),
        ..DetectedReasoning::new(ReasoningMode::TagBased, open, close)
    })
}
