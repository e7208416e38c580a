//! What the checker must know of message tags while it reads expressions.

use std::collections::HashSet;

use prompty_core::diagnostic::TemplateSpan;
use prompty_template::message_tags::Tags;

/// What the checker must know of message tags while it reads expressions.
#[derive(Debug, Default)]
pub(super) struct TagFacts {
    /// The names of the calls that mark messages, right or wrong.
    pub(super) calls: HashSet<TemplateSpan>,
    /// What is printed outside of messages.
    pub(super) outside: HashSet<TemplateSpan>,
    /// Whether it was told that the prompt's parser reads no tags.
    pub(super) are_told: bool,
}

impl TagFacts {
    /// What is to be known of a template whose messages are marked by tags.
    pub(super) fn new(tags: &Tags) -> Self {
        let outside = tags.outside.iter().copied().collect();
        let calls = tags.call_names.iter().copied().collect();
        Self { calls, outside, are_told: false }
    }
}
