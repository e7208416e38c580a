//! Texts that are all searched for at once. The automaton of Aho and Corasick reads a text once, byte by
//! byte, however much the texts have in common.

use std::collections::VecDeque;
use std::ops::Range;

use prompty_core::text::slice_list;
use prompty_core::work::add_steps;

/// A set of texts, as a tree of their starts. Each start also leads to the longest shorter one that it
/// ends with, where reading goes on if the next byte does not fit.
#[derive(Debug)]
pub(super) struct Automaton {
    /// Level by level: the starts of one byte, then those of two bytes, and so on.
    nodes: Vec<Node>,
    /// Where a first byte leads.
    firsts: Vec<State>,
}

/// The longest start of a text with which that what was read so far ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct State(usize);

#[derive(Debug, Default)]
struct Node {
    byte: u8,
    /// Whether longer texts begin with this start, or with one that it ends with.
    goes_on: bool,
    /// The length of the longest text that this start ends with.
    longest: usize,
    children: Range<usize>,
    fallback: State,
}

impl Default for Automaton {
    fn default() -> Self {
        Self::new(Vec::<&[u8]>::new())
    }
}

impl Automaton {
    /// Before anything was read.
    pub(super) const START: State = State(0);

    /// The automaton of some texts. Empty ones play no part.
    pub(super) fn new<T: AsRef<[u8]>>(mut texts: Vec<T>) -> Self {
        texts.sort_unstable_by(|a, b| a.as_ref().cmp(b.as_ref()));
        let mut automaton = Self { nodes: tree(&texts), firsts: vec![Self::START; 256] };
        automaton.find_firsts();
        automaton.find_fallbacks();
        automaton
    }

    fn find_firsts(&mut self) {
        let firsts = self.nodes.first().map_or(0..0, |root| root.children.clone());
        for index in firsts {
            let Some(node) = self.nodes.get(index) else { return };
            if let Some(first) = self.firsts.get_mut(usize::from(node.byte)) {
                *first = State(index);
            }
        }
    }

    /// Finds where each start leads if the next byte does not fit. Shorter starts come first.
    fn find_fallbacks(&mut self) {
        for parent in 0..self.nodes.len() {
            let Some(Node { children, fallback, .. }) = self.nodes.get(parent) else { return };
            let (children, fallback) = (children.clone(), *fallback);
            for index in children {
                let Some(byte) = self.nodes.get(index).map(|node| node.byte) else { return };
                let is_first = parent == Self::START.0;
                let shorter = if is_first { Self::START } else { self.step(fallback, byte) };
                let (goes_on, longest) = match self.node(shorter) {
                    Some(it) => (it.goes_on, it.longest),
                    None => (false, 0),
                };
                let Some(node) = self.nodes.get_mut(index) else { return };
                node.fallback = shorter;
                node.goes_on = !node.children.is_empty() || goes_on;
                node.longest = node.longest.max(longest);
            }
        }
    }

    fn node(&self, state: State) -> Option<&Node> {
        self.nodes.get(state.0)
    }

    /// The state after one more byte.
    pub(super) fn step(&self, state: State, byte: u8) -> State {
        let mut state = state;
        while state != Self::START {
            add_steps(1);
            let Some(node) = self.node(state) else { break };
            let children = slice_list(&self.nodes, node.children.clone());
            if let Ok(place) = children.binary_search_by_key(&byte, |child| child.byte) {
                return State(node.children.start + place);
            }
            state = node.fallback;
        }
        self.firsts.get(usize::from(byte)).copied().unwrap_or(Self::START)
    }

    /// The state after some bytes.
    pub(super) fn read(&self, bytes: impl IntoIterator<Item = u8>) -> State {
        bytes.into_iter().fold(Self::START, |state, byte| self.step(state, byte))
    }

    /// The length of the longest text that ends here; 0 if none does.
    pub(super) fn longest_end(&self, state: State) -> usize {
        self.node(state).map_or(0, |node| node.longest)
    }

    /// Whether what was read ends with the start of a longer text.
    pub(super) fn goes_on(&self, state: State) -> bool {
        self.node(state).is_some_and(|node| node.goes_on)
    }

    /// The bytes that texts begin with.
    pub(super) fn first_bytes(&self) -> impl Iterator<Item = u8> {
        self.children(Self::START).map(|node| node.byte)
    }

    /// The second bytes of texts.
    pub(super) fn second_bytes(&self) -> impl Iterator<Item = u8> {
        let firsts = self.nodes.first().map_or(0..0, |root| root.children.clone());
        firsts.flat_map(|first| self.children(State(first))).map(|node| node.byte)
    }

    fn children(&self, state: State) -> impl Iterator<Item = &Node> {
        let children = self.node(state).map_or(0..0, |node| node.children.clone());
        slice_list(&self.nodes, children).iter()
    }

