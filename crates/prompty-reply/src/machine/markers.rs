//! Sets of markers: which of them is at the start of a text, and which is first in it.
//!
//! If the text ends too early to decide, the answer is to wait for more text, unless the caller
//! says that this text is the last.

use crate::format::{Marker, Text};
use prompty_core::work::add_steps;
use std::str::Bytes;

/// The maximum length of a name, an id or a word in markup. Its text is held until its end, so it
/// must not grow forever.
pub(super) const LONGEST_NAME: usize = 512;

/// The maximum length of the white space that is read at once: for white space in a marker, after a
/// closing tag, or after a separator.
pub(super) const MOST_SPACE: usize = 64;

/// Texts with fewer bytes are searched byte by byte.
const SHORT: usize = 16;

/// The result of matching the start of a text with a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    /// The text starts with the marker, which has this length in bytes.
    Full(usize),
    /// The text ends inside the marker.
    Partial,
    /// The text does not start with the marker.
    No,
}

/// Matches the start of `text` with `marker`, the text of a marker. White space in the marker
/// matches any white space, or none. White space may also appear between two tags: `<a><b c>`
/// matches `<a>\n<bc>`.
pub(super) fn match_marker(marker: &str, text: &str) -> Match {
    let mut text = text.bytes();
    let length = text.len();
    let mut before = None;
    let mut rest = marker.as_bytes().iter();
    while let Some(wanted) = rest.next() {
        add_steps(1);
        if before.replace(*wanted) == Some(b'>') && *wanted == b'<' {
            skip_spaces(&mut text);
        }
        if wanted.is_ascii_whitespace() {
            skip_spaces(&mut text);
            while rest.as_slice().first().is_some_and(u8::is_ascii_whitespace) {
                rest.next();
            }
            if text.len() == 0 {
                return Match::Partial;
            }
            continue;
        }
        match text.next() {
            Some(byte) if byte == *wanted => {}
            Some(_) => return Match::No,
            None => return Match::Partial,
        }
    }
    Match::Full(length - text.len())
}

/// Skips white space up to the maximum length.
fn skip_spaces(text: &mut Bytes<'_>) {
    let spaces = text.clone().take(MOST_SPACE).take_while(u8::is_ascii_whitespace).count();
    add_steps(spaces);
    if let Some(last) = spaces.checked_sub(1) {
        text.nth(last);
    }
}

/// The number of bytes of white space at the end of `text` that are also at the end of `canonical`.
///
/// Characters are compared, not bytes: two white spaces of other scripts may differ in their last
/// byte alone.
pub(super) fn common_end_length(text: &str, canonical: &str) -> usize {
    common_length(text.chars().rev(), canonical.chars().rev())
}

/// Splits off the white space at the start of `text` that is also at the start of `canonical`.
pub(super) fn split_common_start<'text>(
    text: &'text str,
    canonical: &str,
) -> (&'text str, &'text str) {
    split(text, common_length(text.chars(), canonical.chars()))
}

/// Splits a text at an offset.
#[expect(clippy::string_slice, reason = "the callers found what is `at` bytes long in the text")]
fn split(text: &str, at: usize) -> (&str, &str) {
    (&text[..at], &text[at..])
}

/// The bytes of the characters that two texts begin with.
fn common_length(text: impl Iterator<Item = char>, canonical: impl Iterator<Item = char>) -> usize {
    let alike = text.zip(canonical).take_while(|(left, right)| left == right);
    let length = alike.map(|(character, _)| character.len_utf8()).sum();
    add_steps(length);
    length
}

/// Which marker of a set a text starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartMatch<'text, A> {
    /// This marker, and how the text writes it.
    Found(A, &'text str),
    /// The text may be the beginning of a marker; more text decides.
    Wait,
    /// No marker.
    Nothing,
}

/// Which marker of a set is the first in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search<'text, A> {
    /// This one.
    Found {
        /// The text before it.
        before: &'text str,
        /// The marker, with the preceding white space that belongs to it.
        marker: &'text str,
        /// The text after it.
        after: &'text str,
        /// The value that the set has for it.
        action: A,
    },
    /// This start of the text contains no marker. The rest may be the beginning of one. If the text
    /// is the last, this is all of it.
    NoMarker(&'text str),
}

