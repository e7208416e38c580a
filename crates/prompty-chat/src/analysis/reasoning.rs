//! Reasoning: the markers around it, and the mode in which a reply begins.
//!
//! The first row of this table that fits a template wins. R1 to R3 name findings, not an order.
//!
//! | what shows the markers | example | function |
//! |---|---|---|
//! | R1: a reply with content | `<think>R</think>C` | `find_before_content` |
//! | R3: only a reply with calls | `<think>R</think><call>` | `find_before_calls` |
//! | R2: the prompt without thinking | it ends with `<think></think>` | `find_in_prompt` |
//! | R2: a past answer without its reasoning | `R</think>C` becomes `C` | `find_removed_text` |
//! | R2: two prompts that mirror each other | `<think>`; off: `</think>` | `find_in_prompt` |
//! | R2: instructions for the model | `<think></think>` | `find_instructed` |
//! | R2: a prompt that leaves reasoning open | it ends with `<think>` | `find_left_open` |

use std::cmp::Ordering;

use super::conversation::{
    CONTENT, FIRST, MessageStyle, NEXT_USER, REASON, ToolOffer, USER, after_question, two_calls,
};
use super::piece::Piece;
use super::probe::FormatProber;
use super::renders::{CallRender, ConversationRenders, render_reasoning};
use super::turn::TurnMarkers;
use prompty_reply::format::{Marker, Reasoning, ReasoningMode};

/// The maximum number of constants of a template that are tried as the closer of reasoning.
const MOST_CONSTANTS: usize = 24;
/// The lengths of constants that may be markers, in bytes. Shorter ones are punctuation, and longer
/// ones are prose.
const MARKER_LENGTHS: std::ops::RangeInclusive<usize> = 3..=64;
/// The text between markers that the template may remove from an answer.
const REMOVED: &str = "zqheadqz";
/// The content of the answer after the one with [`REMOVED`].
const LATER: &str = "zqlaterqz";

/// The results of the probes about reasoning.
#[derive(Debug, Default)]
pub(super) struct DetectedReasoning {
    pub(super) reasoning: Option<Reasoning>,
    /// The opener of content after reasoning, if it is known.
    pub(super) content_open: Option<Marker>,
    /// The closer of content, if content has one only after reasoning.
    pub(super) content_close: Option<Marker>,
}

impl DetectedReasoning {
    fn new(mode: ReasoningMode, open: impl AsRef<str>, close: impl AsRef<str>) -> Self {
        let reasoning = Reasoning { mode, ..Reasoning::tags(open, close) };
        Self { reasoning: Some(reasoning), ..Self::default() }
    }
}

/// Finds the reasoning of a template: before content (R1), else before calls (R3), else in the
/// generation prompt or in the text that the template removes from an answer (R2).
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
    let before_content = find_before_content(renders, turns, prompts);
    let shown = if before_content.is_some() { "reasoning is" } else { "no reasoning is" };
    prober.note("R1", format_args!("{shown} shown before content"));
    prober.note("R2", format_args!("the prompt ends with {on:?}, without thinking {off:?}"));
    if let Some(found) = before_content {
        prober.note("R3", "reasoning is shown before calls, too");
        return found;
    }
    if let Some(found) = find_before_calls(prober, turns, called, prompts) {
        prober.note("R3", "reasoning is shown before calls only");
        return found;
    }
    prober.note("R3", "no reasoning is shown before calls");
    find_in_prompt(prober, renders, turns, prompts)
}

/// The ends of the generation prompts: the text after the opener of the assistant's turn. It is
/// `None` if the prompt was not rendered or has no such opener.
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

