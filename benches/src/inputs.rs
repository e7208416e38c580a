//! The inputs of a job, in the form of each subject.

use typed_prompty::message::{Message, thread_from_value};
use typed_prompty::value::{Map, Value};

/// A prompt and its inputs.
#[derive(Clone)]
pub struct Inputs {
    /// The job.
    pub name: &'static str,
    /// The `.prompty` text.
    pub source: String,
    /// The inputs for subjects that use serde.
    pub json: serde_json::Value,
    /// The inputs for our pipeline at run time.
    pub map: Map,
}

/// A document of the RAG prompt.
#[derive(Clone)]
pub struct Document {
    /// The heading.
    pub title: String,
    /// The text.
    pub text: String,
}

/// A turn of a conversation, for an engine that has no threads.
#[derive(Clone)]
pub struct Turn {
    /// The role of the speaker.
    pub role: String,
    /// The text of the turn.
    pub text: String,
}

impl Inputs {
    pub(crate) fn new(name: &'static str, source: String, json: &str) -> Self {
        let map = serde_json::from_str(json).expect("inputs are a JSON object");
        let json = serde_json::from_str(json).expect("inputs are JSON");
        Self { name, source, json, map }
    }

    /// The text after the front matter.
    pub(crate) fn body(&self) -> &str {
        let rest = self.source.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
        rest.expect("a prompt begins with its front matter").1
    }

    pub(crate) fn text(&self, name: &str) -> String {
        let text = self.map.get(name).and_then(Value::as_str);
        text.unwrap_or_else(|| panic!("{}: the input `{name}` is not a string", self.name))
            .to_owned()
    }

    pub(crate) fn documents(&self) -> Vec<Document> {
        let text = |item: &Value, name| item.get(name).and_then(Value::as_str).unwrap().to_owned();
        let documents = self.map.get("docs").and_then(Value::as_array).expect("`docs` is an array");
        let document = |item| Document { title: text(item, "title"), text: text(item, "text") };
        documents.iter().map(document).collect()
    }

    pub(crate) fn history(&self) -> Vec<Message> {
        let history = self.map.get("history").expect("`history` is set");
        thread_from_value(history).expect("`history` is an array of messages")
    }

    pub(crate) fn turns(&self) -> Vec<Turn> {
        let history = self.history();
        let turn = |it: &Message| Turn { role: it.role.to_string(), text: it.text() };
        history.iter().map(turn).collect()
    }
}
