//! Texts that are all searched for at once, with the automaton of the crate `aho-corasick`. It reads a text
//! once, byte by byte, however much the texts have in common.

use std::collections::HashSet;
use std::ops::Range;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::noncontiguous::NFA;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::work::add_steps;

/// A byte that no text in UTF-8 contains. It ends each text in the automaton, which lists for a state
/// all texts that end there: at every state of nearly equal texts, these lists would take a multiple of
/// the texts' memory. Where a text ends is noted in [`TextSet::prefixes`] instead.
const END: u8 = 0xFF;

/// A set of texts.
#[derive(Debug)]
pub(super) struct TextSet {
    automaton: NFA,
    start: State,
    /// What is known of each prefix of a text, by its state.
    prefixes: Vec<Prefix>,
}

/// The longest prefix of a text with which the bytes read so far end.
pub(super) type State = StateID;

#[derive(Debug, Clone, Copy)]
struct Prefix {
    /// The state of the longest shorter prefix that this prefix ends with.
    fallback: State,
    /// Whether longer texts begin with this prefix, or with one that it ends with.
    goes_on: bool,
    /// The length of the longest text that this prefix ends with.
    longest: usize,
}

impl TextSet {
    /// A set of texts. Empty texts are ignored.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if the texts are too large for an automaton.
    pub(super) fn new<T: AsRef<[u8]>>(texts: &[T]) -> Result<Self, Error> {
        let too_large = || Error::new(ErrorKind::Limit, "the chat template has too much markup");
        let with_end = texts.iter().map(|text| [text.as_ref(), &[END]].concat());
        let automaton = NFA::builder()
            .prefilter(false)
            .dense_depth(2)
            .build(with_end)
            .map_err(|_| too_large())?;
        let start = automaton.start_state(Anchored::No).map_err(|_| too_large())?;
        let mut set = Self { automaton, start, prefixes: Vec::new() };
        set.read_prefixes(texts.iter().map(AsRef::as_ref).collect());
        Ok(set)
    }

    /// Notes what is known of each prefix: first of those of one byte, then of those of two bytes, and
    /// so on, since a prefix takes over what is known of its fallback.
    fn read_prefixes(&mut self, texts: Vec<&[u8]>) {
        // Each text, with the states of its prefix and of that prefix's fallback.
        let mut open: Vec<(&[u8], State, State)> =
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
                let is_whole = text.len() == length + 1;
                let longest = if is_whole { text.len() } else { 0 };
                self.set_prefix(
                    *state,
                    Prefix {
                        fallback: *fallback,
                        goes_on: known.goes_on || !is_whole || shorter.goes_on,
                        longest: longest.max(known.longest).max(shorter.longest),
                    },
                );
            }
            length += 1;
        }
    }

    fn prefix(&self, state: State) -> Prefix {
        let nothing = Prefix { fallback: self.start, goes_on: false, longest: 0 };
        self.prefixes.get(state.as_usize()).copied().unwrap_or(nothing)
    }

    fn set_prefix(&mut self, state: State, prefix: Prefix) {
        let nothing = Prefix { fallback: self.start, goes_on: false, longest: 0 };
        if self.prefixes.len() <= state.as_usize() {
            self.prefixes.resize(state.as_usize() + 1, nothing);
        }
        if let Some(slot) = self.prefixes.get_mut(state.as_usize()) {
            *slot = prefix;
        }
    }

    /// The state before anything was read.
    pub(super) fn start(&self) -> State {
        self.start
    }

    /// The state after one more byte.
    pub(super) fn step(&self, state: State, byte: u8) -> State {
        add_steps(1);
        self.automaton.next_state(Anchored::No, state, byte)
    }

    /// The state after some bytes.
    pub(super) fn read(&self, bytes: impl IntoIterator<Item = u8>) -> State {
        bytes.into_iter().fold(self.start, |state, byte| self.step(state, byte))
    }

    /// The length of the longest text that ends here; 0 if none does.
    pub(super) fn longest_end(&self, state: State) -> usize {
        self.prefix(state).longest
    }

    /// Whether what was read ends with the start of a longer text.
    pub(super) fn goes_on(&self, state: State) -> bool {
        self.prefix(state).goes_on
    }

    /// The given states, and the states of all prefixes that one of them ends with.
    pub(super) fn ends_of(&self, states: impl IntoIterator<Item = State>) -> HashSet<State> {
        let mut ends = HashSet::new();
        for mut state in states {
            while ends.insert(state) {
                state = self.prefix(state).fallback;
            }
        }
        ends
    }

    /// The longest text that begins at each place, for a set of texts backwards. The places are in order.
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
        fn what_a_simple_search_finds_is_found(
            texts in prop::collection::vec("[ab]{1,4}", 0..6), text in "[abc]{0,12}",
        ) {
            let set = TextSet::new(&texts).unwrap();
            let state = set.read(text.bytes());
            let ends = texts.iter().filter(|it| text.ends_with(&***it));
            prop_assert_eq!(set.longest_end(state), ends.map(String::len).max().unwrap_or(0));
            let goes_on = (0..text.len()).any(|at| {
                texts.iter().any(|it| it.len() > text.len() - at && it.starts_with(&text[at..]))
            });
            prop_assert_eq!(set.goes_on(state), goes_on);
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