/// The markers that can appear in one state of the machine.
#[derive(Debug, Clone)]
pub(super) struct MarkerSet<A> {
    entries: Vec<MarkerEntry<A>>,
    /// The bytes that the markers begin with.
    first_bytes: Vec<u8>,
    /// The length of the longest white space before one of them.
    longest_before: usize,
    /// The bytes of all white space before them.
    space_bytes: Vec<u8>,
}

#[derive(Debug, Clone)]
struct MarkerEntry<A> {
    text: Text,
    /// The second byte, if it is fixed. It excludes most texts with the same first byte.
    second: Option<u8>,
    before: Text,
    action: A,
    /// Whether its beginning counts as the complete marker at the end of the text.
    may_be_cut: bool,
}

/// Whether the first bytes of a text end, or may end, in the middle of a name: `<|call` in
/// `<|call_2|>`.
fn ends_inside_name(text: &str, length: usize, last: bool) -> bool {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let (marker, after) = split(text, length);
    let continues = after.as_bytes().first().map_or(!last, is_of_name);
    continues && marker.as_bytes().last().is_some_and(u8::is_ascii_alphanumeric)
}

impl<A: Copy> MarkerSet<A> {
    pub(super) fn new() -> Self {
        Self {
            entries: Vec::new(),
            first_bytes: Vec::new(),
            longest_before: 0,
            space_bytes: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The bytes that the markers begin with.
    pub(super) fn first_bytes(&self) -> &[u8] {
        &self.first_bytes
    }

    /// Adds a marker. Of two markers with the same text, the first one counts.
    pub(super) fn add(&mut self, marker: &Marker, action: A) {
        let first = marker.text.as_bytes().first().filter(|_| !marker.is_none());
        let Some(&first) = first else { return };
        if self.entries.iter().any(|entry| entry.text == marker.text) {
            return;
        }
        if !self.first_bytes.contains(&first) {
            self.first_bytes.push(first);
        }
        // A handwritten marker may have words in `before`. They are not part of the marker.
        let (_, space) = split(&marker.before, marker.before.trim_end().len());
        let before: Text = space.to_owned().into();
        self.longest_before = self.longest_before.max(before.len());
        self.space_bytes.extend(before.bytes());
        self.space_bytes.sort_unstable();
        self.space_bytes.dedup();
        let text = marker.text.clone();
        let second = text.as_bytes().get(1).copied();
        let second = second.filter(|it| !it.is_ascii_whitespace() && (first, *it) != (b'>', b'<'));
        self.entries.push(MarkerEntry { text, second, before, action, may_be_cut: false });
    }

    /// Adds a marker whose first tokens count as the complete marker at the end of the text.
    pub(super) fn add_truncatable(&mut self, marker: &Marker, action: A) {
        self.add(marker, action);
        for entry in self.entries.iter_mut().filter(|entry| entry.text == marker.text) {
            entry.may_be_cut = true;
        }
    }

    /// Returns the longest marker that the text starts with.
    pub(super) fn at_start<'text>(&self, text: &'text str, last: bool) -> StartMatch<'text, A> {
        match self.entry_at_start(text, last) {
            StartMatch::Found(entry, marker) => StartMatch::Found(entry.action, marker),
            StartMatch::Wait => StartMatch::Wait,
            StartMatch::Nothing => StartMatch::Nothing,
        }
    }

