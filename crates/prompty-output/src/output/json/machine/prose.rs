//! Decides whether a bracket after prose begins a value or is part of the prose.
//!
//! A value after prose must soon look like one: with a key and its colon, a string in quotes, a
//! number or another literal, or its closing bracket. Until then it may be prose, and no event of
//! it is reported.
//!
//! A number is a weak sign, because prose has numbers in brackets that nothing closes. So a list is
//! also rejected later, if prose follows its items:
//!
//! | text | rejected at | reason |
//! |---|---|---|
//! | `[the manual]: {"a": 1}` | `]` | the first item is text without quotes |
//! | `[0, 10). Answer: {"a": 1}` | `)` | the word `10` continues with a bracket |
//! | `[1, 2 are good: {"a": 1}` | the blank after `are` | the word `are` follows no comma |
//! | `[1, two. Answer: {"a": 1}` | the blank after `two.` | the word ends a sentence |
//!
//! The text after the bracket of a rejected value is read again. Limits bound this work. They depend
//! only on the text before the place, so that a stream decides as for the complete text.

use super::super::lookahead::is_blank;
use super::super::open_string::{OpenString, ValueRole};
use super::super::word;
use super::{ContainerKind, JsonMachine, MachineStatus, OpenWord};
use crate::output::repair::RepairKind;

/// The maximum length of a key of an object in prose, in bytes. A longer one is prose in quotes.
pub(super) const MAX_KEY_IN_PROSE: usize = 100;

/// How far a possible value in prose is read, in bytes, before it must look like a value. The first
/// key of an object does not count: see [`JsonMachine::extend_first_key`]. If the value is rejected,
/// the text after its bracket is read again.
const MAX_UNCERTAIN: usize = 400;

/// The same limit after too many bytes of the reply were read again.
const MAX_UNCERTAIN_AFTER_OTHERS: usize = 14;

/// How often a reply may be read again on average, before the lower limit holds.
pub(super) const MAX_READINGS: usize = 1;

impl JsonMachine {
    /// Sets how many bytes earlier machines have read again.
    pub(in crate::output) const fn with_bytes_read_again(mut self, bytes: usize) -> Self {
        self.bytes_read_again = bytes;
        self
    }

    /// How many bytes of the reply were read again, by this machine and its predecessors. If it is
    /// rejected, its successor reads its text again.
    pub(in crate::output) fn bytes_read_again(&self) -> usize {
        let read = self.at - self.start;
        self.bytes_read_again
            + match self.status {
                MachineStatus::Open => 0,
                // A comment may be read further in one piece than in several.
                _ if self.may_be_prose => read.min(MAX_UNCERTAIN),
                MachineStatus::Rejected => read,
                _ => 0,
            }
    }

    /// How far a value is read that may still be prose: see [`MAX_UNCERTAIN`].
    const fn max_uncertain(&self) -> usize {
        let allowed = (self.start + MAX_UNCERTAIN).saturating_mul(MAX_READINGS);
        if self.bytes_read_again > allowed { MAX_UNCERTAIN_AFTER_OTHERS } else { MAX_UNCERTAIN }
    }

    /// The beginning of the rest of the text, up to the place at which a value that may still be
    /// prose is rejected.
    pub(super) fn before_limit<'t>(&self, rest: &'t str) -> &'t str {
        if !self.may_be_prose {
            return rest;
        }
        let end = self.start + self.first_key_length + self.max_uncertain() + 1;
        let limit = end.saturating_sub(self.at);
        rest.split_at_checked(rest.ceil_char_boundary(limit)).map_or(rest, |(near, _)| near)
    }

    /// Whether the text still does not look like a value after the limit.
    pub(super) const fn is_too_uncertain(&self) -> bool {
        let end = self.start + self.first_key_length + self.max_uncertain();
        self.may_be_prose && self.at > end
    }

    /// Adds a character to the first key of an object that may be prose.
    ///
    /// Only a brace and a quote begin such a key, and no such key has an opening brace. So the first
    /// keys of two objects do not overlap, and their text is read again at most once.
    pub(super) fn extend_first_key(&mut self, open: &OpenString, character: char) {
        if !self.may_be_prose || open.role != ValueRole::Key || self.stack.len() > 1 {
            return;
        }
        self.first_key_length += character.len_utf8();
        let is_end = matches!(character, '{' | '}' | '\u{ff5b}' | '\n');
        if is_end || self.first_key_length > MAX_KEY_IN_PROSE {
            self.status = MachineStatus::Rejected;
        }
    }

    /// Rejects text that still does not look like a value after a limit.
    pub(super) const fn reject_if_uncertain(&mut self) {
        if self.is_too_uncertain() {
            self.status = MachineStatus::Rejected;
        }
    }

    /// Rejects text in brackets that only prose can have.
    pub(super) const fn reject_in_prose(&mut self) {
        if self.may_be_prose {
            self.status = MachineStatus::Rejected;
        }
    }

    /// Whether the value can still be rejected, although it looks like one. The first values may be
    /// long. After too many bytes were read again, only short ones are rejected.
    const fn can_give_up(&self) -> bool {
        let read = self.at - self.start;
        let is_near = read <= MAX_UNCERTAIN_AFTER_OTHERS;
        self.may_be_prose || self.in_prose && (is_near || self.max_uncertain() == MAX_UNCERTAIN)
    }

    /// Whether the value is a list after prose, and the machine is in no object of it.
    fn is_in_list_after_prose(&self) -> bool {
        self.can_give_up() && !self.is_inside(ContainerKind::Object)
    }

    /// Rejects a list of numbers and words with a character that a list cannot have.
    pub(super) fn reject_list_in_prose(&mut self) {
        if self.may_be_prose || !self.has_quotes && self.is_in_list_after_prose() {
            self.status = MachineStatus::Rejected;
        }
    }

    /// Whether no comma precedes the item at a byte.
    fn follows_no_comma(&self, start: usize) -> bool {
        let is_missing = |kind| kind == RepairKind::MissingComma;
        self.repairs.last().is_some_and(|it| {
            is_missing(it.kind()) && it.range().is_some_and(|range| range.start == start)
        })
    }

    /// Whether an open word shows that its bracket is part of prose, because the word continues
    /// with a character.
    pub(super) fn is_word_of_prose(&self, open: &OpenWord, next: char) -> bool {
        let is_bracket = matches!(next, '(' | ')' | '{' | '}' | '[' | ']');
        // `[1. 2. 3.]` has numbers.
        let ends_sentence = is_blank(next)
            && open.text.ends_with(['.', '!', '?', ':'])
            && !word::is_scalar(&open.text);
        match open.role {
            ValueRole::Key if self.may_be_prose => {
                matches!(next, '{' | '}' | ')' | '|' | ';') || ends_sentence
            }
            // `{x: f of x, so {"a": 1}`
            ValueRole::Key | ValueRole::Entry => {
                next == '{' && !self.has_quotes && self.stack.len() == 1 && self.can_give_up()
            }
            ValueRole::Item if is_bracket || ends_sentence => {
                !self.has_quotes && self.is_in_list_after_prose()
            }
            ValueRole::Item => is_blank(next) && self.is_stray_word(open),
            ValueRole::Root => false,
        }
    }

    /// Whether an open word is text in a list after prose, and no comma precedes it.
    pub(super) fn is_stray_word(&self, open: &OpenWord) -> bool {
        open.role == ValueRole::Item
            && self.follows_no_comma(open.start)
            && self.is_in_list_after_prose()
            && !word::is_scalar(&open.text)
    }
}
