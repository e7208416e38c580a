//! The layout of a whole reply: reasoning, content and calls, or messages that hold them.

use super::{Header, Literal, Mark, Part, Slot, Unit, call};
use crate::reply::format::{CallShape, Headers, Marker, NamePlace, ReplyFormat};

pub(super) fn layout(format: &ReplyFormat) -> Part {
    let inside = match &format.headers {
        Some(headers) => messages(headers, format),
        None => parts(format),
    };
    let ends = format.turn.end.iter().map(|end| Literal::free(end, Mark::TurnEnd));
    Part::row([inside, Part::Choice(ends.collect())])
}

fn parts(format: &ReplyFormat) -> Part {
    let calls = format.tools.as_ref().map(call::calls);
    let reasoning = format.reasoning.as_ref().map(|reasoning| {
        Part::row([
            Literal::required(&reasoning.open, Mark::ReasoningOpen),
            Part::Slot(Slot::Reasoning),
            Literal::required(&reasoning.close, Mark::ReasoningClose),
        ])
        .unit(Unit::Reasoning)
    });
    let content = Part::row([
        Literal::free(&format.content.open, Mark::ContentOpen),
        Part::Slot(Slot::Content),
        Literal::free(&format.content.close, Mark::ContentClose),
    ])
    .unit(Unit::Content);
    let kinds = reasoning.into_iter().chain([content]).chain(calls);
    repeated(Part::Choice(kinds.collect()))
}

fn messages(headers: &Headers, format: &ReplyFormat) -> Part {
    let tools = format.tools.as_ref();
    let suffix = match tools.map(|tools| &tools.shape) {
        Some(CallShape::Named(call)) if call.name == NamePlace::Header => {
            call.suffix.text.to_string()
        }
        _ => String::new(),
    };
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
    let calls = tools.map(call::calls);
    let bodies = [Part::Slot(Slot::Reasoning), Part::Slot(Slot::Content)].into_iter().chain(calls);
    let closers = headers.close.iter().map(|close| Literal::free(close, Mark::BodyClose));
    repeated(Part::row([
        Literal::free(&headers.open, Mark::HeaderOpen),
        Part::Slot(Slot::Header(header)),
        Literal::required(&headers.end, Mark::HeaderEnd),
        Part::Choice(bodies.collect()),
        Part::Choice(closers.collect()).optional(),
    ]))
}

fn repeated(part: Part) -> Part {
    let separator = Literal::new(Marker::NONE, Mark::CallSeparator);
    Part::Repeat { part: Box::new(part), separator, many: true }
}
