//! The words of a terminal, as an automaton over its characters, for asking where a longest word
//! could go on.
//!
//! Counts are not kept: what stands there at least twice counts as any number of times. That only
//! makes more words, and a terminal that is harmless with these is harmless without.

use std::collections::{HashSet, VecDeque};

use crate::reply::grammar::CharacterClass;
use crate::reply::grammar::expression::{Expression, Grammar};
use crate::reply::grammar::until::Automaton;

/// How many characters a terminal may be made of.
const MOST_PLACES: usize = 4000;

/// How many parts are looked at for a terminal, counting rules that are spoken of again and again.
const MOST_PARTS: usize = 40_000;

/// How deep parts may stand in parts, counting the rules in between.
const DEEPEST: usize = 100;

/// How many pairs of places are looked at for two terminals.
const MOST_PAIRS: usize = 200_000;

/// An automaton: places that each read one character, and where each can be followed by which.
#[derive(Debug, Default)]
pub(super) struct Words {
    classes: Vec<CharacterClass>,
    follow: Vec<Vec<usize>>,
    first: Vec<usize>,
    last: HashSet<usize>,
    pub(super) has_empty: bool,
    parts: usize,
}

/// What a part of a terminal begins and ends with.
struct Ends {
    first: Vec<usize>,
    last: Vec<usize>,
    has_empty: bool,
}

/// How the words of two terminals meet.
#[derive(Debug, Clone)]
pub(super) struct Meeting {
    /// What the second can go on with behind a word of the first.
    pub(super) goes_on: CharacterClass,
    /// Whether they have a word in common.
    pub(super) common: bool,
}

impl Words {
    /// The words of a terminal; nothing where it is too large.
    pub(super) fn of(grammar: &Grammar, expression: &Expression) -> Option<Self> {
        let mut words = Self::default();
        let ends = words.add(grammar, expression, 0)?;
        words.first = ends.first;
        words.last = ends.last.into_iter().collect();
        words.has_empty = ends.has_empty;
        Some(words)
    }

    /// What words begin with.
    pub(super) fn first(&self) -> CharacterClass {
        let ranges = |&at: &usize| self.classes.get(at).map_or(&[][..], CharacterClass::ranges);
        self.first.iter().flat_map(|at| ranges(at).iter().copied()).collect()
    }

    fn place(&mut self, class: &CharacterClass) -> Option<usize> {
        self.classes.push(class.clone());
        self.follow.push(Vec::new());
        (self.classes.len() <= MOST_PLACES).then_some(self.classes.len() - 1)
    }

    fn link(&mut self, last: &[usize], first: &[usize]) {
        for &at in last {
            if let Some(follow) = self.follow.get_mut(at) {
                follow.extend(first);
                follow.sort_unstable();
                follow.dedup();
            }
        }
    }

    fn add(&mut self, grammar: &Grammar, expression: &Expression, depth: usize) -> Option<Ends> {
        self.parts += 1;
        if self.parts > MOST_PARTS || depth > DEEPEST {
            return None;
        }
        match expression {
            Expression::Text(text) => {
                let mut ends = Ends { first: Vec::new(), last: Vec::new(), has_empty: true };
                for character in text.chars() {
                    let at = self.place(&CharacterClass::range(character, character))?;
                    self.link(&ends.last.clone(), &[at]);
                    if ends.has_empty {
                        ends.first.push(at);
                    }
                    ends = Ends { first: ends.first, last: vec![at], has_empty: false };
                }
                Some(ends)
            }
            Expression::Class(class) => {
                let at = self.place(class)?;
                Some(Ends { first: vec![at], last: vec![at], has_empty: false })
            }
            Expression::Rule(id) => self.add(grammar, grammar.rule(*id)?.expression(), depth + 1),
            Expression::Sequence(parts) => {
                let mut ends = Ends { first: Vec::new(), last: Vec::new(), has_empty: true };
                for part in parts {
                    let next = self.add(grammar, part, depth + 1)?;
                    self.link(&ends.last, &next.first);
                    if ends.has_empty {
                        ends.first.extend(&next.first);
                    }
                    match next.has_empty {
                        true => ends.last.extend(next.last),
                        false => ends.last = next.last,
                    }
                    ends.has_empty &= next.has_empty;
                }
                Some(ends)
            }
            Expression::Choice(parts) => {
                let mut ends = Ends { first: Vec::new(), last: Vec::new(), has_empty: false };
                for part in parts {
                    let next = self.add(grammar, part, depth + 1)?;
                    ends.first.extend(next.first);
                    ends.last.extend(next.last);
                    ends.has_empty |= next.has_empty;
                }
                Some(ends)
            }
            Expression::Repeat { of, at_least, at_most } => {
                let mut ends = self.add(grammar, of, depth + 1)?;
                if at_most.is_none_or(|at_most| at_most > 1) {
                    self.link(&ends.last, &ends.first);
                }
                ends.has_empty |= *at_least == 0;
                Some(ends)
            }
            Expression::Until(delimiters) => self.until(delimiters),
        }
    }

    fn until(&mut self, delimiters: &[String]) -> Option<Ends> {
        let automaton = Automaton::of(delimiters);
        // A place for each step; where it leads to says what follows.
        let mut out: Vec<Vec<usize>> = Vec::with_capacity(automaton.states.len());
        let mut targets = Vec::new();
        for state in &automaton.states {
            let mut places = Vec::new();
            for (&target, class) in state.steps.iter().filter(|(_, class)| !class.is_empty()) {
                let at = self.place(class)?;
                places.push(at);
                targets.push((at, target));
            }
            out.push(places);
        }
        let mut last = Vec::new();
        for (at, target) in targets {
            let next = out.get(target)?.clone();
            self.link(&[at], &next);
            if automaton.states.get(target)?.may_end {
                last.push(at);
            }
        }
        let has_empty = automaton.states.first()?.may_end;
        Some(Ends { first: out.first()?.clone(), last, has_empty })
    }

    /// How the words of this one meet those of another; nothing where that takes too long.
    pub(super) fn meet(&self, other: &Self) -> Option<Meeting> {
        let mut meeting = Meeting { goes_on: CharacterClass::none(), common: false };
        let mut seen = HashSet::new();
        let mut waiting = VecDeque::new();
        let mut visit = |one: &[usize], two: &[usize], waiting: &mut VecDeque<(usize, usize)>| {
            for &one in one {
                for &two in two {
                    let (Some(class), Some(with)) = (self.classes.get(one), other.classes.get(two))
                    else {
                        continue;
                    };
                    if class.meets(with) && seen.insert((one, two)) {
                        waiting.push_back((one, two));
                    }
                }
            }
            seen.len() <= MOST_PAIRS
        };
        if !visit(&self.first, &other.first, &mut waiting) {
            return None;
        }
        while let Some((one, two)) = waiting.pop_front() {
            let (one_follow, two_follow) = (self.follow.get(one)?, other.follow.get(two)?);
            if self.last.contains(&one) {
                meeting.common |= other.last.contains(&two);
                for &next in two_follow {
                    meeting.goes_on = meeting.goes_on.or(other.classes.get(next)?);
                }
            }
            if !visit(one_follow, two_follow, &mut waiting) {
                return None;
            }
        }
        Some(meeting)
    }
}
