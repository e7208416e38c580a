//! The layout of a whole reply: reasoning, content and calls, or messages that hold them.

use super::{Literal, Mark, Part, Slot, call};
use crate::reply::format::{Headers, Marker, ReplyFormat};

pub(super) fn layout(format: &ReplyFormat) -> Part {
    let calls = format.tools.as_ref().map(call::calls);
    let inside = match &format.headers {
        Some(headers) => messages(headers, calls),
        None => parts(format, calls),
    };
    let ends = format.turn.end.iter().map(|end| Literal::free(end, Mark::TurnEnd));
    Part::row([inside, Part::Choice(ends.collect())])
}

fn parts(format: &ReplyFormat, calls: Option<Part>) -> Part {
    let reasoning = format.reasoning.as_ref().map(|reasoning| {
        Part::row([
            Literal::required(&reasoning.open, Mark::ReasoningOpen),
            Part::Slot(Slot::Reasoning),
            Literal::required(&reasoning.close, Mark::ReasoningClose),
        ])
    });
    let content = Part::row([
        Literal::free(&format.content.open, Mark::ContentOpen),
        Part::Slot(Slot::Content),
        Literal::free(&format.content.close, Mark::ContentClose),
    ]);
    let kinds = reasoning.into_iter().chain([content]).chain(calls);
    repeated(Part::Choice(kinds.collect()))
}

fn messages(headers: &Headers, calls: Option<Part>) -> Part {
    let bodies = [Part::Slot(Slot::Reasoning), Part::Slot(Slot::Content)].into_iter().chain(calls);
    let closers = headers.close.iter().map(|close| Literal::free(close, Mark::BodyClose));
    repeated(Part::row([
        Literal::free(&headers.open, Mark::HeaderOpen),
        Part::Slot(Slot::Header),
        Literal::required(&headers.end, Mark::HeaderEnd),
        Part::Choice(bodies.collect()),
        Part::Choice(closers.collect()).optional(),
    ]))
}

fn repeated(part: Part) -> Part {
    let separator = Literal { marker: Marker::NONE, mark: Mark::CallSeparator, is_required: false };
    Part::Repeat { part: Box::new(part), separator, many: true }
}
