//! The texts that activate a lazy grammar.

use crate::layout::{Header, LayoutPart, Mark, Slot};
use prompty_core::message::ToolSpec;

/// A text that activates a lazy grammar, from the start of that text in the reply.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Trigger {
    /// This text, at any position.
    Word(String),
    /// A regular expression for the reply from its start.
    Pattern(String),
}

impl Trigger {
    /// The text of a word.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Pattern(_) => None,
        }
    }
}

/// The beginnings of calls of these tools.
pub(super) fn call_triggers(reply: &LayoutPart, tools: &[&ToolSpec]) -> Vec<Trigger> {
    if tools.is_empty() {
        return Vec::new();
    }
    let of_each_tool = |prefix: String| -> Vec<Trigger> {
        tools.iter().map(|tool| Trigger::Word(format!("{prefix}{}", tool.name))).collect()
    };
    if let Some(Header { recipient, namespace, .. }) = reply.header() {
        let word = format!("{recipient}{namespace}");
        // The text of a recipient alone may name something that is not a tool.
        return if namespace.is_empty() { of_each_tool(word) } else { vec![Trigger::Word(word)] };
    }
    let texts = [Mark::ReasoningOpen, Mark::ContentOpen].map(|mark| reply.marked(mark).next());
    let opens_text = |opener: &str| texts.iter().flatten().any(|it| it.text.starts_with(opener));
    let name = reply.parts().into_iter().find_map(|part| match part {
        LayoutPart::Slot(Slot::Name { namespace }) => Some(namespace),
        _ => None,
    });
    let openers = reply.call_openers().map(|opener| &*opener.text);
    let triggers = openers.flat_map(|opener| match name {
        // With the name, the text cannot be an opener of other text with the same beginning.
        Some(namespace) if opens_text(opener) => of_each_tool(format!("{opener}{namespace}")),
        _ => vec![Trigger::Word(opener.to_owned())],
    });
    triggers.collect()
}
