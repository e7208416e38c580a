//! Looking for markers: in a text that goes on, and at the place where one stands.

use crate::reply::format::{Marker, Text};
use prompty_core::text::{slice, slice_list};

/// The longest name, id or word in markup.
pub(super) const LONGEST_NAME: usize = 512;

/// White space that is looked through inside a marker.
const FAR: usize = 64;

/// A text in which single bytes are looked for one by one.
const SHORT: usize = 16;

/// What a marker is to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    /// It stands at the text's start, and is so long.
    Full(usize),
    /// The text ends inside it.
    Partial,
    /// It does not stand there.
    No,
}

/// Whether `text` begins with a mark. White space inside the mark stands for any, or none.
pub(super) fn match_mark(mark: &str, text: &str) -> Match {
    let (mark, text) = (mark.as_bytes(), text.as_bytes());
    let mut at = 0;
    let mut rest = mark.iter();
    while let Some(wanted) = rest.next() {
        if wanted.is_ascii_whitespace() {
            let spaces = slice_list(text, at..);
            let spaces = spaces.iter().take(FAR).take_while(|byte| byte.is_ascii_whitespace());
            at += spaces.count();
            while rest.as_slice().first().is_some_and(u8::is_ascii_whitespace) {
                rest.next();
            }
            if at >= text.len() {
                return Match::Partial;
            }
            continue;
        }
        match text.get(at) {
            Some(byte) if byte == wanted => at += 1,
            Some(_) => return Match::No,
            None => return Match::Partial,
        }
    }
    Match::Full(at)
}

/// How many bytes of white space at the end of `text` are also at the end of `canonical`.
///
/// Compared by characters: those of other scripts' white space can differ in their last byte alone.
pub(super) fn common_end(text: &str, canonical: &str) -> usize {
    common(text.chars().rev(), canonical.chars().rev())
}

/// How many bytes of white space at the start of `text` are also at the start of `canonical`.
pub(super) fn common_start(text: &str, canonical: &str) -> usize {
    common(text.chars(), canonical.chars())
}

fn common(text: impl Iterator<Item = char>, canonical: impl Iterator<Item = char>) -> usize {
    let alike = text.zip(canonical).take_while(|(left, right)| left == right);
    alike.map(|(character, _)| character.len_utf8()).sum()
}

/// What a set of markers is to a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtStart<A> {
    /// A marker stands there and is so long.
    Found(A, usize),
    /// One may stand there; more text will tell.
    Wait,
    /// None stands there.
    Nothing,
}

/// What a set of markers is to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search<A> {
    /// A marker was found.
    Found {
        /// Where it begins: in front of the white space that belongs to it.
        start: usize,
        /// Where it ends.
        end: usize,
        /// What it means.
        action: A,
    },
    /// So much of the text holds no marker; what follows may be the beginning of one.
    Sure(usize),
}

/// A set of markers that is watched for at one time.
#[derive(Debug, Clone)]
pub(super) struct MarkerSet<A> {
    entries: Vec<Entry<A>>,
    first: Vec<u8>,
    /// The longest white space in front of a marker.
    longest_before: usize,
    /// What it consists of, of all markers.
    spaces: Vec<u8>,
}

#[derive(Debug, Clone)]
struct Entry<A> {
    mark: Text,
    before: Text,
    action: A,
    /// Whether the marker's own start stands for it at the text's end.
    may_be_cut: bool,
}

/// Whether a name goes on, or may go on, behind so many bytes of a text.
fn cuts_name(text: &str, length: usize, last: bool) -> bool {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let (mark, behind) = text.as_bytes().split_at_checked(length).unwrap_or_default();
    let goes_on = behind.first().map_or(!last, is_of_name);
    goes_on && mark.last().is_some_and(u8::is_ascii_alphanumeric)
}

