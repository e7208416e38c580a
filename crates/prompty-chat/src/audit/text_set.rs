//! A set of strings that are all searched for at once, with the automaton of the crate
//! `aho-corasick`. It reads a text once, byte by byte, even if many strings have a common part.

use std::collections::HashSet;
use std::ops::Range;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::noncontiguous::NFA;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::work::add_steps;

/// A byte that no UTF-8 text contains. It ends each string in the automaton.
///
/// An automaton lists for each state all strings that end there. For many similar strings these
/// lists would take a multiple of the strings' memory. With this byte, all lists are short, because
/// no string ends within another one. The byte is never read; [`TextSet::prefixes`] has the ends of
/// the strings without it, and needs less memory.
const END: u8 = 0xFF;

/// A set of strings.
#[derive(Debug)]
pub(super) struct TextSet {
    automaton: NFA,
    start: TextState,
    /// Facts about each prefix of a string, by its state.
    prefixes: Vec<PrefixFacts>,
}

/// The longest prefix of a string that the bytes read so far end with.
pub(super) type TextState = StateID;

#[derive(Debug, Clone, Copy)]
struct PrefixFacts {
    /// The state of the longest shorter prefix that this prefix ends with.
    fallback: TextState,
    /// Whether longer strings begin with this prefix, or with one that it ends with.
    may_continue: bool,
    /// The length of the longest string that this prefix ends with.
    longest: usize,
}

impl TextSet {
    /// Creates a set of strings. Empty strings are ignored.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`ErrorKind::Limit`] if the strings are too large for an automaton.
    pub(super) fn new<T: AsRef<[u8]>>(texts: &[T]) -> Result<Self, Error> {
        let too_large = || {
            let message = "the chat template and its special tokens have too much markup";
            let help = "use the template and the tokens of the model that answers, or set \
                        `ControlTokens::Ignore` if the data is trusted";
            Error::new(ErrorKind::Limit, message).with_help(help)
        };
        let with_end = texts.iter().map(|text| [text.as_ref(), &[END]].concat());
        let automaton = NFA::builder()
            .prefilter(false)
            .dense_depth(2)
            .build(with_end)
            .map_err(|_| too_large())?;
        let start = automaton.start_state(Anchored::No).map_err(|_| too_large())?;
        let mut set = Self { automaton, start, prefixes: Vec::new() };
        set.compute_prefixes(texts.iter().map(AsRef::as_ref).collect());
        Ok(set)
    }

    /// Computes the facts about each prefix: first for those of one byte, then for those of two
    /// bytes, and so on, because a prefix inherits the facts of its fallback.
    fn compute_prefixes(&mut self, texts: Vec<&[u8]>) {
        // Each string that has more bytes, with the states of its prefix and of that prefix's
        // fallback.
        let mut open: Vec<(&[u8], TextState, TextState)> =
            texts.into_iter().map(|text| (text, self.start, self.start)).collect();
        let mut length = 0;
        while !open.is_empty() {
            open.retain(|(text, ..)| text.len() > length);
            for (text, state, fallback) in &mut open {
                let Some(byte) = text.get(length).copied() else { continue };
                *fallback = if length == 0 { self.start } else { self.step(*fallback, byte) };
                *state = self.step(*state, byte);
                let shorter = self.prefix(*fallback);
                let known = self.prefix(*state);
                let is_complete = text.len() == length + 1;
                let longest = if is_complete { text.len() } else { 0 };
                self.set_prefix(
                    *state,
                    PrefixFacts {
                        fallback: *fallback,
                        may_continue: known.may_continue || !is_complete || shorter.may_continue,
                        longest: longest.max(known.longest).max(shorter.longest),
                    },
                );
            }
            length += 1;
        }
    }

    /// The facts of a state that is the prefix of no string.
    fn no_prefix(&self) -> PrefixFacts {
        PrefixFacts { fallback: self.start, may_continue: false, longest: 0 }
    }

    fn prefix(&self, state: TextState) -> PrefixFacts {
        self.prefixes.get(state.as_usize()).copied().unwrap_or_else(|| self.no_prefix())
    }

    fn set_prefix(&mut self, state: TextState, prefix: PrefixFacts) {
        if self.prefixes.len() <= state.as_usize() {
            self.prefixes.resize(state.as_usize() + 1, self.no_prefix());
        }
        if let Some(slot) = self.prefixes.get_mut(state.as_usize()) {
            *slot = prefix;
        }
    }

    /// The state before anything was read.
    pub(super) fn start(&self) -> TextState {
        self.start
    }

