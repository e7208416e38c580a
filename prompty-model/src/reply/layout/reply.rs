//! The layout of a whole reply: reasoning, content and calls, or messages that hold them.

use super::{Literal, Mark, Part, Slot, call, looks_like_control};
use crate::reply::format::{Headers, Marker, Reasoning, ReplyFormat, Text};

pub(super) fn layout(format: &ReplyFormat) -> Part {
    let calls = format.tools.as_ref().map(|tools| call::calls(tools, format));
    let inside = match &format.headers {
        Some(headers) => messages(headers, calls),
        None => parts(format, calls),
    };
    let ends = format.turn.end.iter().map(|end| Literal::free(end, Mark::TurnEnd).into());
    Part::row([inside, Part::Choice(ends.collect())])
}

fn parts(format: &ReplyFormat, calls: Option<Part>) -> Part {
    let reasoning = format.reasoning.as_ref().map(|reasoning| {
        Part::row([
            reasoning_open(reasoning, format),
            Part::Slot(Slot::Reasoning),
            Literal::required(&reasoning.close, Mark::ReasoningClose).into(),
        ])
    });
    let content = Part::row([
        Literal::free(&format.content.open, Mark::ContentOpen).into(),
        Part::Slot(Slot::Content),
        Literal::free(&format.content.close, Mark::ContentClose).into(),
    ]);
    let kinds = reasoning.into_iter().chain([content]).chain(calls);
    repeated(Part::Choice(kinds.chain(strays(format)).collect()))
}

/// What opens reasoning. Where the template shows no opener, some models write the one that mirrors the closer.
fn reasoning_open(reasoning: &Reasoning, format: &ReplyFormat) -> Part {
    let open = &reasoning.open;
    if open.is_none() {
        let text = reasoning.close.mirrored_opener().unwrap_or_default();
        let mirrored = Marker { before: Text::default(), text, ..reasoning.close.clone() };
        return Literal::free(&mirrored, Mark::ReasoningOpen).into();
    }
    Literal::with_short(Literal::required(open, Mark::ReasoningOpen), format)
}

/// Control tokens that a model writes where they have no meaning: those of the turn's opener, which some
/// models repeat.
fn strays(format: &ReplyFormat) -> impl Iterator<Item = Part> {
    let tokens = format.turn.open.split_inclusive('>');
    let tokens = tokens.filter_map(|token| Some(token.get(token.rfind('<')?..)?.trim_end()));
    let tokens = tokens.filter(|token| looks_like_control(token));
    tokens.map(|token| {
        let marker = Marker { text: token.to_owned().into(), ..Marker::NONE };
        Literal::required(&marker, Mark::Stray).into()
    })
}

fn messages(headers: &Headers, calls: Option<Part>) -> Part {
    let bodies = [Part::Slot(Slot::Reasoning), Part::Slot(Slot::Content)].into_iter().chain(calls);
    let closers = headers.close.iter().map(|close| Literal::free(close, Mark::BodyClose).into());
    repeated(Part::row([
        Part::Choice(header_openers(headers)),
        Part::Slot(Slot::Header),
        Literal::required(&headers.end, Mark::HeaderEnd).into(),
        Part::Choice(bodies.collect()),
        Part::Choice(closers.collect()).optional(),
    ]))
}

/// What opens the header of a message, and the tokens that it may begin with where the opener is missing.
fn header_openers(headers: &Headers) -> Vec<Part> {
    let words = headers.reasoning.iter().chain(headers.content.iter());
    let tokens = words.filter_map(|words| words.trim_start().split_inclusive('>').next());
    let mut openers: Vec<Part> = vec![Literal::free(&headers.open, Mark::HeaderOpen).into()];
    for token in tokens.filter(|token| looks_like_control(token)) {
        let marker = Marker { text: token.to_owned().into(), ..Marker::NONE };
        let opener = Literal::free(&marker, Mark::HeaderStart).into();
        if !openers.contains(&opener) {
            openers.push(opener);
        }
    }
    openers
}

fn repeated(part: Part) -> Part {
    let separator = Literal { marker: Marker::NONE, mark: Mark::CallSeparator, is_required: false };
    Part::Repeat { part: Box::new(part), separator, many: true }
}
