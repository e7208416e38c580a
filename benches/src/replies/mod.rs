//! Replies of models, their expected results, and their parsing with our crate. `replies/` compares
//! the time with the peers, and `bin/reply_allocations.rs` counts our allocations.

mod inputs;

use std::fmt;
use std::path::PathBuf;

use serde_json::Value as Json;
use typed_prompty::Value;
use typed_prompty::chat::{ChatTemplate, ChatTemplates, PromptOptions};
use typed_prompty::message::{messages_from_openai, tools_from_openai};
use typed_prompty::reply::{FinishReason, Reply, ReplyParser};

pub use inputs::{inputs, templates};

/// The number of characters in a chunk of a streamed reply.
pub const CHUNK: usize = 4;

/// The form of the calls in a reply, which determines the peers that can read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Only text and reasoning between tags.
    Text,
    /// JSON objects between tags.
    JsonCalls,
    /// Names and arguments in tags.
    TaggedCalls,
    /// Messages with headers.
    Headers,
    /// A form that no peer reads.
    Other,
}

/// A reply to parse.
pub struct Input {
    /// The name of the file, without its extension.
    pub name: String,
    /// The name of the group: inputs of one kind in several sizes.
    pub group: String,
    /// The form of its calls.
    pub writing: Writing,
    /// The text of the model.
    pub text: String,
    /// The offered tools, in the form of the chat API.
    pub tools: Vec<Json>,
    /// The conversation before the reply, in the form of the chat API.
    pub messages: Json,
    /// The file of the model's chat template.
    pub template: PathBuf,
    /// The expected result.
    pub expected: Answer,
    /// The name of a parser that cannot run in this program.
    pub on_file_of: &'static str,
    /// The recorded figures of that parser, for complete and streamed replies, in microseconds.
    pub on_file: Option<(f64, f64)>,
}

/// The content of a reply.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// All reasoning.
    pub reasoning: String,
    /// All content.
    pub content: String,
    /// The names and arguments of the calls, in order.
    pub calls: Vec<(String, String)>,
    /// The number of pieces in which the arguments arrived.
    pub argument_pieces: usize,
}

impl Input {
    /// Splits the text into chunks.
    pub fn chunks(&self) -> Vec<&str> {
        let mut chunks = Vec::new();
        let mut rest = self.text.as_str();
        while !rest.is_empty() {
            let end = rest.char_indices().nth(CHUNK).map_or(rest.len(), |(at, _)| at);
            let (chunk, after) = rest.split_at(end);
            chunks.push(chunk);
            rest = after;
        }
        chunks
    }

    /// Whether the reply calls tools.
    pub fn has_calls(&self) -> bool {
        !self.expected.calls.is_empty()
    }
}

impl Answer {
    /// The first difference from the expected answer. White space at the ends of reasoning and
    /// content is ignored, because parsers differ in whether it belongs to the markers.
    /// Arguments are compared as JSON.
    pub fn difference(&self, expected: &Self) -> Option<String> {
        let text = |what: &str, is: &str, should: &str| {
            let (is, should) = (is.trim(), should.trim());
            (is != should)
                .then(|| format!("{what} of {} bytes instead of {}", is.len(), should.len()))
        };
        let calls = || {
            if self.calls.len() != expected.calls.len() {
                let (is, should) = (self.calls.len(), expected.calls.len());
                return Some(format!("{is} calls instead of {should}"));
            }
            self.calls
                .iter()
                .zip(&expected.calls)
                .find_map(|(is, should)| call_difference(is, should))
        };
        text("reasoning", &self.reasoning, &expected.reasoning)
            .or_else(|| text("content", &self.content, &expected.content))
            .or_else(calls)
    }
}

fn call_difference(is: &(String, String), should: &(String, String)) -> Option<String> {
    if is.0 != should.0 {
        return Some(format!("a call of `{}` instead of `{}`", is.0, should.0));
    }
    let parse = |text: &str| serde_json::from_str::<Json>(text).ok();
    let (value, expected) = (parse(&is.1), parse(&should.1));
    match (value, expected) {
        (None, _) => Some("arguments that are not JSON".to_owned()),
        (value, expected) if value == expected => None,
        (Some(Json::Object(value)), Some(Json::Object(expected))) => {
            let differs = |(key, _): &(&String, &Json)| value.get(*key) != expected.get(*key);
            let key = expected.iter().find(differs).map_or("?", |(key, _)| key);
            let length = |map: &serde_json::Map<String, Json>| {
                map.get(key).and_then(Json::as_str).map_or(0, str::len)
            };
            let (is, should) = (length(&value), length(&expected));
            Some(format!("argument `{key}` of {is} bytes instead of {should}"))
        }
        _ => Some("other arguments".to_owned()),
    }
}

impl From<&Reply> for Answer {
    fn from(reply: &Reply) -> Self {
        let calls = reply.calls().iter();
        Self {
            reasoning: reply.reasoning().to_owned(),
            content: reply.content().to_owned(),
            calls: calls.map(|call| (call.name.clone(), call.arguments.clone())).collect(),
            argument_pieces: 0,
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes)", self.name, self.text.len())
    }
}

/// The parser of an input. It is made from the analysis of the template, the tools, and the state
/// at the end of the prompt.
///
/// # Panics
///
/// Panics if the template cannot be used.
pub fn parser_for(input: &Input) -> ReplyParser {
    let template = template_at(&input.template);
    let value = |json: &Json| Value::from_serialize(json).expect("JSON is a value");
    let messages = messages_from_openai(&value(&input.messages)).expect("messages are messages");
    let tools =
        tools_from_openai(&value(&Json::from(input.tools.clone()))).expect("tools are tools");
    let turn = template.apply(&messages, &tools, &PromptOptions::new());
    turn.unwrap_or_else(|error| panic!("{}: {error:#}", input.template.display())).parser
}

/// The template in a file.
///
/// # Panics
///
/// Panics if the file has no template.
pub fn template_at(path: &PathBuf) -> ChatTemplate {
    let templates = ChatTemplates::from_path(path);
    let templates = templates.unwrap_or_else(|error| panic!("{}: {error:#}", path.display()));
    templates.choose(None, true).expect("a file has one template").clone()
}

/// Parses a reply in chunks, and combines the events of the stream.
pub fn stream(parser: &ReplyParser, chunks: &[&str]) -> Reply {
    let mut stream = parser.stream();
    let mut reply = Reply::default();
    for chunk in chunks {
        stream.push(chunk).for_each(|event| reply.add(event));
    }
    stream.finish(FinishReason::End).for_each(|event| reply.add(event));
    reply
}