    /// The state after one more byte.
    pub(super) fn step(&self, state: TextState, byte: u8) -> TextState {
        add_steps(1);
        self.automaton.next_state(Anchored::No, state, byte)
    }

    /// The state after some bytes.
    pub(super) fn read(&self, bytes: impl IntoIterator<Item = u8>) -> TextState {
        bytes.into_iter().fold(self.start, |state, byte| self.step(state, byte))
    }

    /// The length of the longest string that ends in a state; 0 if none does.
    pub(super) fn longest_end(&self, state: TextState) -> usize {
        self.prefix(state).longest
    }

    /// Whether the bytes read so far end with the start of a longer string.
    pub(super) fn may_continue(&self, state: TextState) -> bool {
        self.prefix(state).may_continue
    }

    /// The given states, and the states of all prefixes that one of them ends with.
    pub(super) fn with_fallbacks(
        &self,
        states: impl IntoIterator<Item = TextState>,
    ) -> HashSet<TextState> {
        let mut ends = HashSet::new();
        for mut state in states {
            while ends.insert(state) {
                state = self.prefix(state).fallback;
            }
        }
        ends
    }

    /// The longest string that begins at each position, in order, for a set of reversed strings.
    /// The text is read from its end: a reversed string then ends where the string begins.
    pub(super) fn places_backwards(
        &self,
        bytes: impl DoubleEndedIterator<Item = u8> + ExactSizeIterator,
    ) -> Vec<Range<usize>> {
        let mut state = self.start;
        let mut places = Vec::new();
        for (at, byte) in bytes.enumerate().rev() {
            state = self.step(state, byte);
            match self.longest_end(state) {
                0 => {}
                length => places.push(at..at + length),
            }
        }
        places.reverse();
        places
    }
}

#[cfg(test)]
#[allow(clippy::string_slice, reason = "in a test, a panic is a failure")]
mod tests {
    use proptest::prelude::prop;
    use proptest::{prop_assert_eq, proptest};
    use work_counting::{assert_linear, count_work};

    use super::TextSet;

    #[test]
    fn nothing_is_found_without_texts() {
        for texts in [[].as_slice(), &[""]] {
            let set = TextSet::new(texts).unwrap();
            assert_eq!(set.read(*b"text"), set.start());
            assert!(set.places_backwards("text".bytes()).is_empty());
        }
    }

    #[test]
    fn texts_that_are_nearly_alike_are_searched_for_in_work_that_grows_with_the_text() {
        let alike: Vec<String> = (1..160).map(|length| "a".repeat(length) + "b").collect();
        let set = TextSet::new(&alike).unwrap();
        assert_linear("a search", 1_000, |size| {
            let text = ("a".repeat(159) + "c").repeat(size / 160);
            count_work(|| set.read(text.bytes())).1
        });
    }

    #[test]
    fn ends_that_many_texts_have_take_little_memory() {
        let long = || (0..1_000).map(|it| format!("{it:07}{}", "-".repeat(80)));
        let ends = || (1..80).map(|length| "-".repeat(length));
        let bytes = |texts: Vec<String>| count_work(|| TextSet::new(&texts).unwrap()).1.bytes;
        assert!(bytes(long().chain(ends()).collect()) < 2 * bytes(long().collect()));
    }

    proptest! {
        #[test]
        fn the_search_agrees_with_a_simple_search(
            texts in prop::collection::vec("[ab]{1,4}", 0..6), text in "[abc]{0,12}",
        ) {
            let set = TextSet::new(&texts).unwrap();
            let state = set.read(text.bytes());
            let ends = texts.iter().filter(|it| text.ends_with(&***it));
            prop_assert_eq!(set.longest_end(state), ends.map(String::len).max().unwrap_or(0));
            let may_continue = (0..text.len()).any(|at| {
                texts.iter().any(|it| it.len() > text.len() - at && it.starts_with(&text[at..]))
            });
            prop_assert_eq!(set.may_continue(state), may_continue);
            let backwards = texts.iter().map(|it| it.bytes().rev().collect::<Vec<_>>()).collect::<Vec<_>>();
            let backwards = TextSet::new(&backwards).unwrap();
            let longest = (0..text.len()).filter_map(|at| {
                let here = texts.iter().filter(|it| text[at..].starts_with(&***it));
                here.map(|it| at..at + it.len()).max_by_key(std::ops::Range::len)
            });
            let longest: Vec<_> = longest.collect();
            prop_assert_eq!(backwards.places_backwards(text.bytes()), longest);
        }
    }
}