/// R1: reasoning before content. Three examples, first without reasoning, then with it:
/// - `C`; `<think>R</think><answer>C</answer>`: content has markers only after reasoning;
/// - `<answer>C</answer>`; `<think>R</think><answer>C</answer>`: it always has them;
/// - `C`; `<think>R</think>C`: it has none.
fn find_before_content(
    renders: &ConversationRenders,
    turns: &TurnMarkers,
    prompts: PromptTails<'_>,
) -> Option<DetectedReasoning> {
    let reply = turns.reply(renders.reasoned.as_deref()?)?;
    let (open, between) = (reply.before(REASON)?, reply.between(REASON, CONTENT)?);
    // The same answer without reasoning.
    let unreasoned = turns.reply(&renders.answered)?;
    let unreasoned_front = unreasoned.before(CONTENT)?;
    let (tail, unreasoned_tail) = (reply.after(CONTENT)?, unreasoned.after(CONTENT)?);

    // The text that closes content only if there is reasoning before it.
    let extra_close = tail.without_last(tail.common_end_len(unreasoned_tail));
    let content_open = if unreasoned_front.is_blank() {
        // Content without reasoning has no opener. After reasoning, it has an opener only if it has
        // a closer there.
        (!extra_close.is_blank()).then(|| marker_after_text(between)).flatten()
    } else {
        let is_closed = !turns.without_end(unreasoned_tail).is_blank();
        content_opener(between, unreasoned_front, prompts.without_thinking, is_closed)
    };
    let content_open = content_open.filter(|it| !it.is_blank());
    let close = between.without_last(content_open.map_or(0, Piece::len));
    let has_close = content_open.is_some() && !extra_close.is_blank();
    Some(DetectedReasoning {
        content_open: content_open.map(Marker::new),
        content_close: has_close.then(|| Marker::new(extra_close)),
        ..DetectedReasoning::new(mode_from_prompts(open, close, prompts), open, close)
    })
}

/// The opener of content: the end of `between`, the text between reasoning and content.
/// `unreasoned_front` is the text before content in a reply without reasoning, and
/// `is_always_closed` is true if a closer follows the content in that reply, too.
fn content_opener<'t>(
    between: Piece<'t>,
    unreasoned_front: Piece<'_>,
    without_thinking: Option<Piece<'_>>,
    is_always_closed: bool,
) -> Option<Piece<'t>> {
    // `</think><answer>` and `<answer>`: the opener is `<answer>`.
    let common = between.common_end(unreasoned_front);
    if !between.without_last(common.len()).is_blank() {
        return Some(common);
    }
    // Both are `</think><answer>`, so the template writes the closer of reasoning even without
    // reasoning. If the prompt without thinking ends with `<answer>`, that is the opener.
    let prompt = without_thinking.map(|it| it.text().trim()).filter(|it| !it.is_empty());
    let closer = prompt.and_then(|prompt| between.strip_trimmed_suffix(prompt));
    if let Some(closer) = closer.filter(|it| !it.is_blank()) {
        return Some(between.from(closer.len()));
    }
    if is_always_closed { marker_after_text(between) } else { None }
}