    /// For each state, whether it is one of the given ones, or something that one of them ends with.
    pub(super) fn ends_of(&self, states: impl IntoIterator<Item = State>) -> EndStates {
        let mut is_end = vec![false; self.nodes.len()];
        for State(index) in states {
            if let Some(is_end) = is_end.get_mut(index) {
                *is_end = true;
            }
        }
        for (index, node) in self.nodes.iter().enumerate().rev() {
            let is_known = is_end.get(index).copied().unwrap_or(false);
            if let Some(shorter) = is_end.get_mut(node.fallback.0) {
                *shorter |= is_known;
            }
        }
        EndStates { is_end }
    }

    /// The longest text that begins at each place, for texts that the automaton has backwards. The
    /// places come in order.
    pub(super) fn places_backwards(
        &self,
        bytes: impl DoubleEndedIterator<Item = u8> + ExactSizeIterator,
    ) -> Vec<Range<usize>> {
        add_steps(bytes.len());
        let mut state = Self::START;
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

/// States in which something ends.
#[derive(Debug)]
pub(super) struct EndStates {
    is_end: Vec<bool>,
}

impl EndStates {
    pub(super) fn contains(&self, state: State) -> bool {
        self.is_end.get(state.0).copied().unwrap_or(false)
    }
}

/// The tree of the starts of texts, which are sorted. Nothing falls back yet.
fn tree<T: AsRef<[u8]>>(texts: &[T]) -> Vec<Node> {
    let byte = |text: &T, depth: usize| text.as_ref().get(depth).copied();
    let mut nodes = vec![Node::default()];
    // The texts that begin as a node says, and how long that start is; in the order of the nodes.
    let mut groups = VecDeque::from([(0..texts.len(), 0)]);
    let mut index = 0;
    while let Some((mut group, depth)) = groups.pop_front() {
        let first_child = nodes.len();
        let ended =
            slice_list(texts, group.clone()).partition_point(|it| byte(it, depth).is_none());
        group.start += ended;
        while let Some(next) = texts.get(group.start).filter(|_| !group.is_empty()) {
            let Some(next) = byte(next, depth) else { break };
            let others = slice_list(texts, group.clone());
            let same = others.partition_point(|it| byte(it, depth) == Some(next));
            nodes.push(Node { byte: next, ..Node::default() });
            groups.push_back((group.start..group.start + same, depth + 1));
            group.start += same;
        }
        let children = first_child..nodes.len();
        add_steps(children.len() + 1);
        if let Some(node) = nodes.get_mut(index) {
            node.children = children;
            node.longest = if ended > 0 { depth } else { 0 };
        }
        index += 1;
    }
    nodes
}

#[cfg(test)]
#[allow(clippy::string_slice, reason = "in a test, a panic is a failure")]
mod tests {
    use proptest::prelude::prop;
    use proptest::{prop_assert_eq, proptest};
    use work_counting::{assert_linear, count_work};

    use super::Automaton;

    #[test]
    fn nothing_is_found_without_texts() {
        let automaton = Automaton::default();
        assert_eq!(automaton.read(*b"text"), Automaton::START);
        assert!(automaton.places_backwards("text".bytes()).is_empty());
        assert_eq!(Automaton::new(vec![""]).longest_end(Automaton::START), 0);
    }

    #[test]
    fn texts_that_are_nearly_alike_are_searched_for_in_work_that_grows_with_the_text() {
        let alike: Vec<String> = (1..160).map(|length| "a".repeat(length) + "b").collect();
        let automaton = Automaton::new(alike);
        assert_linear("a search", 1_000, |size| {
            let text = ("a".repeat(159) + "c").repeat(size / 160);
            count_work(|| automaton.read(text.bytes())).1
        });
    }

    proptest! {
        #[test]
        fn what_a_simple_search_finds_is_found(
            texts in prop::collection::vec("[ab]{1,4}", 0..6), text in "[abc]{0,12}",
        ) {
            let automaton = Automaton::new(texts.clone());
            let state = automaton.read(text.bytes());
            let ends = texts.iter().filter(|it| text.ends_with(&***it));
            prop_assert_eq!(automaton.longest_end(state), ends.map(String::len).max().unwrap_or(0));
            let goes_on = (0..text.len()).any(|at| {
                texts.iter().any(|it| it.len() > text.len() - at && it.starts_with(&text[at..]))
            });
            prop_assert_eq!(automaton.goes_on(state), goes_on);
            let backwards = texts.iter().map(|it| it.bytes().rev().collect::<Vec<_>>());
            let backwards = Automaton::new(backwards.collect());
            let longest = (0..text.len()).filter_map(|at| {
                let here = texts.iter().filter(|it| text[at..].starts_with(&***it));
                here.map(|it| at..at + it.len()).max_by_key(std::ops::Range::len)
            });
            let longest: Vec<_> = longest.collect();
            prop_assert_eq!(backwards.places_backwards(text.bytes()), longest);
        }
    }
}
