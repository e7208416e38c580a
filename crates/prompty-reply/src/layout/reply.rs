//! The layout of a complete reply: reasoning, content and calls, or messages that contain them.

use super::{Header, LayoutPart, Literal, Mark, Slot, Unit, call, looks_like_control};
use crate::format::{CallShape, Headers, Marker, NamePlace, Reasoning, ReplyFormat, Text};

impl LayoutPart {
    /// The layout of replies of a format.
    pub(crate) fn of_format(format: &ReplyFormat) -> Self {
        let inside = match &format.headers {
            Some(headers) => messages(headers, format),
            None => parts_without_headers(format),
        };
        let ends = format.turn.end.iter().map(|end| Literal::free(end, Mark::TurnEnd).into());
        LayoutPart::row([inside, LayoutPart::Choice(ends.collect())])
    }
}

/// Reasoning, content and calls, in any order and number.
fn parts_without_headers(format: &ReplyFormat) -> LayoutPart {
    let calls = format.tools.as_ref().map(|tools| call::calls(tools, format));
    let reasoning = format.reasoning.as_ref().map(|reasoning| {
        LayoutPart::row([
            reasoning_open(reasoning, format),
            LayoutPart::Slot(Slot::Reasoning),
            Literal::required(&reasoning.close, Mark::ReasoningClose).into(),
        ])
        .unit(Unit::Reasoning)
    });
    let content = LayoutPart::row([
        Literal::free(&format.content.open, Mark::ContentOpen).into(),
        LayoutPart::Slot(Slot::Content),
        Literal::free(&format.content.close, Mark::ContentClose).into(),
    ])
    .unit(Unit::Content);
    let kinds = reasoning.into_iter().chain([content]).chain(calls);
    repeated(LayoutPart::Choice(kinds.chain(strays(format)).collect()))
}

/// The opener of reasoning. If the template shows no opener, some models write the one that mirrors
/// the closer.
fn reasoning_open(reasoning: &Reasoning, format: &ReplyFormat) -> LayoutPart {
    let open = &reasoning.open;
    if open.is_none() {
        let text = reasoning.close.mirrored_opener().unwrap_or_default();
        let mirrored = Marker { before: Text::default(), text, ..reasoning.close.clone() };
        let mirrored = vec![Literal::free(&mirrored, Mark::ReasoningOpen).into()];
        return LayoutPart::spellings(Literal::free(open, Mark::ReasoningOpen).into(), mirrored);
    }
    Literal::with_short_spelling(Literal::required(open, Mark::ReasoningOpen), format)
}

/// Control tokens that a model writes without a meaning: those of the turn's opener, which some
/// models repeat.
fn strays(format: &ReplyFormat) -> impl Iterator<Item = LayoutPart> {
    let tokens = format.turn.open.split_inclusive('>');
    let tokens = tokens.filter_map(|token| Some(token.get(token.rfind('<')?..)?.trim_end()));
    let tokens = tokens.filter(|token| looks_like_control(token));
    tokens.map(|token| {
        let marker = Marker { text: token.to_owned().into(), ..Marker::NONE };
        Literal::required(&marker, Mark::Stray).into()
    })
}

/// Messages with headers, each with reasoning, content or calls as its body.
fn messages(headers: &Headers, format: &ReplyFormat) -> LayoutPart {
    let tools = format.tools.as_ref();
    let suffix = match tools.map(|tools| &tools.shape) {
        Some(CallShape::Named(call)) if call.name == NamePlace::Header => {
            call.suffix.text.to_string()
        }
        _ => String::new(),
    };
    // Reasoning or content without its own closer ends like other bodies.
    let first = headers.close.first().cloned().unwrap_or_default();
    let closer = |own: Marker| if own.is_none() { first.clone() } else { own };
    let reasoning = format.reasoning.as_ref().map(|it| it.close.clone()).unwrap_or_default();
    let content = format.content.close.clone();
    let header = Header {
        reasoning: headers.reasoning.clone(),
        content: headers.content.clone(),
        recipient: headers.recipient.clone(),
        namespace: headers.namespace.clone(),
        suffix: suffix.into(),
        closers: [reasoning, content].map(closer),
    };
    let calls = tools.map(|tools| call::calls(tools, format));
    let bodies = [LayoutPart::Slot(Slot::Reasoning), LayoutPart::Slot(Slot::Content)]
        .into_iter()
        .chain(calls);
    let closers = headers.close.iter().map(|close| Literal::free(close, Mark::BodyClose).into());
    repeated(LayoutPart::row([
        header_openers(headers),
        LayoutPart::Slot(Slot::Header(header)),
        Literal::required(&headers.end, Mark::HeaderEnd).into(),
        LayoutPart::Choice(bodies.collect()),
        LayoutPart::Choice(closers.collect()).optional(),
    ]))
}

/// The opener of a message's header. If it is missing, the first tokens of the header or the
/// complete header can show where the header begins.
fn header_openers(headers: &Headers) -> LayoutPart {
    let mut others: Vec<LayoutPart> = Vec::new();
    for words in headers.reasoning.iter().chain(headers.content.iter()) {
        let token = words.trim_start().split_inclusive('>').next().unwrap_or_default();
        let complete_header = format!("{}{}", words.trim(), headers.end.text);
        let literals =
            [(token.to_owned(), Mark::HeaderStart), (complete_header, Mark::CompleteHeader)];
        for (text, mark) in literals.into_iter().filter(|_| looks_like_control(token)) {
            let marker = Marker { text: text.into(), ..Marker::NONE };
            let other = Literal::free(&marker, mark).into();
            if !others.contains(&other) {
                others.push(other);
            }
        }
    }
    LayoutPart::spellings(Literal::free(&headers.open, Mark::HeaderOpen).into(), others)
}

fn repeated(part: LayoutPart) -> LayoutPart {
    let separator = Literal::new(Marker::NONE, Mark::CallSeparator);
    LayoutPart::Repeat { part: Box::new(part), separator, many: true }
}
