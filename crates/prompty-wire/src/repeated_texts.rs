//! The texts of complete messages in a stream. Some servers send a message in each chunk, or in the
//! last one. It repeats the text so far and adds to it.

use std::ops::Range;

use prompty_core::work::add_steps;
use prompty_reply::Reply;

/// The byte ranges of the reported texts that the current message has not repeated yet.
#[derive(Debug, Clone)]
pub(super) struct RepeatedTexts {
    pub(super) content: Range<usize>,
    pub(super) reasoning: Range<usize>,
    pub(super) refusal: Range<usize>,
}

impl RepeatedTexts {
    pub(super) fn new(reply: &Reply) -> Self {
        Self {
            content: 0..reply.content().len(),
            reasoning: 0..reply.reasoning().len(),
            refusal: 0..reply.refusal().unwrap_or_default().len(),
        }
    }
}

/// The new part of `text`: the part after the repeated text. If the reported text came from deltas,
/// a text that differs from it is the same text in other words, and nothing of it is new.
///
/// Example: `Hello` is reported, and `left` is its range. Of `Hello you`, ` you` is new. A message
/// may also repeat the text in several parts: of `Hel`, nothing is new, and `lo` is left.
pub(super) fn new_part<'t>(
    reported: &str,
    left: &mut Range<usize>,
    text: &'t str,
    has_deltas: bool,
) -> &'t str {
    // Both comparisons read no more than the text.
    add_steps(text.len());
    if let Some(again) = reported.get(left.clone()) {
        if let Some(rest) = text.strip_prefix(again) {
            left.start = left.end;
            return rest;
        }
        if again.starts_with(text) {
            left.start += text.len();
            return "";
        }
    }
    if has_deltas { "" } else { text }
}
