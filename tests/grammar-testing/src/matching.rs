//! Matches texts with a grammar like llama.cpp: it tracks all possible stacks, character by
//! character.

use std::collections::{HashMap, HashSet};

use crate::gbnf::{Gbnf, Symbol};

/// A position in a grammar: the rule, its alternative, and the next symbol.
type Place = (usize, usize, usize);

/// Stacks that share their tails. The empty stack is 0.
#[derive(Default)]
struct Stacks {
    known: HashMap<(Place, usize), usize>,
    all: Vec<(Place, usize)>,
}

impl Stacks {
    fn pushed(&mut self, place: Place, below: usize) -> usize {
        *self.known.entry((place, below)).or_insert_with(|| {
            self.all.push((place, below));
            self.all.len()
        })
    }

    fn top(&self, stack: usize) -> Option<(Place, usize)> {
        Some(self.all[stack.checked_sub(1)?])
    }
}

impl Gbnf {
    /// Whether the grammar matches the whole text.
    pub fn admits(&self, text: &str) -> bool {
        self.read(text).is_some_and(|stacks| stacks.contains(&0))
    }

    /// Whether the text is a prefix of a text that the grammar matches.
    pub fn admits_beginning(&self, text: &str) -> bool {
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
                let Some((place, below)) = stacks.top(stack) else { continue };
                if self.symbol(place).is_some_and(|symbol| symbol.admits(character)) {
                    let (rule, alternative, at) = place;
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

    fn symbol(&self, (rule, alternative, at): Place) -> Option<&Symbol> {
        self.rules[rule][alternative].get(at)
    }

    /// Finds the stacks for a rule above another stack.
    fn enter(
        &self,
        rule: usize,
        below: usize,
        stacks: &mut Stacks,
        found: &mut HashSet<usize>,
        seen: &mut HashSet<(Place, usize)>,
    ) {
        for alternative in 0..self.rules[rule].len() {
            self.advance((rule, alternative, 0), below, stacks, found, seen);
        }
    }

    /// Finds the stacks in which a character is next, from a position on.
    fn advance(
        &self,
        place: Place,
        below: usize,
        stacks: &mut Stacks,
        found: &mut HashSet<usize>,
        seen: &mut HashSet<(Place, usize)>,
    ) {
        if !seen.insert((place, below)) {
            return;
        }
        let (rule, alternative, at) = place;
        match self.symbol(place) {
            None => match stacks.top(below) {
                None => {
                    found.insert(0);
                }
                Some((next, under)) => self.advance(next, under, stacks, found, seen),
            },
            Some(Symbol::Class { .. }) => {
                found.insert(stacks.pushed(place, below));
            }
            Some(&Symbol::Rule(inner)) => {
                let after = (rule, alternative, at + 1);
                // A finished rule is removed from the stack, so that repetitions do not accumulate.
                let below = match self.symbol(after) {
                    None => below,
                    Some(_) => stacks.pushed(after, below),
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
    fn repetitions_are_of_the_item_in_front() {
        let grammar = "root ::= \"ab\"{2} [^x-z\\n]+ (\"c\" | )? # and a comment\n";
        assert!(admits(grammar, "ababqc"));
        assert!(!admits(grammar, "abbq"));
        assert!(!admits(grammar, "ababx"));
    }

    #[test]
    fn ambiguity_is_followed_in_all_ways() {
        let grammar = "root ::= a a \"b\"\na ::= \"a\"* | \"ab\"\n";
        for text in ["b", "aab", "abab", "aaabb"] {
            assert!(admits(grammar, text), "{text}");
        }
        assert!(!admits(grammar, "aa"));
    }
}
