//! What stands around calls: reasoning, and content.

use super::derivative::Inside;
use super::maker::Maker;
use super::markers::{header_text, marker, spellings};
use super::options::GrammarStart;
use super::request::Request;
use crate::format::Marker;
use crate::grammar::{CharacterClass, Expression, Result};
use crate::layout::{Mark, Order, Part, Slot};
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
        let around = self.reply.around(slot)?;
        let texts = |markers: &mut dyn Iterator<Item = &Marker>| {
            let markers = markers.filter(|marker| !marker.text.is_empty());
            markers.map(|marker| marker.text.to_string()).collect()
        };
        let Some((says, end)) = around.header else {
            return Some(Frame {
                open: marker(around.open),
                ends: texts(&mut [around.close].into_iter()),
                close: marker(around.close),
                is_wrapped: !around.open.is_none() && !around.close.is_none(),
            });
        };
        let mut header = vec![header_text(says)];
        if *slot == Slot::Content {
            let more = Expression::sequence([" ".into(), Expression::until([&*end.text])]);
            header.push(more.optional());
        }
        header.push(marker(end));
        let close = self.reply.marked(Mark::BodyClose).next().cloned().unwrap_or_default();
        Some(Frame {
            open: Expression::Sequence(header),
            ends: texts(&mut self.reply.marked(Mark::BodyClose).chain([around.open])),
            // Another message opens behind it.
            close: Expression::sequence([marker(&close), marker(around.open)]),
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
    pub(super) fn content(&mut self, schema: &Value) -> Result<Expression> {
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
            let order = Order::new(self.reply);
            // A closer without a call would be malformed.
            let closers = [Mark::SectionClose, Mark::CallClose].into_iter();
            let closers = closers.flat_map(|mark| order.literals(mark));
            let closers = closers.filter(|(_, closer)| closer.marker.is_markup());
            let others = closers.chain(order.literals(Mark::ReasoningOpen));
            ends.extend(others.flat_map(|(_, literal)| starts(&literal.marker)));
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

/// What text cannot hold where calls are read, in all of its spellings.
fn call_starts(reply: &Part) -> Vec<String> {
    let order = Order::new(reply);
    order.call_openers().flat_map(|(_, opener)| starts(&opener.marker)).collect()
}

/// How a marker begins that text cannot hold. The parser takes any white space inside of it; where a token stands
/// in front of that, the token is enough, and elsewhere each way in which a [mark](super::markers::mark) is written is one
/// that text cannot hold.
fn starts(marker: &Marker) -> Vec<String> {
    match marker.text.split_once(char::is_whitespace) {
        Some((token, _)) if token.ends_with('>') => vec![token.to_owned()],
        Some(_) => spellings(&marker.text),
        None => vec![marker.text.to_string()],
    }
}
