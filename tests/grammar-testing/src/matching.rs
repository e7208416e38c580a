//! Matches texts with a grammar like llama.cpp: it tracks all possible stacks, character by
//! character.

use std::collections::{HashMap, HashSet};

use crate::gbnf::{Gbnf, Symbol};

/// A position in a grammar: the rule, its alternative, and the next symbol.
type GrammarPosition = (usize, usize, usize);

/// Stacks that share their tails. The empty stack is 0.
#[derive(Default)]
struct Stacks {
    known: HashMap<(GrammarPosition, usize), usize>,
    all: Vec<(GrammarPosition, usize)>,
}

impl Stacks {
    fn push(&mut self, position: GrammarPosition, below: usize) -> usize {
        *self.known.entry((position, below)).or_insert_with(|| {
            self.all.push((position, below));
            self.all.len()
        })
    }

    fn top(&self, stack: usize) -> Option<(GrammarPosition, usize)> {
        Some(self.all[stack.checked_sub(1)?])
    }
}

impl Gbnf {
    /// Whether the grammar matches the complete text.
    pub fn admits(&self, text: &str) -> bool {
        self.read(text).is_some_and(|stacks| stacks.contains(&0))
    }

    /// Whether the text is a prefix of a text that the grammar matches.
    pub fn admits_prefix(&self, text: &str) -> bool {
        self.read(text).is_some()
    }

    fn read(&self, text: &str) -> Option<HashSet<usize>> {
        let mut stacks = Stacks::default();
        let mut now = HashSet::new();
        let mut seen = HashSet::new();
        self.enter(self.root, 0, &mut stacks, &mut now, &mut seen);
        for character in text.chars() {
            let mut next = HashSet::new();
            let mut seen = HashSet::new();
            for stack in now {
                let Some((position, below)) = stacks.top(stack) else { continue };
                if self.symbol(position).is_some_and(|symbol| symbol.admits(character)) {
                    let (rule, alternative, at) = position;
                    let after = (rule, alternative, at + 1);
                    self.advance(after, below, &mut stacks, &mut next, &mut seen);
                }
            }
            if next.is_empty() {
                return None;
            }
            now = next;
        }
        Some(now)
    }

    fn symbol(&self, (rule, alternative, at): GrammarPosition) -> Option<&Symbol> {
        self.rules[rule][alternative].get(at)
    }

    /// Finds the stacks for a rule above another stack.
    fn enter(
        &self,
        rule: usize,
        below: usize,
        stacks: &mut Stacks,
        found: &mut HashSet<usize>,
        seen: &mut HashSet<(GrammarPosition, usize)>,
    ) {
        for alternative in 0..self.rules[rule].len() {
            self.advance((rule, alternative, 0), below, stacks, found, seen);
        }
    }

    /// Finds the stacks in which a character is next, from a position on.
    fn advance(
        &self,
        position: GrammarPosition,
        below: usize,
        stacks: &mut Stacks,
        found: &mut HashSet<usize>,
        seen: &mut HashSet<(GrammarPosition, usize)>,
    ) {
        if !seen.insert((position, below)) {
            return;
        }
        let (rule, alternative, at) = position;
        match self.symbol(position) {
            None => match stacks.top(below) {
                None => {
                    found.insert(0);
                }
                Some((next, under)) => self.advance(next, under, stacks, found, seen),
            },
            Some(Symbol::Class { .. }) => {
                found.insert(stacks.push(position, below));
            }
            Some(&Symbol::Rule(inner)) => {
                let after = (rule, alternative, at + 1);
                // A finished rule is removed from the stack, so that repetitions do not accumulate.
                let below = match self.symbol(after) {
                    None => below,
                    Some(_) => stacks.push(after, below),
                };
                self.enter(inner, below, stacks, found, seen);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(grammar: &str, text: &str) -> bool {
        Gbnf::parse(grammar).unwrap().admits(text)
    }

    #[test]
    fn a_repetition_applies_to_the_item_before_it() {
        let grammar = "root ::= \"ab\"{2} [^x-z\\n]+ (\"c\" | )? # and a comment\n";
        assert!(admits(grammar, "ababqc"));
        assert!(!admits(grammar, "abbq"));
        assert!(!admits(grammar, "ababx"));
    }

    #[test]
    fn all_alternatives_of_an_ambiguous_text_are_followed() {
        let grammar = "root ::= a a \"b\"\na ::= \"a\"* | \"ab\"\n";
        for text in ["b", "aab", "abab", "aaabb"] {
            assert!(admits(grammar, text), "{text}");
        }
        assert!(!admits(grammar, "aa"));
    }
}
