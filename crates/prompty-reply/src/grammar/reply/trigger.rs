//! What brings a lazy grammar into force.

use crate::layout::{Header, Mark, Part, Slot};
use prompty_core::message::ToolSpec;

/// What brings a lazy grammar into force, from where it begins in the reply.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Trigger {
    /// This text, wherever it stands.
    Word(String),
    /// A regular expression, over the reply from its start.
    Pattern(String),
}

impl Trigger {
    /// The text that it is.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Pattern(_) => None,
        }
    }
}

/// What a call of these tools begins with.
pub(super) fn triggers(reply: &Part, tools: &[&ToolSpec]) -> Vec<Trigger> {
    if tools.is_empty() {
        return Vec::new();
    }
    let of_each_tool = |front: String| -> Vec<Trigger> {
        tools.iter().map(|tool| Trigger::Word(format!("{front}{}", tool.name))).collect()
    };
    if let Some(Header { recipient, namespace, .. }) = reply.header() {
        let word = format!("{recipient}{namespace}");
        // A recipient's text alone may name what is no tool.
        return if namespace.is_empty() { of_each_tool(word) } else { vec![Trigger::Word(word)] };
    }
    let texts = [Mark::ReasoningOpen, Mark::ContentOpen].map(|mark| reply.marked(mark).next());
    let opens_text = |opener: &str| texts.iter().flatten().any(|it| it.text.starts_with(opener));
    let name = reply.parts().into_iter().find_map(|part| match part {
        Part::Slot(Slot::Name { namespace }) => Some(namespace),
        _ => None,
    });
    let openers = reply.call_openers().map(|opener| &*opener.text);
    let triggers = openers.flat_map(|opener| match name {
        // With the name it is no opener of text, which begins alike.
        Some(namespace) if opens_text(opener) => of_each_tool(format!("{opener}{namespace}")),
        _ => vec![Trigger::Word(opener.to_owned())],
    });
    triggers.collect()
}
