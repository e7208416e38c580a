//! Free text up to a delimiter: an automaton over the beginnings of the delimiters (Aho and Corasick).

use std::collections::{BTreeMap, VecDeque};

use super::{CharacterClass, Expression};

/// An automaton that reads texts in which no delimiter stands.
#[derive(Debug)]
pub(super) struct Automaton {
    /// The first is where a text begins.
    pub(super) states: Vec<State>,
    /// What a text must not end with, beside that it holds no delimiter.
    pub(super) wrong_ends: Vec<String>,
}

/// What was read of the delimiters: the longest end of the text that begins one.
#[derive(Debug)]
pub(super) struct State {
    /// Whether the text may end here: none of the delimiters, put behind it, makes one that begins
    /// earlier.
    pub(super) may_end: bool,
    /// The characters that lead to other states. All that lead to none would end a delimiter.
    pub(super) steps: BTreeMap<usize, CharacterClass>,
}

/// The beginnings of the delimiters as a tree.
#[derive(Default)]
struct Node {
    depth: usize,
    children: BTreeMap<char, usize>,
    /// Where each character leads, but for those that lead to the first node.
    away: BTreeMap<char, usize>,
    /// The longest of its ends that is a beginning, too.
    fallback: usize,
    /// The longest delimiter that it ends with.
    ends: usize,
    /// Whether it holds a delimiter.
    is_over: bool,
    parent: usize,
    character: char,
}

impl Automaton {
    /// The automaton of these delimiters.
    pub(super) fn new(delimiters: &[String]) -> Self {
        let nodes = nodes(delimiters);
        // Only the beginnings that hold no whole delimiter are states.
        let mut places = vec![None; nodes.len()];
        let mut count = 0;
        for (place, node) in places.iter_mut().zip(&nodes) {
            if !node.is_over {
                *place = Some(count);
                count += 1;
            }
        }
        let may_end: Vec<bool> = nodes
            .iter()
            .enumerate()
            .map(|(at, node)| node.is_over || may_end(&nodes, at, node.depth, delimiters))
            .collect();
        let not_over = || {
            let all = nodes.iter().zip(&may_end).enumerate();
            all.filter(|(_, (node, _))| !node.is_over)
        };
        let states = not_over().map(|(_, (node, &may_end))| {
            let mut by_target: BTreeMap<usize, Vec<(char, char)>> = BTreeMap::new();
            for (&character, &target) in &node.away {
                if let Some(Some(place)) = places.get(target) {
                    by_target.entry(*place).or_default().push((character, character));
                }
            }
            let class = |ranges: Vec<(char, char)>| ranges.into_iter().collect::<CharacterClass>();
            let mut steps: BTreeMap<usize, CharacterClass> =
                by_target.into_iter().map(|(target, ranges)| (target, class(ranges))).collect();
            let away: CharacterClass = node.away.keys().map(|&away| (away, away)).collect();
            steps.insert(0, away.negated());
            State { may_end, steps }
        });
        let wrong_ends = not_over().filter(|(_, (_, may_end))| !**may_end);
        let wrong_ends = wrong_ends.map(|(at, _)| text(&nodes, at)).collect();
        Self { states: states.collect(), wrong_ends }
    }
}

impl State {
    /// The texts that may follow, where it is known what follows each state.
    pub(super) fn expression(&self, at: impl Fn(usize) -> Expression) -> Expression {
        let steps = self.steps.iter().filter(|(_, class)| !class.is_empty());
        let steps =
            steps.map(|(&target, class)| Expression::sequence([class.clone().into(), at(target)]));
        Expression::choice(steps.chain(self.may_end.then_some(Expression::EMPTY)))
    }
}

/// The steps that an automaton takes at most: each state looks at each delimiter.
pub(super) fn steps(delimiters: &[String]) -> usize {
    let length: usize = delimiters.iter().map(String::len).sum();
    length.saturating_mul(length)
}

fn nodes(delimiters: &[String]) -> Vec<Node> {
    let mut nodes = vec![Node::default()];
    for delimiter in delimiters.iter().filter(|delimiter| !delimiter.is_empty()) {
        let mut at = 0;
        let mut depth = 0;
        for character in delimiter.chars() {
            depth += 1;
            let (new, parent) = (nodes.len(), at);
            let Some(node) = nodes.get_mut(at) else { break };
            at = *node.children.entry(character).or_insert(new);
            if at == new {
                nodes.push(Node { depth, parent, character, ..Node::default() });
            }
        }
        if let Some(node) = nodes.get_mut(at) {
            node.ends = depth;
        }
    }
    // Breadth first: a fallback is shorter than what falls back to it.
    let mut waiting = VecDeque::from([0]);
    while let Some(at) = waiting.pop_front() {
        let Some(node) = nodes.get(at) else { continue };
        let (fallback, is_over) = (node.fallback, node.is_over);
        let children = node.children.clone();
        if !is_over {
            let fallback = nodes.get(fallback).filter(|_| at > 0);
            let mut away = fallback.map_or_else(BTreeMap::new, |node| node.away.clone());
            away.extend(&children);
            if let Some(node) = nodes.get_mut(at) {
                node.away = away;
            }
        }
        for (character, child) in children {
            let target = if at == 0 { 0 } else { step(&nodes, fallback, character) };
            let ends = nodes.get(target).map_or(0, |node| node.ends);
            if let Some(child) = nodes.get_mut(child) {
                child.fallback = target;
                child.ends = child.ends.max(ends);
                child.is_over = is_over || child.ends > 0;
            }
            waiting.push_back(child);
        }
    }
    nodes
}

/// The beginning that a node stands for.
fn text(nodes: &[Node], mut at: usize) -> String {
    let mut reversed = Vec::new();
    while let Some(node) = nodes.get(at).filter(|node| node.depth > 0) {
        reversed.push(node.character);
        at = node.parent;
    }
    reversed.into_iter().rev().collect()
}

/// The longest beginning that the text ends with after one more character.
fn step(nodes: &[Node], mut at: usize, character: char) -> usize {
    while let Some(node) = nodes.get(at) {
        match node.children.get(&character) {
            Some(&child) => return child,
            None if at == 0 => return 0,
            None => at = node.fallback,
        }
    }
    0
}

/// Whether each delimiter, behind a text that ends in this node, is the first one there.
fn may_end(nodes: &[Node], at: usize, depth: usize, delimiters: &[String]) -> bool {
    depth == 0
        || delimiters.iter().filter(|delimiter| !delimiter.is_empty()).all(|delimiter| {
            let mut at = at;
            for (read, character) in delimiter.chars().enumerate() {
                at = step(nodes, at, character);
                let Some(node) = nodes.get(at) else { return true };
                if node.ends > read + 1 {
                    return false;
                }
                // What is still open begins within the delimiter.
                if node.depth <= read + 1 {
                    return true;
                }
            }
            // A longer delimiter that began in the text is still open.
            false
        })
}
