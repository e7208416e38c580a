//! C1: how the template wraps content.

use super::align::Piece;
use super::conversation::{Absent, CONTENT, Offer, USER, two_calls};
use super::probe::Prober;
use super::reasoning;
use super::renders::{RenderedCalls, Renders};
use super::turn::Turns;
use prompty_reply::format::{Content, ContentMode, Marker, Reasoning};

pub(super) fn find(
    prober: &mut Prober<'_>,
    renders: &Renders,
    turns: &Turns,
    found: &reasoning::Found,
    called: Option<&RenderedCalls>,
) -> Content {
    let mut content = wrapping(renders, turns, found).unwrap_or_default();
    content.requires_nonnull = called.is_some_and(|it| requires_nonnull(prober, it));
    content
}

fn wrapping(renders: &Renders, turns: &Turns, found: &reasoning::Found) -> Option<Content> {
    let requires_nonnull = false;
    if let (Some(open), Some(close)) = (found.content_open.clone(), found.content_close.clone()) {
        let mode = ContentMode::WrappedWithReasoning;
        return Some(Content { mode, open, close, requires_nonnull });
    }
    let reply = turns.reply(&renders.answered)?;
    let own = || Some(without_reasoning(reply.before(CONTENT)?, found.reasoning.as_ref()));
    let open = found.content_open.clone().or_else(|| own().map(Marker::new))?;
    let close = Marker::new(turns.without_end(reply.after(CONTENT)?, Piece::whole("")));
    let mode = ContentMode::AlwaysWrapped;
    (!open.is_none()).then_some(Content { mode, open, close, requires_nonnull })
}

/// A text without the markers of empty reasoning at its start.
pub(super) fn without_reasoning<'t>(front: Piece<'t>, reasoning: Option<&Reasoning>) -> Piece<'t> {
    let Some(reasoning) = reasoning else { return front };
    let mut front = front;
    for marker in [&reasoning.open, &reasoning.close] {
        front = front.without_start_of(&marker.text).unwrap_or(front);
    }
    front
}

/// Whether calls without content must have an empty text as content, and not null.
fn requires_nonnull(prober: &mut Prober<'_>, called: &RenderedCalls) -> bool {
    if called.style.absent != Absent::Empty {
        return false;
    }
    let style = super::conversation::Style { absent: Absent::Null, ..called.style };
    let messages = vec![style.ask(USER), style.answer(None, None, &two_calls())];
    let text = prober.render_conversation("calls, and null for content", messages, Offer::Plain);
    text.is_none_or(|it| it.trim() != called.output.trim() && shows_null(&it, &called.output))
}

/// Whether an output contains a null that another one does not.
fn shows_null(text: &str, other: &str) -> bool {
    ["None", "null", "none"].iter().any(|it| text.matches(it).count() > other.matches(it).count())
}
