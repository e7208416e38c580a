//! Finds the parts of a message that a template writes. It uses words that occur nowhere else.

use std::collections::HashMap;

use serde_json::{Value, json};
use typed_prompty::message::Message;
use typed_prompty::reply::Reply;

use super::messages::{AssistantMessage, MessageCall};
use super::subjects::Subject;
use super::writing::{QUESTION, options, write};

/// The shape of a message: whether it has reasoning and content, and its number of calls.
type Shape = (bool, bool, usize);

#[derive(Debug, Default)]
pub(crate) struct Shapes(HashMap<Shape, Shown>);

/// The parts of a message that a template writes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    reasoning: Option<Spaces>,
    content: Option<Spaces>,
    /// Whether content is written where reasoning would be.
    content_as_reasoning: bool,
    /// Whether content is written after calls.
    pub(crate) content_is_last: bool,
    calls: usize,
    ids: bool,
    /// The text after the end of the turn, which is not part of the turn.
    trailer: String,
}

/// The treatment of white space around a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spaces {
    Kept,
    Trimmed,
}

/// White space before and after a text. Some templates keep it, and others remove part of it.
const SPACES: [(&str, &str); 2] = [("\n\n\n\n ", " \n\n\n\n"), (" \n\n", "\n\n ")];

impl Shapes {
    /// The parts of a message with this shape that the template writes.
    pub(crate) fn shown(&mut self, subject: &Subject, message: &AssistantMessage) -> &Shown {
        let shape = (message.reasoning.is_some(), message.content.is_some(), message.calls.len());
        self.0.entry(shape).or_insert_with(|| Shown::find(subject, message, None))
    }
}

impl Shown {
    /// The parts of a message with this shape that the template writes, with thinking on, off or
    /// unset.
    pub(crate) fn find(
        subject: &Subject,
        message: &AssistantMessage,
        thinking: Option<bool>,
    ) -> Self {
        let calls = message.calls.iter().enumerate().map(|(index, call)| MessageCall {
            arguments: json!({"key": format!("zqvalue{index}qz")}),
            ..call.clone()
        });
        let calls: Vec<MessageCall> = calls.collect();
        let write = |reasoning: Option<String>, content: Option<String>| {
            let plain = AssistantMessage { reasoning, content, calls: calls.clone() };
            let written = write(subject, &plain.to_message(), &plain.tools(), thinking);
            written.map(|written| written.reply).unwrap_or_default()
        };
        let texts = SPACES.map(|(before, after)| {
            let around = |word: &str| format!("{before}{word}{after}");
            let reasoning = message.reasoning.as_ref().map(|_| around("zqmuseqz"));
            write(reasoning, message.content.as_ref().map(|_| around("zqsayqz")))
        });
        let spaces = |word: &str| {
            let mut pairs = texts.iter().zip(SPACES);
            let kept = pairs
                .all(|(text, (before, after))| text.contains(&format!("{before}{word}{after}")));
            let spaces = if kept { Spaces::Kept } else { Spaces::Trimmed };
            texts[0].contains(word).then_some(spaces)
        };
        let only_content = message.content.is_some() && message.reasoning.is_none();
        let words = calls.len();
        let word = |index: usize| format!("zqvalue{index}qz");
        let written = (0..words).filter(|index| texts[0].contains(&word(*index))).count();
        let content = |text: &str| write(None, Some(text.to_owned()));
        // White space at the end of a turn is not a marker. Some templates write a line break only
        // if there is none.
        let (bare, ended) = (content("zqsayqz"), content("zqsayqz\n"));
        let loses_spaces =
            subject.format().turn.end.is_empty() || (bare == ended && !bare.is_empty());
        Self {
            reasoning: spaces("zqmuseqz"),
            content: match spaces("zqsayqz") {
                Some(_) if loses_spaces => Some(Spaces::Trimmed),
                spaces => spaces,
            },
            content_is_last: texts[0].rfind("zqsayqz") > texts[0].rfind("zqvalue0qz"),
            content_as_reasoning: only_content
                && write(Some("zqsayqz".to_owned()), None)
                    == write(None, Some("zqsayqz".to_owned())),
            calls: written,
            ids: calls.iter().all(|call| texts[0].contains(&call.id)),
            trailer: trailer(subject, &texts[0], words),
        }
    }

