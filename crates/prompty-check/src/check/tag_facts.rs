//! Facts about message tags that the checker needs while it reads expressions.

use std::collections::HashSet;

use prompty_core::diagnostic::TemplateSpan;
use prompty_template::message_tags::Tags;

/// Facts about message tags.
#[derive(Debug, Default)]
pub(super) struct TagFacts {
    /// The names of the calls that mark messages, valid or invalid.
    pub(super) calls: HashSet<TemplateSpan>,
    /// The places of values that are printed outside of messages.
    pub(super) outside: HashSet<TemplateSpan>,
    /// Whether the finding about a parser that does not read tags was reported.
    pub(super) is_missing_parser_reported: bool,
}

impl TagFacts {
    /// The facts about a template whose messages are marked by tags.
    pub(super) fn new(tags: &Tags) -> Self {
        let outside = tags.outside.iter().copied().collect();
        let calls = tags.call_names.iter().copied().collect();
        Self { calls, outside, is_missing_parser_reported: false }
    }
}
