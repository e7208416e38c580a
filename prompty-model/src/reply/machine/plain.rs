//! Short replies that are nothing but text. Most are, and making a machine ready for all that a reply
//! may hold takes longer than reading them.

use super::text::leading_space_of;
use super::watch::common_start;
use super::{Machine, State};

/// Bytes of a text that are looked through: where a marker is found late, all was looked at twice.
const SHORT: usize = 4096;

/// What a reply says that is nothing but text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reply) enum Plain<'text> {
    Reasoning(&'text str),
    Content(&'text str),
}

impl Machine<'_> {
    /// What a machine in this one's state would tell of a whole reply; nothing unless the reply is a
    /// short text in which no marker begins.
    pub(in crate::reply) fn plain<'text>(&self, text: &'text str) -> Option<Plain<'text>> {
        let segment = &self.segment;
        let options = &self.program.options;
        let may_be_plain = text.len() <= SHORT
            && self.state == State::Text
            && self.held.is_empty()
            && self.of_prompt == 0
            && !segment.holds_space()
            && !(segment.is_reasoning && options.reasoning_in_content)
            && options.content_schema.is_none();
        if !may_be_plain {
            return None;
        }
        let space = if segment.leading { leading_space_of(text) } else { 0 };
        let (lead, words) = text.split_at_checked(space)?;
        let may_call = segment.leading && !segment.is_reasoning && self.program.bare_calls;
        if (may_call && words.starts_with(['{', '[']))
            || self.segment_watch().has_first(text.as_bytes())
        {
            return None;
        }
        let markup = match (words, lead) {
            ("", _) => lead.len(),
            (_, "") => 0,
            _ => common_start(lead, self.opening_space()),
        };
        let said = text.get(markup..)?;
        Some(if segment.is_reasoning { Plain::Reasoning(said) } else { Plain::Content(said) })
    }
}
