//! The text around calls: reasoning and content.

use super::derivative::StartContext;
use super::markers::{header_text, marker_with_space, spellings};
use super::options::GrammarStart;
use super::reply_builder::ReplyGrammarBuilder;
use super::request::GrammarRequest;
use crate::format::Marker;
use crate::grammar::{CharacterClass, Expression, Result};
use crate::layout::{LayoutPart, Mark, Order, Slot};
use prompty_core::value::Value;

/// The delimiters of reasoning or content.
struct TextDelimiters {
    open: Expression,
    /// The beginnings of the texts that end it.
    ends: Vec<String>,
    close: Expression,
    /// Whether it has both an opener and a closer.
    is_wrapped: bool,
}

impl ReplyGrammarBuilder<'_> {
    /// The delimiters of the text of a slot. `None` if replies do not have it.
    fn text_delimiters(&self, slot: &Slot) -> Option<TextDelimiters> {
        let markers = self.reply.markers_around(slot)?;
        let texts = |markers: &mut dyn Iterator<Item = &Marker>| {
            let markers = markers.filter(|marker| !marker.text.is_empty());
            markers.flat_map(starts).collect()
        };
        let Some((words, end)) = markers.header else {
            return Some(TextDelimiters {
                open: marker_with_space(markers.open),
                ends: texts(&mut [markers.close].into_iter()),
                close: marker_with_space(markers.close),
                is_wrapped: !markers.open.is_none() && !markers.close.is_none(),
            });
        };
        let mut header = vec![header_text(words)];
        if *slot == Slot::Content {
            let more = Expression::sequence([" ".into(), Expression::until([&*end.text])]);
            header.push(more.optional());
        }
        header.push(marker_with_space(end));
        let close = self.reply.marked(Mark::BodyClose).next().cloned().unwrap_or_default();
        Some(TextDelimiters {
            open: Expression::Sequence(header),
            ends: texts(&mut self.reply.marked(Mark::BodyClose).chain([markers.open])),
            // The opener of another message follows.
            close: Expression::sequence([
                marker_with_space(&close),
                marker_with_space(markers.open),
            ]),
            is_wrapped: true,
        })
    }

    /// Writes reasoning, if the grammar begins before it.
    pub(super) fn reasoning(&self, request: &GrammarRequest<'_>) -> Option<Expression> {
        if request.options.start == GrammarStart::AfterReasoning
            || self.open_in_prompt == StartContext::Content
        {
            return None;
        }
        let mut delimiters = self.text_delimiters(&Slot::Reasoning)?;
        if request.calls_end_reasoning() {
            delimiters.ends.extend(call_starts(self.reply));
        }
        Some(self.delimited_text(delimiters, StartContext::Reasoning))
    }

    /// Writes content that matches a schema, with the markers around it.
    pub(super) fn content(&mut self, schema: &Value) -> Result<Expression> {
        let json = self.schema("content", schema)?;
        let (open, close) = self.content_markers();
        // Many models put JSON into a fence; the parser removes it.
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

    /// The markers around content.
    fn content_markers(&self) -> (Expression, Expression) {
        let Some(TextDelimiters { open, close, .. }) = self.text_delimiters(&Slot::Content) else {
            return (Expression::EMPTY, Expression::EMPTY);
        };
        let open =
            if self.open_in_prompt == StartContext::Content { Expression::EMPTY } else { open };
        // Nothing follows the last message.
        let close = if self.reply.header().is_some() { Expression::EMPTY } else { close };
        (open, close)
    }

    /// The texts that end content, with or without its own marker: a call, or an opener of
    /// reasoning, because they would be read as such.
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

    /// Writes optional content before calls.
    pub(super) fn text_before_calls(&mut self) -> Expression {
        let Some(delimiters) = self.text_delimiters(&Slot::Content) else {
            return Expression::EMPTY;
        };
        let others = self.ends_of_content();
        if delimiters.is_wrapped {
            let ends = [others, delimiters.ends].concat();
            let delimiters = TextDelimiters { ends, ..delimiters };
            return self.delimited_text(delimiters, StartContext::Content);
        }
        match others.is_empty() {
            true => Expression::EMPTY,
            false => Expression::sequence([delimiters.open.optional(), Expression::until(others)]),
        }
    }

    /// Writes a text between its markers. It is required if the prompt opened it, and optional
    /// otherwise.
    fn delimited_text(&self, delimiters: TextDelimiters, opened: StartContext) -> Expression {
        let TextDelimiters { open, ends, close, .. } = delimiters;
        let closed = [Expression::until(ends), close];
        match self.open_in_prompt == opened {
            true => Expression::sequence(closed),
            false => Expression::sequence([open].into_iter().chain(closed)).optional(),
        }
    }

    /// Writes a reply that calls no tool, or has text before its calls.
    pub(super) fn free_text(&self, calls: Expression) -> Expression {
        let any = Expression::Class(CharacterClass::any()).repeated(0, None);
        let (open, _) = self.content_markers();
        let openers = self.ends_of_content();
        if !openers.is_empty() {
            return Expression::sequence([open, Expression::until(openers), calls.optional()]);
        }
        // Text that begins like a call, also after white space, must be a call.
        let first = CharacterClass::any().without(&CharacterClass::from_characters("{[ \n\t\r"));
        let text = Expression::sequence([Expression::Class(first), any]).optional();
        Expression::sequence([open, text])
    }
}

/// The beginnings of calls, in all spellings, which text cannot contain if calls are read in it.
fn call_starts(reply: &LayoutPart) -> Vec<String> {
    let order = Order::new(reply);
    order.call_openers().flat_map(|(_, opener)| starts(&opener.marker)).collect()
}

/// The beginnings of a marker that text cannot contain. The parser accepts any white space, or none,
/// where the marker has some and between two tags. So the text before that is the beginning, if it
/// is markup: `<call>` for `<call> name` and `<tool` for `<tool call>`. Words such as `Call` are not,
/// because other text contains them too. Then each of the marker's [`spellings`] is a beginning.
fn starts(marker: &Marker) -> Vec<String> {
    let text = &*marker.text;
    let space = text.find(char::is_whitespace);
    let tags = text.find("><").map(|at| at + 1);
    let Some((start, _)) =
        space.into_iter().chain(tags).min().and_then(|at| text.split_at_checked(at))
    else {
        return vec![text.to_owned()];
    };
    let is_markup = start.ends_with('>')
        || !start.starts_with(char::is_alphanumeric) && start.chars().any(char::is_alphanumeric);
    if is_markup { vec![start.to_owned()] } else { spellings(text) }
}
