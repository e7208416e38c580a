//! Detects replies that consist of several messages: the opener of the turn is repeated between
//! their parts, and a header follows it.

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
    let close = after_reason.and_then(|it| it.before(CONTENT)?.before(reopen));
    if close.is_none() && !calls.is_some_and(|it| it.contains(reopen)) {
        return None;
    }

    // The text before each body.
    let content = answered.before(CONTENT)?;
    let reasoning = close.and_then(|_| reasoned?.before(REASON));
    let call = calls.and_then(|it| it.before(KEY));
    let end = reasoning.map_or(content, |it| content.common_end(it));
    let end = match call.map(|it| it.common_end(content)) {
        Some(common) if !common.is_blank() && reasoning.is_none() => content.common_end(common),
        _ => end,
    };
    let end = end.last_marker().map_or(end, |at| end.from(at));
    if end.is_blank() {
        return None;
    }
    let mark = end.text().trim();
    let header = |piece: Piece<'_>| -> Option<String> {
        piece.before(mark).map(|it| it.text().trim().to_owned())
    };

    let mut closers: Vec<String> = Vec::new();
    let mut close_with = |piece: Piece<'_>| {
        let text = piece.text().trim();
        if !text.is_empty() && !closers.iter().any(|it| it == text) {
            closers.push(text.to_owned());
        }
    };
    close.into_iter().for_each(&mut close_with);
    let tail = answered.after(CONTENT)?;
    close_with(tail);

    let header_of =
        |piece: Option<Piece<'_>>| piece.and_then(header).into_iter().collect::<Vec<_>>();
    let list = |texts: Vec<String>| List::Owned(texts.into_iter().map(Text::Owned).collect());
    let mut headers = Headers {
        open: Marker::new(reopen),
        end: Marker::new(end),
        reasoning: list(header_of(reasoning)),
        content: list(header_of(Some(content))),
        ..Headers::default()
    };
    let name = calls.and_then(|it| it.before(FIRST)).filter(|it| !it.contains(mark));
    if let Some(front) = name {
        let text = front.text();
        let namespace = namespace(text);
        headers.recipient = Text::Owned(text.strip_suffix(namespace).unwrap_or(text).to_owned());
        headers.namespace = Text::Owned(namespace.to_owned());
    }
    let marker = |piece: Piece<'_>| Marker::new(piece.text().trim());
    let reasoning = reasoning.zip(close).map(|(open, close)| Reasoning {
        mode: ReasoningMode::TagBased,
        open: marker(open),
        close: marker(close),
    });
    let content = Content {
        mode: ContentMode::AlwaysWrapped,
        open: marker(content),
        close: marker(tail),
        requires_nonnull: false,
    };
    let shown = if reasoning.is_some() { "is" } else { "is not" };
    prober.note("headers", format_args!("{headers:?}"));
    prober.note("R1", format_args!("reasoning {shown} shown in a separate message"));
    Some(DetectedHeaders { headers, reasoning, content, closers })
}

/// The word with a dot at the end of a text, such as `functions.`.
pub(super) fn namespace(text: &str) -> &str {
    let Some(stem) = text.strip_suffix('.') else { return "" };
    let word = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.strip_prefix(stem.trim_end_matches(word)).filter(|it| *it != ".").unwrap_or("")
}