    /// Removes the text that the template writes after the end of a turn.
    pub(crate) fn turn<'t>(&self, written: &'t str) -> &'t str {
        let turn = written.trim_end().strip_suffix(&*self.trailer);
        turn.filter(|_| !self.trailer.is_empty()).unwrap_or(written)
    }

    /// The difference between a reply and the message that the template wrote.
    pub(crate) fn differs(&self, message: &AssistantMessage, reply: &Reply) -> Option<String> {
        let text = |text: &Option<String>, spaces: Option<Spaces>| match spaces {
            Some(_) => text.as_deref().unwrap_or_default().to_owned(),
            None => String::new(),
        };
        let same = |expected: &str, found: &str, spaces: Option<Spaces>| match spaces {
            Some(Spaces::Kept) => expected == found,
            _ => expected.trim() == found.trim(),
        };
        let mut reasoning = (text(&message.reasoning, self.reasoning), self.reasoning);
        let mut content = (text(&message.content, self.content), self.content);
        if self.content_as_reasoning {
            std::mem::swap(&mut reasoning, &mut content);
        }
        if !same(&reasoning.0, reply.reasoning(), reasoning.1) {
            return Some(format!("reasoning {:?}, not {:?}", reasoning.0, reply.reasoning()));
        }
        if !same(&content.0, reply.content(), content.1) {
            return Some(format!("content {:?}, not {:?}", content.0, reply.content()));
        }
        if !reply.malformed().is_empty() {
            return Some(format!("malformed {:?}", reply.malformed()));
        }
        let calls = message.calls.iter().take(self.calls).map(|call| {
            let id = if self.ids { &*call.id } else { "" };
            (&*call.name, call.arguments.clone(), id, true)
        });
        let found = reply.calls().iter().map(|call| {
            let arguments = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
            let id = if self.ids { &*call.id } else { "" };
            (&*call.name, arguments, id, call.complete && call.known && !call.repaired)
        });
        let (calls, found): (Vec<_>, Vec<_>) = (calls.collect(), found.collect());
        (calls != found).then(|| format!("calls {calls:?}, not {found:?}"))
    }
}

/// The text after the end of a turn with this number of calls.
fn trailer(subject: &Subject, turn: &str, calls: usize) -> String {
    if let Some(trailer) = trailer_of_any(subject, turn) {
        return trailer;
    }
    let words = (0..calls).map(|index| format!("zqvalue{index}qz"));
    let words = words.chain(["zqmuseqz", "zqsayqz"].map(str::to_owned));
    let last_text = words.filter_map(|word| Some(turn.rfind(&word)? + word.len())).max();
    let after = &turn[last_text.unwrap_or_default()..];
    let ends = subject.format().turn.end.iter();
    let end = ends.filter_map(|end| Some(after.find(&*end.text)? + end.text.len())).min();
    end.map_or("", |end| &after[end..]).trim().to_owned()
}

/// The text after any last turn, also of the user, if it contains more than markers.
fn trailer_of_any(subject: &Subject, turn: &str) -> Option<String> {
    const LONGEST_MARKERS: usize = 200;
    let options = options(None).with_generation_prompt(false);
    let question_only =
        subject.template.prompt(&[Message::user(QUESTION)], &[], &options).ok()?.text;
    let pairs = turn.chars().rev().zip(question_only.chars().rev());
    let same: usize = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let trailer = turn[turn.len() - same..].trim();
    (trailer.len() > LONGEST_MARKERS).then(|| trailer.to_owned())
}