    fn entry_at_start<'text>(
        &self,
        text: &'text str,
        last: bool,
    ) -> StartMatch<'text, &MarkerEntry<A>> {
        // The longest marker, and the longest that does not end in the middle of a name. Of the
        // markers `call` and `call:x`, `call:xy` starts with `call`.
        let mut found = None;
        let mut best_outside_name = None;
        let is_longer = |best: Option<(_, usize)>, length| best.is_none_or(|(_, it)| length > it);
        let second = text.as_bytes().get(1);
        for entry in &self.entries {
            if let (Some(wanted), Some(byte)) = (&entry.second, second)
                && wanted != byte
            {
                continue;
            }
            match match_marker(&entry.text, text) {
                Match::Full(length) => {
                    if is_longer(found, length) {
                        found = Some((entry, length));
                    }
                    if is_longer(best_outside_name, length) && !ends_inside_name(text, length, last)
                    {
                        best_outside_name = Some((entry, length));
                    }
                }
                // A longer marker may still follow.
                Match::Partial if !last => return StartMatch::Wait,
                Match::Partial if entry.may_be_cut && text.trim_end().ends_with('>') => {
                    found = Some((entry, text.len()));
                    best_outside_name = found;
                }
                Match::Partial | Match::No => {}
            }
        }
        match (found, best_outside_name) {
            // The text after its last word decides whether the longer marker is meant.
            (Some((_, length)), Some((_, other))) if other < length && length == text.len() => {
                StartMatch::Wait
            }
            // A marker that ends inside a name counts only if there is no other.
            (_, Some((entry, length))) | (Some((entry, length)), None) => {
                StartMatch::Found(entry, split(text, length).0)
            }
            (None, None) => StartMatch::Nothing,
        }
    }

    /// Finds the first marker in a text.
    pub(super) fn search<'text>(&self, text: &'text str, last: bool) -> Search<'text, A> {
        let mut at = 0;
        // A marker starts with the first byte of a character, which is never inside another
        // character.
        while let Some(next) = text.as_bytes().get(at..).and_then(|it| self.next_first_byte(it)) {
            at += next;
            let (before, rest) = split(text, at);
            match self.entry_at_start(rest, last) {
                StartMatch::Found(entry, marker) => {
                    let start = at - common_end_length(before, &entry.before);
                    let (before, rest) = split(text, start);
                    let (marker, after) = split(rest, at - start + marker.len());
                    return Search::Found { before, marker, after, action: entry.action };
                }
                StartMatch::Wait => return Search::NoMarker(self.without_space(before)),
                StartMatch::Nothing => at += 1,
            }
        }
        Search::NoMarker(if last { text } else { self.without_space(text) })
    }

    /// Removes the white space at the end of a text that may belong to a marker.
    fn without_space<'text>(&self, text: &'text str) -> &'text str {
        let spaces = text.bytes().rev().take(self.longest_before);
        let start = text.len() - spaces.take_while(|it| self.space_bytes.contains(it)).count();
        // The last bytes of another character may be the same as those of a white space.
        let start = (start..text.len()).find(|at| text.is_char_boundary(*at));
        start.map_or(text, |start| split(text, start).0)
    }

    /// Whether a marker may begin anywhere in a text.
    pub(super) fn may_begin_in(&self, bytes: &[u8]) -> bool {
        add_steps(bytes.len() * self.first_bytes.len());
        self.first_bytes.iter().any(|first| memchr::memchr(*first, bytes).is_some())
    }

    /// The position of the next byte that a marker may begin with.
    fn next_first_byte(&self, bytes: &[u8]) -> Option<usize> {
        let next = self.position_of_first_byte(bytes);
        add_steps(next.unwrap_or(bytes.len()));
        next
    }

    fn position_of_first_byte(&self, bytes: &[u8]) -> Option<usize> {
        match *self.first_bytes {
            // Most chunks of a stream are so short that a call of memchr costs more.
            _ if bytes.len() < SHORT => {
                bytes.iter().position(|byte| self.first_bytes.contains(byte))
            }
            [] => None,
            [one] => memchr::memchr(one, bytes),
            [one, two] => memchr::memchr2(one, two, bytes),
            [one, two, three] => memchr::memchr3(one, two, three, bytes),
            _ => bytes.iter().position(|byte| self.first_bytes.contains(byte)),
        }
    }
}

/// Splits off the white space of any script at the start of a text.
pub(super) fn split_white_space(text: &str) -> (&str, &str) {
    let length = text.len() - text.trim_start().len();
    add_steps(length);
    split(text, length)
}

/// Splits off the ASCII white space at the start of a text.
pub(super) fn split_ascii_space(text: &str) -> (&str, &str) {
    let length = text.len() - text.trim_ascii_start().len();
    add_steps(length);
    split(text, length)
}
