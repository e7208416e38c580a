//! Free text up to a delimiter: an Aho-Corasick automaton over the prefixes of the delimiters.
//!
//! For the delimiters `ab` and `bc`, the tree of prefixes has these nodes: the empty prefix, `a`,
//! `ab`, `b` and `bc`. The nodes without a complete delimiter are the states of the automaton:
//!
//! | state | `a` leads to | `b` leads to | `c` leads to | other characters | the text may end |
//! |---|---|---|---|---|---|
//! | empty | `a` | `b` | empty | empty | yes |
//! | `a` | `a` | nowhere: `ab` | empty | empty | no: before `bc`, it would form `ab` |
//! | `b` | `a` | `b` | nowhere: `bc` | empty | yes |
//!
//! So `a` is a forbidden end. The written forms express the states as rules (`lower`), or
//! exclude the delimiters and the forbidden ends by a regular expression (`lark`).

use std::collections::{BTreeMap, VecDeque};

use super::{CharacterClass, Expression};

/// An automaton that reads texts without a delimiter.
#[derive(Debug)]
pub(super) struct DelimiterAutomaton {
    /// The states. A text begins in the first one.
    pub(super) states: Vec<AutomatonState>,
    /// The ends that a text must not have, in addition to the delimiters that it must not contain.
    pub(super) forbidden_ends: Vec<String>,
}

/// A state of the automaton: the longest end of the text that is a prefix of a delimiter.
#[derive(Debug)]
pub(super) struct AutomatonState {
    /// Whether the text may end here. It may if no delimiter after the text completes one that
    /// begins earlier.
    pub(super) may_end: bool,
    /// The characters that lead to other states. A character that leads nowhere would complete a
    /// delimiter.
    pub(super) steps: BTreeMap<usize, CharacterClass>,
}

/// A node of the tree of all prefixes of some texts, such as the delimiters. A node refers to
/// others by their indices in the list of all nodes. The first node is the empty prefix, and
/// children follow their parents.
#[derive(Default)]
pub(super) struct TrieNode {
    /// The length of the prefix in characters.
    pub(super) depth: usize,
    pub(super) children: BTreeMap<char, usize>,
    /// Whether it is one of the texts.
    pub(super) ends_text: bool,
    /// The target of each character, except for those that lead to the first node.
    transitions: BTreeMap<char, usize>,
    /// The node of its longest proper suffix that is a prefix of a delimiter, too: `b` for `ab`.
    fallback: usize,
    /// The length in characters of the longest delimiter that it ends with; 0 if there is none.
    delimiter_length: usize,
    /// Whether it contains a delimiter.
    contains_delimiter: bool,
    parent: usize,
    /// The last character of the prefix.
    character: char,
}

impl DelimiterAutomaton {
    /// Creates the automaton of the delimiters.
    pub(super) fn new(delimiters: &[String]) -> Self {
        let nodes = linked_tree(delimiters);
        // Only prefixes that contain no complete delimiter are states. The number of each is the
        // number of states before it.
        let mut state_numbers = vec![None; nodes.len()];
        let mut count = 0;
        for (number, node) in state_numbers.iter_mut().zip(&nodes) {
            if !node.contains_delimiter {
                *number = Some(count);
                count += 1;
            }
        }
        let (mut states, mut forbidden_ends) = (Vec::with_capacity(count), Vec::new());
        for (at, node) in nodes.iter().enumerate().filter(|(_, node)| !node.contains_delimiter) {
            let may_end = may_end_at(&nodes, at, delimiters);
            if !may_end {
                forbidden_ends.push(prefix_of_node(&nodes, at));
            }
            states.push(AutomatonState { may_end, steps: steps_from(node, &state_numbers) });
        }
        Self { states, forbidden_ends }
    }
}

/// The characters that lead from a node to each state.
fn steps_from(node: &TrieNode, state_numbers: &[Option<usize>]) -> BTreeMap<usize, CharacterClass> {
    let mut by_target: BTreeMap<usize, Vec<(char, char)>> = BTreeMap::new();
    for (&character, &target) in &node.transitions {
        if let Some(Some(state)) = state_numbers.get(target) {
            by_target.entry(*state).or_default().push((character, character));
        }
    }
    let mut steps: BTreeMap<usize, CharacterClass> = by_target
        .into_iter()
        .map(|(target, ranges)| (target, ranges.into_iter().collect()))
        .collect();
    let transitions: CharacterClass =
        node.transitions.keys().map(|&character| (character, character)).collect();
    steps.insert(0, transitions.negated());
    steps
}

