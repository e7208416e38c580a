//! A last message that is continued where the template itself does not write it: many leave the
//! reasoning of past turns out. Its text is put behind the generation prompt in the format of the
//! template's replies.

use super::adapt;
use super::apply::reply_tail;
use super::prompt::{Continuation, PromptOptions, PromptText};
use super::source::ChatTemplate;
use crate::reply::ReplyParser;
use crate::reply::format::{Headers, Marker, ReplyFormat};
use prompty_core::error::Error;
use prompty_core::message::{ContentPart, Message, Tool};

impl ChatTemplate {
    /// The prompt that ends inside of the last message, whatever the template leaves out of it.
    pub(super) fn continuing(
        &self,
        messages: &[Message],
        tools: &[Tool],
        options: &PromptOptions,
        continuation: Continuation,
    ) -> Result<PromptText, Error> {
        let written = self.written(messages, tools, options, true);
        let Some((last, others)) = messages.split_last() else { return written };
        let reasoning = reasoning_of(last);
        let is_whole = reasoning.trim().is_empty()
            || self.writes_reasoning(messages, tools, options, written.as_ref().ok());
        if is_whole {
            return written;
        }
        let format = self.format()?;
        if format.reasoning.is_none() && format.headers.is_none() {
            return written;
        }
        let mut opening = options.clone();
        opening.continuation = None;
        opening.add_generation_prompt = true;
        let mut prompt = self.written(others, tools, &opening, true)?;
        let content = (continuation == Continuation::Content).then(|| last.text());
        let tail = reply_tail(&prompt.text, &prompt.generation_prompt, &format.turn.open);
        let behind = match &format.headers {
            Some(headers) => in_messages(headers, &reasoning, content.as_deref()),
            None => in_markers(format, tail, &reasoning, content.as_deref()),
        };
        prompt.text.push_str(&behind);
        prompt.generation_prompt.push_str(&behind);
        Ok(prompt)
    }

    /// Whether the template writes the reasoning of the last message. What the reasoning says may
    /// stand elsewhere, too, so a word is put in its place that nothing else holds.
    fn writes_reasoning(
        &self,
        messages: &[Message],
        tools: &[Tool],
        options: &PromptOptions,
        written: Option<&PromptText>,
    ) -> bool {
        let Some(written) = written else { return false };
        let mark = adapt::mark(&written.text);
        let mut messages = messages.to_vec();
        for part in messages.last_mut().into_iter().flat_map(|last| last.content.iter_mut()) {
            if let ContentPart::Reasoning(text) = part {
                text.clone_from(&mark);
            }
        }
        let marked = self.written(&messages, tools, options, true);
        marked.is_ok_and(|marked| marked.generation_prompt.contains(&mark))
    }
}

/// The reasoning of a message.
fn reasoning_of(message: &Message) -> String {
    let parts = message.content.iter().filter_map(|part| match part {
        ContentPart::Reasoning(text) => Some(text.as_str()),
        _ => None,
    });
    parts.collect()
}

/// Reasoning and content between the markers of a format, behind what the prompt has opened.
fn in_markers(format: &ReplyFormat, tail: &str, reasoning: &str, content: Option<&str>) -> String {
    let Some(markers) = &format.reasoning else { return content.unwrap_or_default().to_owned() };
    let is_open = ReplyParser::new(format.clone()).behind(tail).starts_in_reasoning();
    let open = if is_open { String::new() } else { markers.open.to_string() };
    let mut text = format!("{open}{reasoning}");
    if let Some(content) = content {
        text.push_str(&markers.close.to_string());
        text.push_str(&format.content.open.to_string());
        text.push_str(content);
    }
    text
}

/// Reasoning and content as a row of messages, behind the opener of the first.
fn in_messages(headers: &Headers, reasoning: &str, content: Option<&str>) -> String {
    let first =
        |texts: &[std::borrow::Cow<'static, str>]| texts.first().cloned().unwrap_or_default();
    let mut text = format!("{}{}{reasoning}", first(&headers.reasoning), headers.end);
    if let Some(content) = content {
        let close = headers.close.first().map(Marker::to_string).unwrap_or_default();
        let header = first(&headers.content);
        text.push_str(&format!("{close}{}{header}{}{content}", headers.open, headers.end));
    }
    text
}
