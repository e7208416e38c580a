//! The texts that activate a lazy grammar.
//!
//! A lazy grammar restricts the model only from a trigger on. Before it, the model writes freely.
//! For example, with the trigger `<call>`:
//!
//! ```text
//! I look it up. <call>{"name": "time"}</call>
//! ^^^^^^^^^^^^^^ free
//!               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ must match the grammar
//! ```

use crate::layout::{Header, LayoutPart, Mark, Slot};
use prompty_core::message::ToolSpec;

/// A text that activates a lazy grammar.
///
/// A lazy grammar does not restrict the model until it writes a trigger. Then the grammar applies
/// to the reply from the start of the trigger.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Trigger {
    /// This text, at any position.
    Word(String),
    /// A regular expression for the reply from its start. llama.cpp accepts such triggers, but the
    /// triggers of a [`ReplyGrammar`](super::ReplyGrammar) are all words.
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

/// The triggers for calls of these tools: the text that a call begins with. If other text may begin
/// in the same way, a trigger also contains a tool's name, so there is one for each tool.
///
/// For a tool `f`:
///
/// | a call in the format | trigger |
/// |---|---|
/// | a header with the namespace `functions.`: `to=functions.f` | `to=functions.` |
/// | a header without one: `to=f`, but `to=user` is not a call | `to=f` |
/// | an opener: `<call>{"name": "f"}` | `<call>` |
/// | an opener before the name: `[f]`, if `[think]` opens reasoning | `[f` |
pub(super) fn call_triggers(reply: &LayoutPart, tools: &[&ToolSpec]) -> Vec<Trigger> {
    if tools.is_empty() {
        return Vec::new();
    }
    let of_each_tool = |prefix: String| -> Vec<Trigger> {
        tools.iter().map(|tool| Trigger::Word(format!("{prefix}{}", tool.name))).collect()
    };
    if let Some(Header { recipient, namespace, .. }) = reply.header() {
        let prefix = format!("{recipient}{namespace}");
        return match namespace.is_empty() {
            true => of_each_tool(prefix),
            false => vec![Trigger::Word(prefix)],
        };
    }
    let text_openers =
        [Mark::ReasoningOpen, Mark::ContentOpen].map(|mark| reply.marked(mark).next());
    let opens_text =
        |opener: &str| text_openers.iter().flatten().any(|it| it.text.starts_with(opener));
    let namespace_of_name = reply.parts().into_iter().find_map(|part| match part {
        LayoutPart::Slot(Slot::Name { namespace }) => Some(namespace),
        _ => None,
    });
    let openers = reply.call_openers().map(|opener| &*opener.text);
    let triggers = openers.flat_map(|opener| match namespace_of_name {
        Some(namespace) if opens_text(opener) => of_each_tool(format!("{opener}{namespace}")),
        _ => vec![Trigger::Word(opener.to_owned())],
    });
    triggers.collect()
}
