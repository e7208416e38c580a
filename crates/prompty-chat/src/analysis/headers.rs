//! Detects replies that consist of several messages: the opener of the turn is repeated between
//! their parts, and a header follows it.
//!
//! Example: in `<S>bot<C>think<M>REASON<E><S>bot<C>final<M>CONTENT<E>`, the opener of the turn is
//! `<S>bot`. The headers are `<C>think` for reasoning and `<C>final` for content, and `<M>` is the
//! end of a header. The name of a tool may also be in the header: `<S>bot to=functions.FIRST<M>`.

use super::conversation::{CONTENT, FIRST, KEY, REASON};
use super::piece::Piece;
use super::probe::FormatProber;
use super::renders::{CallRender, ConversationRenders};
use super::turn::TurnMarkers;
use prompty_reply::format::{
    Content, ContentMode, Headers, List, Marker, Reasoning, ReasoningMode, Text,
};

/// The format of a reply of several messages.
#[derive(Debug)]
pub(super) struct DetectedHeaders {
    pub(super) headers: Headers,
    pub(super) reasoning: Option<Reasoning>,
    pub(super) content: Content,
    /// The texts that may close a message, including the one that closes the last message.
    pub(super) closers: Vec<String>,
}

/// Finds the headers, if the reply consists of several messages.
pub(super) fn find(
    prober: &mut FormatProber<'_>,
    renders: &ConversationRenders,
    turns: &TurnMarkers,
    called: Option<&CallRender>,
) -> Option<DetectedHeaders> {
    let reopen = turns.open.trim();
    if reopen.is_empty() {
        return None;
    }
    let answered = turns.reply(&renders.answered)?;
    let reasoned = renders.reasoned.as_deref().and_then(|it| turns.reply(it));
    let calls = called.and_then(|it| turns.reply(&it.output));
    let after_reason = reasoned.and_then(|it| it.after(REASON));
    let reasoning_close = after_reason.and_then(|it| it.before(CONTENT)?.before(reopen));
    // The opener of the turn must be repeated: between reasoning and content, or before a call.
    if reasoning_close.is_none() && !calls.is_some_and(|it| it.contains(reopen)) {
        return None;
    }

    // The text before each body: a header and the end of headers.
    let content_open = answered.before(CONTENT)?;
    let reasoning_open = reasoning_close.and_then(|_| reasoned?.before(REASON));
    let end = header_end(content_open, reasoning_open, calls.and_then(|it| it.before(KEY)))?;
    let end_text = end.text().trim();
    let header_of = |open: Option<Piece<'_>>| -> List<Text> {
        let header = open.and_then(|it| it.before(end_text));
        header.map(|it| Text::Owned(it.text().trim().to_owned())).into_iter().collect()
    };

    // What closes a message: reasoning, and content, which is the last message.
    let content_close = answered.after(CONTENT)?;
    let closers = reasoning_close.into_iter().chain([content_close]);
    let closers = closers.map(|it| it.text().trim().to_owned()).filter(|it| !it.is_empty());
    let mut closers: Vec<String> = closers.collect();
    closers.dedup();
    let mut headers = Headers {
        open: Marker::new(reopen),
        end: Marker::new(end),
        reasoning: header_of(reasoning_open),
        content: header_of(Some(content_open)),
        ..Headers::default()
    };
    // The header of a call, if the name of the tool is in it: ` to=` and `functions.`.
    let before_name = calls.and_then(|it| it.before(FIRST)).filter(|it| !it.contains(end_text));
    if let Some(front) = before_name {
        let text = front.text();
        let namespace = namespace(text);
        headers.recipient = Text::Owned(text.strip_suffix(namespace).unwrap_or(text).to_owned());
        headers.namespace = Text::Owned(namespace.to_owned());
    }
    let marker = |piece: Piece<'_>| Marker::new(piece.text().trim());
    let reasoning = reasoning_open.zip(reasoning_close).map(|(open, close)| Reasoning {
        mode: ReasoningMode::TagBased,
        open: marker(open),
        close: marker(close),
    });
    let content = Content {
        mode: ContentMode::AlwaysWrapped,
        open: marker(content_open),
        close: marker(content_close),
        requires_nonnull: false,
    };
    let what = if reasoning.is_some() { "reasoning" } else { "no reasoning" };
    prober.note("headers", format_args!("{headers:?}"));
    prober.note("R1", format_args!("{what} is shown in a separate message"));
    Some(DetectedHeaders { headers, reasoning, content, closers })
}

/// The end of a header: the last marker of the text that is before each of the bodies. The header
/// of a call may end differently. If it has no end in common with content, it is ignored.
fn header_end<'t>(
    content_open: Piece<'t>,
    reasoning_open: Option<Piece<'_>>,
    call_open: Option<Piece<'_>>,
) -> Option<Piece<'t>> {
    let common = reasoning_open.or(call_open).map(|it| content_open.common_end(it));
    let end = match common {
        Some(common) if reasoning_open.is_some() || !common.is_blank() => common,
        _ => content_open,
    };
    let end = end.last_marker_start().map_or(end, |at| end.from(at));
    (!end.is_blank()).then_some(end)
}

/// The word with a dot at the end of a text, such as `functions.`.
pub(super) fn namespace(text: &str) -> &str {
    let Some(stem) = text.strip_suffix('.') else { return "" };
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.strip_prefix(stem.trim_end_matches(is_of_word)).filter(|it| *it != ".").unwrap_or("")
}
