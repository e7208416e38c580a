//! What the checker must know of message tags while it reads expressions.

use std::collections::HashSet;

use crate::template::tags::Tags;
use prompty_core::diagnostic::Span;

/// What the checker must know of message tags while it reads expressions.
#[derive(Debug, Default)]
pub(super) struct TagFacts {
    /// Whether the template marks messages by tags, and `message` is the function that does.
    pub(super) has_calls: bool,
    /// What is printed outside of messages.
    pub(super) outside: HashSet<Span>,
    /// Whether it was told that the prompt's parser reads no tags.
    pub(super) are_told: bool,
}

impl TagFacts {
    /// What is to be known of a template whose messages are marked by tags.
    pub(super) fn new(tags: &Tags) -> Self {
        let outside = tags.outside.iter().copied().collect();
        Self { has_calls: true, outside, are_told: false }
    }
}