impl<A: Copy> MarkerSet<A> {
    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), first: Vec::new(), longest_before: 0, spaces: Vec::new() }
    }

    /// Watches for one more marker. Of markers that are alike the first one counts.
    pub(super) fn add(&mut self, marker: &Marker, action: A) {
        let first = marker.text.as_bytes().first().filter(|_| !marker.is_none());
        let Some(&first) = first else { return };
        if self.entries.iter().any(|entry| entry.mark == marker.text) {
            return;
        }
        if !self.first.contains(&first) {
            self.first.push(first);
        }
        // A marker that was made by hand may have words there, which are text.
        let words = marker.before.trim_end().len();
        let before: Text = slice(&marker.before, words..).to_owned().into();
        self.longest_before = self.longest_before.max(before.len());
        self.spaces.extend(before.bytes());
        self.spaces.sort_unstable();
        self.spaces.dedup();
        let mark = marker.text.clone();
        self.entries.push(Entry { mark, before, action, may_be_cut: false });
    }

    /// Watches for one more marker, whose first tokens stand for it at the text's end.
    pub(super) fn add_last(&mut self, marker: &Marker, action: A) {
        self.add(marker, action);
        for entry in self.entries.iter_mut().filter(|entry| entry.mark == marker.text) {
            entry.may_be_cut = true;
        }
    }

    /// Which marker stands at the text's start, the longest of them.
    pub(super) fn at_start(&self, text: &str, last: bool) -> AtStart<A> {
        match self.entry_at_start(text, last) {
            AtStart::Found(entry, length) => AtStart::Found(entry.action, length),
            AtStart::Wait => AtStart::Wait,
            AtStart::Nothing => AtStart::Nothing,
        }
    }

    fn entry_at_start(&self, text: &str, last: bool) -> AtStart<&Entry<A>> {
        let mut found = None;
        // The longest of those that end where no name goes on.
        let mut clean = None;
        let is_longer = |best: Option<(_, usize)>, length| best.is_none_or(|(_, it)| length > it);
        for entry in &self.entries {
            match match_mark(&entry.mark, text) {
                Match::Full(length) => {
                    if is_longer(found, length) {
                        found = Some((entry, length));
                    }
                    if is_longer(clean, length) && !cuts_name(text, length, last) {
                        clean = Some((entry, length));
                    }
                }
                // A longer marker that may still come decides later.
                Match::Partial if !last => return AtStart::Wait,
                Match::Partial if entry.may_be_cut && text.trim_end().ends_with('>') => {
                    found = Some((entry, text.len()));
                    clean = found;
                }
                Match::Partial | Match::No => {}
            }
        }
        match (found, clean) {
            // Whether the longer one is meant is seen by what follows its last word.
            (Some((_, length)), Some((_, other))) if other < length && length == text.len() => {
                AtStart::Wait
            }
            (_, Some((entry, length))) | (Some((entry, length)), None) => {
                AtStart::Found(entry, length)
            }
            (None, None) => AtStart::Nothing,
        }
    }

    /// The first marker in a text.
    pub(super) fn search(&self, text: &str, last: bool) -> Search<A> {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(next) = self.next_first(slice_list(bytes, at..)) {
            at += next;
            let rest = slice(text, at..);
            match self.entry_at_start(rest, last) {
                AtStart::Found(entry, length) => {
                    let in_front = slice(text, ..at);
                    let start = at - common_end(in_front, &entry.before);
                    return Search::Found { start, end: at + length, action: entry.action };
                }
                AtStart::Wait => return Search::Sure(self.without_spaces(text, at)),
                AtStart::Nothing => at += 1,
            }
        }
        Search::Sure(if last { text.len() } else { self.without_spaces(text, text.len()) })
    }

    /// The place in front of the white space, in front of `end`, that a marker may claim.
    fn without_spaces(&self, text: &str, end: usize) -> usize {
        let bytes = slice_list(text.as_bytes(), ..end);
        let spaces = bytes.iter().rev().take(self.longest_before);
        let start = end - spaces.take_while(|byte| self.spaces.contains(byte)).count();
        // Not inside of a character, whose last bytes a white space may have, too.
        (start..end).find(|at| text.is_char_boundary(*at)).unwrap_or(end)
    }

    /// Whether a marker may begin anywhere in a text.
    pub(super) fn has_first(&self, bytes: &[u8]) -> bool {
        self.first.iter().any(|first| memchr::memchr(*first, bytes).is_some())
    }

    /// Where one of the first bytes of the markers stands next.
    fn next_first(&self, bytes: &[u8]) -> Option<usize> {
        match *self.first {
            // What streams bring is mostly shorter than memchr's way to its work.
            _ if bytes.len() < SHORT => bytes.iter().position(|byte| self.first.contains(byte)),
            [] => None,
            [one] => memchr::memchr(one, bytes),
            [one, two] => memchr::memchr2(one, two, bytes),
            [one, two, three] => memchr::memchr3(one, two, three, bytes),
            _ => bytes.iter().position(|byte| self.first.contains(byte)),
        }
    }
}

/// Where a marker stands behind a name, an id or a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkerPlace {
    /// There, and it is so long.
    At(usize, usize),
    /// More text will tell.
    Wait,
    /// Nowhere near.
    Missing,
}

/// Where a marker stands in a text, no farther than names are long. The marker that is none stands in
/// front of the first white space.
pub(super) fn find_marker(marker: &Marker, text: &str, last: bool) -> MarkerPlace {
    let missing =
        if last || text.len() > LONGEST_NAME { MarkerPlace::Missing } else { MarkerPlace::Wait };
    let Some(first) = marker.text.chars().next() else {
        let mut near = text.bytes().take(LONGEST_NAME + 1);
        let space = near.position(|byte| byte.is_ascii_whitespace());
        return space.map_or(missing, |at| MarkerPlace::At(at, 0));
    };
    for (at, _) in text.match_indices(first).take_while(|(at, _)| *at <= LONGEST_NAME) {
        match match_mark(&marker.text, slice(text, at..)) {
            Match::Full(length) => return MarkerPlace::At(at, length),
            Match::Partial if !last => return MarkerPlace::Wait,
            Match::Partial | Match::No => {}
        }
    }
    missing
}