/// The marker at the end of a piece, if there is other text before it.
fn marker_after_text(piece: Piece<'_>) -> Option<Piece<'_>> {
    piece.last_marker_start().filter(|at| *at > 0).map(|at| piece.from(at))
}

/// The reasoning mode for known markers, according to the generation prompts.
///
/// - Without an opener, a reply begins with reasoning: `Delimiter`.
/// - If the prompt does not end with the opener, the model may write it: `TagBased`.
/// - If it does, reasoning is forced. Without thinking, the prompt then ends with the closer
///   (`ForcedClosed`) or not (`ForcedOpen`).
fn mode_from_prompts(open: Piece<'_>, close: Piece<'_>, prompts: PromptTails<'_>) -> ReasoningMode {
    let (open, close) = (open.text().trim(), close.text().trim());
    let ends_with = |prompt: Option<Piece<'_>>, marker: &str| {
        prompt.is_some_and(|it| it.text().trim_end().ends_with(marker))
    };
    if open.is_empty() {
        ReasoningMode::Delimiter
    } else if !ends_with(prompts.with_thinking, open) {
        ReasoningMode::TagBased
    } else if ends_with(prompts.without_thinking, close) {
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
    let (open, between) = (reply.before(REASON)?, reply.between(REASON, FIRST)?);
    // `</think><call>` and `<call>`: what also opens calls without reasoning is not in the closer.
    let unreasoned_front = turns.reply(&called.output)?.before(FIRST)?;
    let mut close = between.without_last(between.common_end_len(unreasoned_front));
    if close.is_blank() {
        // Both are `</think><call>`, so the closer is written even without reasoning. It is the
        // first marker.
        close = between.to(between.first_marker_end()?);
    }
    let mode = match mode_from_prompts(open, close, prompts) {
        ReasoningMode::TagBased | ReasoningMode::Delimiter => ReasoningMode::ToolsOnly,
        forced => forced,
    };
    Some(DetectedReasoning::new(mode, open, close))
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
        // On: `<think>`, off: `<think></think>`.
        if !on.is_empty() {
            return DetectedReasoning::new(ReasoningMode::ForcedClosed, with_thinking, close);
        }
        // On: nothing, off: `<think></think>`.
        if let Some((open, close)) = two_markers(without_thinking) {
            return DetectedReasoning::new(ReasoningMode::TagBased, open, close);
        }
    }
    if let Some((open, close)) = find_removed_text(prober, renders.style, turns) {
        let (mode, open) = match on.is_empty() {
            // The prompt opens reasoning, and ends in another way without thinking.
            false if on != off => (ReasoningMode::ForcedClosed, with_thinking),
            // The prompt opens reasoning, with and without thinking.
            false => (ReasoningMode::ForcedOpen, with_thinking),
            // The prompt opens nothing. If there is an opener, the model begins with it, or answers
            // directly. If there is none, the reply is reasoning from its start.
            true if open.is_empty() => (ReasoningMode::Delimiter, ""),
            true => (ReasoningMode::TagBased, &*open),
        };
        return DetectedReasoning::new(mode, open, close);
    }
    // On: `<think>`, off: `</think>`.
    let mirrored = Marker::new(on).mirrored_closer();
    if let Some(close) = mirrored.filter(|close| *close == off) {
        return DetectedReasoning::new(ReasoningMode::ForcedClosed, with_thinking, &close);
    }
    find_instructed(renders).or_else(|| find_left_open(renders)).unwrap_or_default()
}

/// Reasoning that the prompt opens, and that the template never closes.
fn find_left_open(renders: &ConversationRenders) -> Option<DetectedReasoning> {
    let prompt = after_question(renders.prompt_by_default.as_deref()?)?.trim_end();
    let open = prompt.from(prompt.last_marker_start()?).text();
    let close = Marker::new(open).mirrored_closer()?;
    // A tag that opens each answer does not open reasoning.
    let answer = renders.before_content()?;
    let opens_reasoning = !answer.contains(open) && !prompt.contains(&close);
    opens_reasoning.then(|| DetectedReasoning::new(ReasoningMode::ForcedOpen, open, close))
}

/// The last marker of a text and everything before it, both without white space at the end.
fn two_markers(text: &str) -> Option<(&str, &str)> {
    let piece = Piece::new(text).trim_end();
    let close = marker_after_text(piece)?;
    let open = piece.without_last(close.len()).trim_end();
    (!open.is_blank()).then(|| (open.text(), close.text()))
}

/// Finds the opener and the closer of text that the template removes from an answer. The template
/// removes either all text up to one of its constants, or the text between two.
fn find_removed_text<'e>(
    prober: &mut FormatProber<'e>,
    style: MessageStyle,
    turns: &TurnMarkers,
) -> Option<(String, &'e str)> {
    let candidates = marker_constants(prober.engine.string_constants(), turns);
    let mut probe = RemovalProbe { prober, style };
    let up_to = |close: &str| format!("{REMOVED}{close}");
    // Most templates remove nothing. One probe with all candidates finds that out.
    let all = candidates.concat();
    if probe.is_removed(&up_to(&all), &all) {
        let close = candidates.iter().find(|close| probe.is_removed(&up_to(close), close))?;
        let open = Marker::new(close).mirrored_opener();
        return Some((open.unwrap_or_default().into_owned(), close));
    }
    // Which constant of a pair is the opener is not known. One answer has each pair in one order
    // (`</a>` sorts before `<a>`), and another answer has each pair reversed. Both orders in one
    // answer would not do: a template that searches only for the first closer would find that of a
    // reversed pair.
    let order = [Ordering::Less, Ordering::Greater];
    order.into_iter().find_map(|order| probe.find_pair(pairs_of_tags(&candidates, order)))
}