impl AutomatonState {
    /// The texts that may follow this state. `at` gives the expression of each state.
    pub(super) fn expression(&self, at: impl Fn(usize) -> Expression) -> Expression {
        let steps = self.steps.iter().filter(|(_, class)| !class.is_empty());
        let steps =
            steps.map(|(&target, class)| Expression::sequence([class.clone().into(), at(target)]));
        Expression::choice(steps.chain(self.may_end.then_some(Expression::EMPTY)))
    }
}

/// The maximum number of steps of building an automaton: each state reads each delimiter.
pub(super) fn building_steps(delimiters: &[String]) -> usize {
    let length: usize = delimiters.iter().map(String::len).sum();
    length.saturating_mul(length)
}

/// The tree of all prefixes of the delimiters, with its fallbacks and transitions.
fn linked_tree(delimiters: &[String]) -> Vec<TrieNode> {
    let delimiters = delimiters.iter().filter(|delimiter| !delimiter.is_empty());
    let mut nodes = prefix_tree(delimiters.map(String::as_str));
    for node in nodes.iter_mut().filter(|node| node.ends_text) {
        node.delimiter_length = node.depth;
    }
    // Breadth first: a fallback is shorter than the nodes that fall back to it, so it is complete.
    let mut waiting = VecDeque::from([0]);
    while let Some(at) = waiting.pop_front() {
        let Some(node) = nodes.get(at) else { continue };
        let (fallback, contains_delimiter) = (node.fallback, node.contains_delimiter);
        let children = node.children.clone();
        if !contains_delimiter {
            // A character without a child leads where it leads from the fallback.
            let fallback = nodes.get(fallback).filter(|_| at > 0);
            let mut transitions =
                fallback.map_or_else(BTreeMap::new, |node| node.transitions.clone());
            transitions.extend(&children);
            if let Some(node) = nodes.get_mut(at) {
                node.transitions = transitions;
            }
        }
        for (character, child) in children {
            let target = if at == 0 { 0 } else { next_node(&nodes, fallback, character) };
            let length = nodes.get(target).map_or(0, |node| node.delimiter_length);
            if let Some(child) = nodes.get_mut(child) {
                child.fallback = target;
                child.delimiter_length = child.delimiter_length.max(length);
                child.contains_delimiter = contains_delimiter || child.delimiter_length > 0;
            }
            waiting.push_back(child);
        }
    }
    nodes
}

/// The tree of all prefixes of the texts.
pub(super) fn prefix_tree<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<TrieNode> {
    let mut nodes = vec![TrieNode::default()];
    for text in texts {
        let mut at = 0;
        for (depth, character) in (1..).zip(text.chars()) {
            let (new, parent) = (nodes.len(), at);
            let Some(node) = nodes.get_mut(at) else { break };
            at = *node.children.entry(character).or_insert(new);
            if at == new {
                nodes.push(TrieNode { depth, parent, character, ..TrieNode::default() });
            }
        }
        if let Some(node) = nodes.get_mut(at) {
            node.ends_text = true;
        }
    }
    nodes
}

/// The prefix that a node represents.
fn prefix_of_node(nodes: &[TrieNode], mut at: usize) -> String {
    let mut reversed = Vec::new();
    while let Some(node) = nodes.get(at).filter(|node| node.depth > 0) {
        reversed.push(node.character);
        at = node.parent;
    }
    reversed.into_iter().rev().collect()
}

/// The node of the longest prefix that the text ends with after one more character.
fn next_node(nodes: &[TrieNode], mut at: usize, character: char) -> usize {
    while let Some(node) = nodes.get(at) {
        match node.children.get(&character) {
            Some(&child) => return child,
            None if at == 0 => return 0,
            None => at = node.fallback,
        }
    }
    0
}

/// Whether each delimiter after a text that ends in this node is the first delimiter there.
fn may_end_at(nodes: &[TrieNode], node: usize, delimiters: &[String]) -> bool {
    node == 0
        || delimiters.iter().filter(|delimiter| !delimiter.is_empty()).all(|delimiter| {
            let mut at = node;
            for (length, character) in (1..).zip(delimiter.chars()) {
                at = next_node(nodes, at, character);
                let Some(node) = nodes.get(at) else { return true };
                // Another delimiter began in the text and has ended.
                if node.delimiter_length > length {
                    return false;
                }
                // No delimiter that began in the text is still possible.
                if node.depth <= length {
                    return true;
                }
            }
            // A longer delimiter that began in the text is still possible.
            false
        })
}
