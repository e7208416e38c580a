//! Finds the markers around content. In the table at the head of `analysis`, this is C1.

use super::conversation::{AbsentContent, CONTENT, ToolOffer, USER, two_calls};
use super::piece::Piece;
use super::probe::FormatProber;
use super::reasoning;
use super::renders::{CallRender, ConversationRenders};
use super::turn::TurnMarkers;
use prompty_reply::format::{Content, ContentMode, Marker, Reasoning};

/// Finds the markers around content, and whether content may be null.
pub(super) fn find(
    prober: &mut FormatProber<'_>,
    renders: &ConversationRenders,
    turns: &TurnMarkers,
    found: &reasoning::DetectedReasoning,
    called: Option<&CallRender>,
) -> Content {
    let mut content = find_markers(renders, turns, found).unwrap_or_default();
    content.requires_nonnull = called.is_some_and(|it| requires_nonnull(prober, it));
    content
}

/// The markers around content, with `false` for `requires_nonnull`. The step for reasoning has
/// already found them if content has other markers after reasoning than without it.
fn find_markers(
    renders: &ConversationRenders,
    turns: &TurnMarkers,
    found: &reasoning::DetectedReasoning,
) -> Option<Content> {
    let requires_nonnull = false;
    if let (Some(open), Some(close)) = (found.content_open.clone(), found.content_close.clone()) {
        let mode = ContentMode::WrappedWithReasoning;
        return Some(Content { mode, open, close, requires_nonnull });
    }
    let reply = turns.reply(&renders.answered)?;
    let front = || Some(without_reasoning(reply.before(CONTENT)?, found.reasoning.as_ref()));
    let open = found.content_open.clone().or_else(|| front().map(Marker::new))?;
    let close = Marker::new(turns.without_end(reply.after(CONTENT)?));
    let mode = ContentMode::AlwaysWrapped;
    (!open.is_none()).then_some(Content { mode, open, close, requires_nonnull })
}

/// A text without the markers of empty reasoning at its start.
pub(super) fn without_reasoning<'t>(front: Piece<'t>, reasoning: Option<&Reasoning>) -> Piece<'t> {
    let Some(reasoning) = reasoning else { return front };
    let mut front = front;
    for marker in [&reasoning.open, &reasoning.close] {
        front = front.strip_trimmed_prefix(&marker.text).unwrap_or(front);
    }
    front
}

/// Whether calls without content must have an empty string as content instead of null.
fn requires_nonnull(prober: &mut FormatProber<'_>, called: &CallRender) -> bool {
    if called.style.absent != AbsentContent::Empty {
        return false;
    }
    let style = super::conversation::MessageStyle { absent: AbsentContent::Null, ..called.style };
    let messages = vec![style.ask(USER), style.answer(None, None, &two_calls())];
    let text =
        prober.render_conversation("calls, and null for content", messages, ToolOffer::Plain);
    // The template refuses null, or writes it as a word.
    text.is_none_or(|it| it.trim() != called.output.trim() && shows_null(&it, &called.output))
}

/// Whether an output contains a null that another one does not.
fn shows_null(text: &str, other: &str) -> bool {
    ["None", "null", "none"].iter().any(|it| text.matches(it).count() > other.matches(it).count())
}
