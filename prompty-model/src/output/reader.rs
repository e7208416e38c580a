//! Finding the values in a reply: in prose, in fences, behind reasoning.

use std::ops::Range;

use prompty_core::text::slice;
use prompty_core::value::Value;

use super::growing::Growing;
use super::json::{Fate, Machine};
use super::repair::Repair;

/// A value that a reply holds.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) value: Value,
    /// Where it stands in the reply, in bytes.
    pub(super) range: Range<usize>,
    pub(super) repairs: Vec<Repair>,
    /// Whether the reply ended inside of the value.
    pub(super) truncated: bool,
    /// Whether nothing stands in front of it but a fence or a call.
    pub(super) is_leading: bool,
}

/// The objects and lists of a whole reply, in their order.
pub(super) fn values(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let begin = skip_reasoning(text);
    let mut at = begin;
    while let Some(start) = next_bracket(text, at) {
        let is_leading = found.is_empty() && is_no_prose(slice(text, begin..start));
        let in_prose = !is_leading && !is_behind_fence(slice(text, begin..start));
        let read = read(text, start, in_prose);
        match read.map(|it| Found { is_leading, ..it }) {
            Some(value) => {
                at = value.range.end.max(start + 1);
                found.push(value);
            }
            None => at = start + slice(text, start..).chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}

/// Reads the value at `start`.
fn read(text: &str, start: usize, in_prose: bool) -> Option<Found> {
    let mut machine = Machine::new(start, in_prose);
    machine.read(text, true);
    let fate = machine.fate();
    if fate == Fate::Refused || !machine.is_certain() {
        return None;
    }
    let mut growing = Growing::default();
    for event in machine.take_events() {
        growing.apply(event);
    }
    Some(Found {
        value: growing.finish()?,
        range: start..machine.at(),
        repairs: machine.repairs().to_vec(),
        truncated: fate == Fate::Truncated,
        is_leading: true,
    })
}

/// A reply that is one text, number or word, and nothing else.
pub(super) fn scalar(text: &str) -> Option<Found> {
    let begin = skip_reasoning(text);
    let inside = without_fence(slice(text, begin..));
    let start = inside.as_ptr().addr() - text.as_ptr().addr();
    let text = slice(text, ..start + inside.len());
    let found = read(text, start, false)?;
    let is_end = |it: char| it.is_whitespace() || matches!(it, ',' | ';');
    slice(text, found.range.end..).trim_matches(is_end).is_empty().then_some(found)
}

/// The one object or list that is a whole text.
pub(super) fn in_text(text: &str) -> Option<Value> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let found = read(text, 0, false)?;
    (!found.truncated && found.range.end == text.len()).then_some(found.value)
}

/// A reply as a text: without its reasoning, and without the fence that is all around it.
pub(super) fn plain_text(text: &str) -> &str {
    without_fence(slice(text, skip_reasoning(text)..))
}

fn without_fence(text: &str) -> &str {
    let text = text.trim_matches(|it: char| it.is_whitespace() || it == '\u{feff}');
    let Some(inside) = text.strip_prefix("```").and_then(|it| it.strip_suffix("```")) else {
        return text;
    };
    let Some((language, body)) = inside.split_once('\n') else { return inside.trim() };
    if body.contains("```") || !language.trim().chars().all(char::is_alphanumeric) {
        return text;
    }
    body.trim()
}

/// Behind the reasoning that a reply begins with.
fn skip_reasoning(text: &str) -> usize {
    for tag in ["think", "thinking", "reasoning"] {
        let open = text.trim_start().strip_prefix('<').and_then(|it| it.strip_prefix(tag));
        let Some(inside) = open.and_then(|it| it.strip_prefix('>')) else { continue };
        let end = format!("</{tag}>");
        return match inside.find(&end) {
            Some(found) => text.len() - inside.len() + found + end.len(),
            None => text.len(),
        };
    }
    0
}

fn next_bracket(text: &str, at: usize) -> Option<usize> {
    Some(at + slice(text, at..).find(['{', '[', '\u{ff5b}', '\u{ff3b}'])?)
}

/// Whether the last line in front of a value opens a fence.
fn is_behind_fence(front: &str) -> bool {
    let front = front.trim_end();
    let line = slice(front, front.rfind('\n').map_or(0, |at| at + 1)..).trim();
    line.strip_prefix("```").is_some_and(|it| it.chars().all(char::is_alphanumeric))
}

/// Whether a text in front of a value is no prose: blanks, a comment, a fence with its language, a call.
fn is_no_prose(front: &str) -> bool {
    let is_blank = |it: char| it.is_whitespace() || it == '\u{feff}';
    let mut front = front.trim_matches(is_blank);
    while let Some(comment) = front.strip_prefix("/*") {
        let Some((_, rest)) = comment.split_once("*/") else { return false };
        front = rest.trim_matches(is_blank);
    }
    if front.is_empty() {
        return true;
    }
    if let Some(language) = front.strip_prefix("```") {
        return language.chars().all(char::is_alphanumeric);
    }
    let name = front.strip_suffix('(').map(str::trim_end);
    name.is_some_and(|it| !it.contains(|it: char| !it.is_alphanumeric() && it != '_'))
}
