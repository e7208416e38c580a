//! Whether the longest terminal is always the right one: which terminals can be next at once, and
//! whether one could go on where another has to end.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::shape::{Shape, Shaped};
use super::words::{Meeting, Words};
use crate::reply::grammar::CharacterClass;

/// How many pairs of terminals are looked at.
const MOST_PAIRS: usize = 100_000;

/// How many links from one place to the next are followed.
const MOST_LINKS: usize = 400_000;

/// What was found.
pub(super) enum Lexing {
    /// The longest terminal is always the right one.
    Exact,
    /// These terminals can go on too long.
    TooLong(Vec<usize>),
    /// These terminals are too large to find out.
    TooLarge(Vec<usize>),
    /// That takes too long to find out.
    TooMuch,
}

/// Which terminals can go on where another has to end.
pub(super) fn too_long(shaped: &Shaped<'_>) -> Lexing {
    let mut words = Vec::with_capacity(shaped.units.len());
    let mut large = Vec::new();
    for (at, unit) in shaped.units.iter().enumerate() {
        match Words::of(shaped.grammar, unit) {
            Some(found) => words.push(found),
            None => large.push(at),
        }
    }
    if !large.is_empty() {
        return Lexing::TooLarge(large);
    }
    let Some(places) = Places::of(shaped, &words) else { return Lexing::TooMuch };
    places.check(&words).unwrap_or(Lexing::TooMuch)
}

/// Every place in the rules where a terminal stands.
struct Places {
    /// The terminal of each.
    units: Vec<usize>,
    /// The places that can come next.
    follow: Vec<BTreeSet<usize>>,
    first: BTreeSet<usize>,
}

/// What a rule, or a part of it, begins and ends with.
#[derive(Debug, Clone, Default, PartialEq)]
struct Ends {
    first: BTreeSet<usize>,
    last: BTreeSet<usize>,
    has_empty: bool,
}

struct Linker<'w> {
    words: &'w [Words],
    rules: Vec<Ends>,
    units: Vec<usize>,
    follow: Vec<BTreeSet<usize>>,
    links: usize,
}

impl Places {
    fn of(shaped: &Shaped<'_>, words: &[Words]) -> Option<Self> {
        let mut linker = Linker {
            words,
            rules: vec![Ends::default(); shaped.rules.len()],
            units: Vec::new(),
            follow: Vec::new(),
            links: 0,
        };
        // Until nothing changes: rules speak of each other.
        loop {
            let mut changed = false;
            let mut place = 0;
            for (at, (_, shape)) in shaped.rules.iter().enumerate() {
                let ends = linker.ends(shape, &mut place)?;
                let known = linker.rules.get_mut(at)?;
                if *known != ends {
                    *known = ends;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let first = linker.rules.first()?.first.clone();
        Some(Self { units: linker.units, follow: linker.follow, first })
    }

    /// Looks at all pairs of places that can be next at once.
    fn check(&self, words: &[Words]) -> Option<Lexing> {
        let first_of = |at: &usize| self.units.get(*at).and_then(|&unit| words.get(unit));
        let starts: Vec<CharacterClass> = self
            .follow
            .iter()
            .map(|follow| {
                let starts = follow.iter().filter_map(first_of).map(Words::first);
                starts.fold(CharacterClass::none(), |all, first| all.or(&first)).with_same_lead()
            })
            .collect();
        let mut meetings: HashMap<(usize, usize), Meeting> = HashMap::new();
        let mut seen: HashSet<(usize, usize)> = HashSet::new();
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        let mut too_long = BTreeSet::new();
        let mut add = |ones: &BTreeSet<usize>, others: &BTreeSet<usize>, waiting: &mut Vec<_>| {
            for &one in ones {
                for &other in others {
                    if seen.insert((one, other)) {
                        waiting.push((one, other));
                    }
                }
            }
            seen.len() <= MOST_PAIRS
        };
        if !add(&self.first, &self.first, &mut waiting) {
            return None;
        }
        while let Some((one, other)) = waiting.pop() {
            let (unit, with) = (*self.units.get(one)?, *self.units.get(other)?);
            let meeting = match meetings.get(&(unit, with)) {
                Some(known) => known.clone(),
                None => {
                    let Some(meeting) = words.get(unit)?.meet(words.get(with)?) else {
                        too_long.insert(with);
                        continue;
                    };
                    meetings.insert((unit, with), meeting.clone());
                    meeting
                }
            };
            if meeting.goes_on.meets(starts.get(one)?) {
                too_long.insert(with);
            }
            if meeting.common && !add(self.follow.get(one)?, self.follow.get(other)?, &mut waiting)
            {
                return None;
            }
        }
        Some(match too_long.is_empty() {
            true => Lexing::Exact,
            false => Lexing::TooLong(too_long.into_iter().collect()),
        })
    }
}

impl Linker<'_> {
    fn link(&mut self, last: &BTreeSet<usize>, first: &BTreeSet<usize>) -> Option<()> {
        for &at in last {
            let follow = self.follow.get_mut(at)?;
            self.links += first.len();
            follow.extend(first);
        }
        (self.links <= MOST_LINKS * 8).then_some(())
    }

    /// What a shape begins and ends with. Its terminals are numbered in the order of the rules.
    fn ends(&mut self, shape: &Shape, place: &mut usize) -> Option<Ends> {
        match shape {
            Shape::Unit(unit) => {
                let at = *place;
                *place += 1;
                if at == self.units.len() {
                    self.units.push(*unit);
                    self.follow.push(BTreeSet::new());
                }
                let own = BTreeSet::from([at]);
                let has_empty = self.words.get(*unit)?.has_empty;
                Some(Ends { first: own.clone(), last: own, has_empty })
            }
            Shape::Rule(at) => self.rules.get(*at).cloned(),
            Shape::Sequence(parts) => {
                let mut ends = Ends { has_empty: true, ..Ends::default() };
                for part in parts {
                    let next = self.ends(part, place)?;
                    self.link(&ends.last, &next.first)?;
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
            Shape::Choice(parts) => {
                let mut ends = Ends::default();
                for part in parts {
                    let next = self.ends(part, place)?;
                    ends.first.extend(next.first);
                    ends.last.extend(next.last);
                    ends.has_empty |= next.has_empty;
                }
                Some(ends)
            }
            Shape::Repeat { of, at_least, at_most } => {
                let mut ends = self.ends(of, place)?;
                if at_most.is_none_or(|at_most| at_most > 1) {
                    self.link(&ends.last.clone(), &ends.first.clone())?;
                }
                ends.has_empty |= *at_least == 0;
                Some(ends)
            }
        }
    }
}
