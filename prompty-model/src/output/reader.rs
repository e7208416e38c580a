//! Finding the values in a reply: in prose, in fences, behind reasoning.

use prompty_core::text::slice;
use prompty_core::value::Value;

use super::growing::Growing;
use super::json::{Fate, Machine};
use super::repair::Repair;

/// A value that a reply holds.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Found {
    /// The value.
    pub value: Value,
    /// Where it stands in the reply, in bytes.
    pub range: std::ops::Range<usize>,
    /// What was mended.
    pub repairs: Vec<Repair>,
    /// Whether the reply ended inside of the value.
    pub truncated: bool,
}

/// Reads a reply.
#[derive(Debug)]
pub struct Reader;

impl Reader {
    /// The values of a whole reply, in their order.
    #[must_use]
    pub fn values(text: &str) -> Vec<Found> {
        let mut found = Vec::new();
        let mut at = skip_reasoning(text);
        let mut is_first = true;
        while let Some((start, in_prose)) = next_candidate(text, at, is_first) {
            is_first = false;
            let mut machine = Machine::new(start, in_prose);
            machine.read(text, true);
            let fate = machine.fate();
            if fate == Fate::Refused || !machine.is_certain() {
                at = start + slice(text, start..).chars().next().map_or(1, char::len_utf8);
                continue;
            }
            let mut growing = Growing::default();
            for event in machine.take_events() {
                growing.apply(event);
            }
            at = machine.at().max(start + 1);
            let Some(value) = growing.finish() else { continue };
            found.push(Found {
                value,
                range: start..machine.at(),
                repairs: machine.repairs().to_vec(),
                truncated: fate == Fate::Truncated,
            });
        }
        found
    }
}

/// Skips the reasoning that a reply begins with.
fn skip_reasoning(text: &str) -> usize {
    for tag in ["think", "thinking", "reasoning"] {
        let begin = text.trim_start();
        let Some(inside) = begin.strip_prefix('<').and_then(|it| it.strip_prefix(tag)) else { continue };
        let Some(inside) = inside.strip_prefix('>') else { continue };
        let end = format!("</{tag}>");
        return match inside.find(&end) {
            Some(found) => text.len() - inside.len() + found + end.len(),
            None => text.len(),
        };
    }
    0
}

/// Where the next value may begin, and whether prose stands in front of it.
fn next_candidate(text: &str, at: usize, is_first: bool) -> Option<(usize, bool)> {
    let rest = slice(text, at..);
    let start = rest.find(['{', '[', '\u{ff5b}', '\u{ff3b}'])?;
    let front = slice(rest, ..start);
    let is_leading = is_first && is_no_prose(front);
    Some((at + start, !is_leading))
}

/// Whether a text in front of a value is no prose: blanks, a fence with its language, a call.
fn is_no_prose(front: &str) -> bool {
    let front = front.trim_matches(|it: char| it.is_whitespace() || it == '\u{feff}');
    if front.is_empty() {
        return true;
    }
    if let Some(language) = front.strip_prefix("```") {
        return language.chars().all(char::is_alphanumeric);
    }
    front
        .strip_suffix('(')
        .is_some_and(|name| name.trim_end().chars().all(|it| it.is_alphanumeric() || it == '_'))
}

/// The value of a reply whose type is not known: the first object or list of the reply, or all of it.
#[must_use]
pub fn any_value(text: &str) -> Option<Found> {
    if text.trim_start().starts_with('"')
        && let Some(found) = scalar(text)
    {
        return Some(found);
    }
    let found = Reader::values(text);
    if let Some(first) = found.into_iter().next() {
        return Some(first);
    }
    scalar(text)
}

/// A reply that is one text, number or word.
fn scalar(text: &str) -> Option<Found> {
    let start = text.len() - text.trim_start_matches(|it: char| it.is_whitespace() || it == '\u{feff}').len();
    let mut machine = Machine::new(start, false);
    machine.read(text, true);
    let behind = slice(text, machine.at()..);
    let is_end = |it: char| it.is_whitespace() || matches!(it, ',' | ';');
    if !behind.trim_matches(is_end).is_empty() {
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
        truncated: machine.fate() == Fate::Truncated,
    })
}
