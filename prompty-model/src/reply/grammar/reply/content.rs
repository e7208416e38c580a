//! What stands around calls: reasoning, and content.

use super::{GrammarStart, Inside, Maker, Request, call, header_text, marker};
use crate::reply::format::{Headers, ReplyFormat};
use crate::reply::grammar::{CharacterClass, Expression};
use prompty_core::error::Error;
use prompty_core::value::Value;

impl Maker<'_> {
    /// What stands in front of everything else: reasoning, where the grammar begins in front of it.
    pub(super) fn behind_reasoning(&self, request: &Request<'_>, rest: Expression) -> Expression {
        Expression::sequence(self.reasoning(request).into_iter().chain([rest]))
    }

    /// Reasoning, where the grammar begins in front of it.
    pub(super) fn reasoning(&self, request: &Request<'_>) -> Option<Expression> {
        if request.options.start == GrammarStart::AfterReasoning || self.inside == Inside::Content {
            return None;
        }
        let is_open = self.inside == Inside::Reasoning;
        Some(match (&self.format.headers, &self.format.reasoning) {
            (Some(headers), _) => {
                let header = headers.reasoning.first().cloned().unwrap_or_default();
                let close = headers.close.first().cloned().unwrap_or_default();
                let opened = [header_text(&header), marker(&headers.end)];
                let body = [body(headers), marker(&close), marker(&headers.open)];
                match is_open {
                    true => Expression::sequence(body),
                    false => Expression::sequence(opened.into_iter().chain(body)).optional(),
                }
            }
            (None, Some(reasoning)) => {
                let mut ends = vec![reasoning.close.text.to_string()];
                if request.calls_end_reasoning() {
                    ends.extend(call_starts(self.format));
                }
                let text = Expression::until(ends);
                let closed = Expression::sequence([text, marker(&reasoning.close)]);
                match is_open {
                    true => closed,
                    false => Expression::sequence([marker(&reasoning.open), closed]).optional(),
                }
            }
            (None, None) => return None,
        })
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
        if self.inside == Inside::Content {
            let close = match self.format.headers {
                Some(_) => Expression::EMPTY,
                None => marker(&self.format.content.close),
            };
            return (Expression::EMPTY, close);
        }
        if let Some(headers) = &self.format.headers {
            let header = headers.content.first().cloned().unwrap_or_default();
            let more = Expression::sequence([" ".into(), Expression::until([&*headers.end.text])]);
            let header = Expression::sequence([header_text(&header), more.optional()]);
            return (Expression::sequence([header, marker(&headers.end)]), Expression::EMPTY);
        }
        (marker(&self.format.content.open), marker(&self.format.content.close))
    }

    /// What ends content, with a marker of its own or without: a call, or reasoning that opens, which
    /// would be read as such.
    fn ends_of_content(&self) -> Vec<String> {
        let mut ends = call_starts(self.format);
        let reasoning =
            self.format.reasoning.iter().map(|reasoning| reasoning.open.text.to_string());
        if !ends.is_empty() {
            ends.extend(reasoning.filter(|open| !open.is_empty()));
        }
        ends
    }

    /// Content that may stand in front of calls.
    pub(super) fn text_in_front_of_calls(&mut self) -> Expression {
        if let Some(headers) = &self.format.headers {
            let (open, _) = self.content_markers();
            let close = headers.close.first().cloned().unwrap_or_default();
            let text = [open, body(headers), marker(&close), marker(&headers.open)];
            return self.open_or_optional(text.into());
        }
        let content = &self.format.content;
        if !content.open.is_none() && !content.close.is_none() {
            let (open, close) = self.content_markers();
            let mut ends = self.ends_of_content();
            ends.push(content.close.text.to_string());
            return self.open_or_optional([open, Expression::until(ends), close].into());
        }
        let openers = self.ends_of_content();
        match openers.is_empty() {
            true => Expression::EMPTY,
            false => {
                Expression::sequence([marker(&content.open).optional(), Expression::until(openers)])
            }
        }
    }

    /// What is there where the prompt opened it, and may be there elsewhere.
    fn open_or_optional(&self, parts: Vec<Expression>) -> Expression {
        match self.inside {
            Inside::Content => Expression::Sequence(parts),
            _ => Expression::Sequence(parts).optional(),
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

/// The body of a message: text up to what closes it, or opens another.
fn body(headers: &Headers) -> Expression {
    let ends = headers.close.iter().chain([&headers.open]);
    Expression::until(ends.map(|end| end.text.to_string()))
}

/// What text cannot hold where calls are read. The parser takes any white space inside of an opener;
/// where a token stands in front of that, the token is enough, and elsewhere each way in which a
/// [mark](super::mark) is written is one that text cannot hold.
fn call_starts(format: &ReplyFormat) -> Vec<String> {
    let starts = |opener: String| match opener.split_once(char::is_whitespace) {
        Some((token, _)) if token.ends_with('>') => vec![token.to_owned()],
        Some(_) => super::spellings(&opener),
        None => vec![opener],
    };
    call::openers(format).into_iter().flat_map(starts).collect()
}
