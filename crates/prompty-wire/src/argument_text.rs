//! The text of arguments: whether it is a JSON object, and whether two texts are the same one.

use prompty_core::value::MAX_DEPTH;
use prompty_core::work::add_steps;
use serde::de::IgnoredAny;

use super::fields::compact;
use super::value_budget::bounded_value;

/// Whether a text is a JSON object that is not nested too deeply.
pub(super) fn is_object(text: &str) -> bool {
    add_steps(text.len());
    let json = text.trim_start();
    let is_object = json.starts_with('{') && serde_json::from_str::<IgnoredAny>(json).is_ok();
    let opening = |byte: &u8| matches!(byte, b'{' | b'[');
    // Short objects, and those with few brackets, need no check of their depth.
    is_object
        && (json.len() <= MAX_DEPTH
            || json.bytes().filter(|byte| opening(byte)).count() <= MAX_DEPTH
            || {
                let mut scan = ObjectScan::default();
                scan.is_closed(json);
                scan.deepest <= MAX_DEPTH
            })
}

/// Whether a text without white space and another text are the same JSON object. This reads no more
/// than a multiple of the other text.
pub(super) fn is_same_object(compact_one: &str, other: &str) -> bool {
    let compact_other = compact(other);
    add_steps(compact_other.len());
    // The longest form of a character is its escape: six bytes for one.
    let is_similar = compact_one.len() <= compact_other.len().saturating_mul(6)
        && compact_other.len() <= compact_one.len().saturating_mul(6);
    compact_one == compact_other
        || (is_similar && {
            let one = bounded_value(compact_one);
            one.is_some() && one == bounded_value(&compact_other)
        })
}

/// Looks for the end of a JSON object in growing text. Each byte is read once: after `{"a":1`, the
/// next text `{"a":1}` is read from its `}` on, and the object is closed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ObjectScan {
    /// The byte up to which the text was read.
    at: usize,
    /// The number of open brackets.
    depth: usize,
    /// The maximum number of open brackets so far.
    deepest: usize,
    in_text: bool,
    is_escaped: bool,
    has_begun: bool,
}

impl ObjectScan {
    /// Whether all opened brackets are closed. This does not check that the text is JSON.
    pub(super) fn is_closed(&mut self, text: &str) -> bool {
        add_steps(text.len().saturating_sub(self.at));
        for byte in text.bytes().skip(self.at) {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = self.in_text,
                b'"' => self.in_text = !self.in_text,
                b'{' | b'[' if !self.in_text => {
                    self.depth += 1;
                    self.deepest = self.deepest.max(self.depth);
                    self.has_begun = true;
                }
                b'}' | b']' if !self.in_text => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.at = text.len();
        self.has_begun && self.depth == 0 && !self.in_text
    }
}
