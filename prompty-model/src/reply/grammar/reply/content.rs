//! What stands around calls: reasoning, and content.

use super::{GrammarStart, Inside, Maker, Request, header_text, marker};
use crate::reply::format::{Marker, Text};
use crate::reply::grammar::{CharacterClass, Expression};
use crate::reply::layout::{Mark, Part, Slot, Unit};
use prompty_core::error::Error;
use prompty_core::value::Value;

/// What stands around reasoning or content.
struct Frame {
    open: Expression,
    /// What ends the text.
    ends: Vec<String>,
    close: Expression,
    /// Whether it has both an opener and a closer.
    is_wrapped: bool,
}

impl Maker<'_> {
    /// What stands around the text of a slot; nothing where replies have none.
    fn frame(&self, slot: &Slot) -> Option<Frame> {
        let marked = |mark| self.reply.marked(mark);
        let Some(header) = self.reply.header() else {
            let (unit, open, close) = match slot {
                Slot::Reasoning => (Unit::Reasoning, Mark::ReasoningOpen, Mark::ReasoningClose),
                _ => (Unit::Content, Mark::ContentOpen, Mark::ContentClose),
            };
            self.reply.find(unit)?;
            let (open, close) = (marked(open).next()?, marked(close).next()?);
            let ends = [close].into_iter().filter(|close| !close.text.is_empty());
            return Some(Frame {
                open: marker(open),
                ends: ends.map(|close| close.text.to_string()).collect(),
                close: marker(close),
                is_wrapped: !open.is_none() && !close.is_none(),
            });
        };
        let says = |texts: &[Text]| header_text(texts.first().map_or("", |text| &**text));
        let (open, end) = (marked(Mark::HeaderOpen).next()?, marked(Mark::HeaderEnd).next()?);
        let says = match slot {
            Slot::Reasoning => says(&header.reasoning),
            _ => {
                let more = Expression::sequence([" ".into(), Expression::until([&*end.text])]);
                Expression::sequence([says(&header.content), more.optional()])
            }
        };
        let close = marked(Mark::BodyClose).next().map_or(Expression::EMPTY, marker);
        let ends = marked(Mark::BodyClose).chain([open]);
        Some(Frame {
            open: Expression::sequence([says, marker(end)]),
            ends: ends.map(|end| end.text.to_string()).collect(),
            // The next message opens behind it.
            close: Expression::sequence([close, marker(open)]),
            is_wrapped: true,
        })
    }

    /// What stands in front of everything else: reasoning, where the grammar begins in front of it.
    pub(super) fn behind_reasoning(&self, request: &Request<'_>, rest: Expression) -> Expression {
        Expression::sequence(self.reasoning(request).into_iter().chain([rest]))
    }

    /// Reasoning, where the grammar begins in front of it.
    pub(super) fn reasoning(&self, request: &Request<'_>) -> Option<Expression> {
        if request.options.start == GrammarStart::AfterReasoning || self.inside == Inside::Content {
            return None;
        }
        let Frame { open, mut ends, close, .. } = self.frame(&Slot::Reasoning)?;
        if request.calls_end_reasoning() {
            ends.extend(call_starts(self.reply));
        }
        Some(self.framed(open, ends, close, Inside::Reasoning))
    }

    /// Content that follows a schema, with the markers around it.
    pub(super) fn content(&mut self, schema: &Value) -> Result<Expression, Error> {
        let json = self.schema("content", schema)?;
        let (open, close) = self.content_markers();
        // Many models put JSON into a fence; the parser takes it off.
        let fence = Expression::sequence([
            "```".into(),
            Expression::text("json").optional(),
            "\n".into(),
            json.clone(),
            "\n```".into(),
        ]);
        let json = Expression::choice([json, fence]);
        Ok(Expression::sequence([open, json, Expression::text("\n").optional(), close]))
    }

    /// What stands around content.
    fn content_markers(&self) -> (Expression, Expression) {
        let Some(Frame { open, close, .. }) = self.frame(&Slot::Content) else {
            return (Expression::EMPTY, Expression::EMPTY);
        };
        let open = if self.inside == Inside::Content { Expression::EMPTY } else { open };
        // Nothing follows the last message.
        let close = if self.reply.header().is_some() { Expression::EMPTY } else { close };
        (open, close)
    }

    /// What ends content, with a marker of its own or without: a call, or reasoning that opens, which
    /// would be read as such.
    fn ends_of_content(&self) -> Vec<String> {
        let mut ends = call_starts(self.reply);
        if !ends.is_empty() {
            let reasoning =
                self.reply.marked(Mark::ReasoningOpen).map(|open| open.text.to_string());
            ends.extend(reasoning.filter(|open| !open.is_empty()));
        }
        ends
    }

    /// Content that may stand in front of calls.
    pub(super) fn text_in_front_of_calls(&mut self) -> Expression {
        let Some(Frame { open, ends, close, is_wrapped }) = self.frame(&Slot::Content) else {
            return Expression::EMPTY;
        };
        let others = self.ends_of_content();
        if is_wrapped {
            return self.framed(open, [others, ends].concat(), close, Inside::Content);
        }
        match others.is_empty() {
            true => Expression::EMPTY,
            false => Expression::sequence([open.optional(), Expression::until(others)]),
        }
    }

    /// A text between its markers: it is there where the prompt opened it, and may be there elsewhere.
    fn framed(
        &self,
        open: Expression,
        ends: Vec<String>,
        close: Expression,
        opened: Inside,
    ) -> Expression {
        let closed = [Expression::until(ends), close];
        match self.inside == opened {
            true => Expression::sequence(closed),
            false => Expression::sequence([open].into_iter().chain(closed)).optional(),
        }
    }

    /// A reply that calls no tool, or says something before it does.
    pub(super) fn free_text(&self, calls: Expression) -> Expression {
        let any = Expression::Class(CharacterClass::any()).repeated(0, None);
        let (open, _) = self.content_markers();
        let openers = self.ends_of_content();
        if !openers.is_empty() {
            return Expression::sequence([open, Expression::until(openers), calls.optional()]);
        }
        // What begins like a call has to be one.
        let first = CharacterClass::any().without(&CharacterClass::from_characters("{[ \n\t\r"));
        let text = Expression::sequence([Expression::Class(first), any]).optional();
        Expression::sequence([open, text])
    }
}

/// What text cannot hold where calls are read. The parser takes any white space inside of an opener;
/// where a token stands in front of that, the token is enough, and elsewhere each way in which a
/// [mark](super::mark) is written is one that text cannot hold.
fn call_starts(reply: &Part) -> Vec<String> {
    let starts = |opener: &Marker| match opener.text.split_once(char::is_whitespace) {
        Some((token, _)) if token.ends_with('>') => vec![token.to_owned()],
        Some(_) => super::spellings(&opener.text),
        None => vec![opener.text.to_string()],
    };
    reply.call_openers().into_iter().flat_map(starts).collect()
}