/// The pairs of constants that differ only in signs, as `<think>` and `</think>`, and of which the
/// first compares to the second in this way.
fn pairs_of_tags<'e>(candidates: &[&'e str], order: Ordering) -> Vec<(&'e str, &'e str)> {
    let name = |tag: &str| tag.chars().filter(|it| it.is_alphanumeric()).collect::<String>();
    let all = candidates.iter().flat_map(|open| candidates.iter().map(|close| (*open, *close)));
    all.filter(|(open, close)| open.cmp(close) == order && name(open) == name(close)).collect()
}

/// Renders answers from which the template may remove text.
struct RemovalProbe<'p, 'e> {
    prober: &'p mut FormatProber<'e>,
    style: MessageStyle,
}

impl RemovalProbe<'_, '_> {
    /// Whether the template removes [`REMOVED`] and `close` from `front`, the start of an answer,
    /// but keeps the content after it.
    fn is_removed(&mut self, front: &str, close: &str) -> bool {
        if close.is_empty() {
            return false;
        }
        // Many templates do not change the last answer, so another question and answer follow.
        let contents = [&*format!("{front}{CONTENT}"), LATER];
        let [answer, later] = contents.map(|it| self.style.answer(Some(it), None, &[]));
        let messages = vec![self.style.ask(USER), answer, self.style.ask(NEXT_USER), later];
        let name = "content with markers";
        let text = self.prober.render_conversation(name, messages, ToolOffer::None);
        let count = |text: &str| text.matches(REMOVED).count();
        text.as_deref().and_then(after_question).is_some_and(|reply| {
            let is_less = count(reply.text()) < count(front);
            is_less && reply.contains(CONTENT) && !reply.contains(close)
        })
    }

    /// The first opener and closer of which the template removes the text between them.
    fn find_pair<'c>(&mut self, pairs: Vec<(&'c str, &'c str)>) -> Option<(String, &'c str)> {
        let between = |(open, close): &(&str, &str)| format!("{open}{REMOVED}{close}");
        let all: String = pairs.iter().map(between).collect();
        // Most templates remove nothing. One probe with all pairs finds that out: if anything of
        // `all` is removed, the reply does not contain all of it.
        if !self.is_removed(&all, &all) {
            return None;
        }
        let mut pairs = pairs.into_iter();
        let (open, close) = pairs.find(|pair| self.is_removed(&between(pair), pair.1))?;
        Some((open.to_owned(), close))
    }
}

/// The constants of a template that may mark a part of an answer.
fn marker_constants<'c>(constants: &'c [String], turns: &TurnMarkers) -> Vec<&'c str> {
    let is_marker = |text: &&str| {
        MARKER_LENGTHS.contains(&text.len())
            && !text.contains(char::is_whitespace)
            && text.contains(|character: char| !character.is_alphanumeric() && character != '_')
            && ![&turns.open, &turns.end, &turns.user_open].iter().any(|it| it.contains(text))
    };
    let mut markers: Vec<&str> = constants.iter().map(|it| it.trim()).filter(is_marker).collect();
    markers.sort_unstable();
    markers.dedup();
    // The constants are also joined. A constant that contains another one, a tag, is removed, so
    // that each tag appears once.
    let tags: Vec<&str> = markers.iter().copied().filter(|it| it.starts_with('<')).collect();
    markers.retain(|it| !tags.iter().any(|tag| tag != it && it.contains(tag)));
    // Closers come first: only the first constants are tried.
    markers.sort_by_key(|it| !it.contains('/'));
    markers.truncate(MOST_CONSTANTS);
    markers
}

/// Pairs of tags that the template tells the model to write if thinking is on. The first is for
/// reasoning, the second for content. The instructions show them without text between them:
/// `Write <think></think>, then <answer></answer>.`
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
