//! The texts of whole messages in a stream. Some servers send one in each chunk, or in the last one: it says again what
//! came, and more.

use std::ops::Range;

use prompty_reply::Reply;

/// What was told of texts, as far as the message that is read did not say it again yet: the bytes of each text.
#[derive(Debug, Clone)]
pub(super) struct Repeated {
    pub(super) content: Range<usize>,
    pub(super) reasoning: Range<usize>,
    pub(super) refusal: Range<usize>,
}

impl Repeated {
    pub(super) fn new(told: &Reply) -> Self {
        Self {
            content: 0..told.content().len(),
            reasoning: 0..told.reasoning().len(),
            refusal: 0..told.refusal().unwrap_or_default().len(),
        }
    }
}

/// What of a text is new, behind what was told of it. Where deltas told it, a text that says something else is the same
/// in other words.
pub(super) fn rest<'t>(
    told: &str,
    left: &mut Range<usize>,
    text: &'t str,
    has_deltas: bool,
) -> &'t str {
    if let Some(again) = told.get(left.clone()) {
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
