//! Conditions on rules: what holds of a rule by what holds of others, found in time in proportion to the
//! rules.

use std::collections::VecDeque;

use super::expression::{Expression, Rule, RuleId};

/// When something holds of an expression, by the rules of which it holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    /// It holds of this rule.
    Rule(RuleId),
    /// All of these hold; of none: it holds always.
    All(Vec<Self>),
    /// Any of these holds; of none: it never holds.
    Any(Vec<Self>),
}

impl Condition {
    pub(super) const ALWAYS: Self = Self::All(Vec::new());
    pub(super) const NEVER: Self = Self::Any(Vec::new());

    pub(super) fn known(holds: bool) -> Self {
        if holds { Self::ALWAYS } else { Self::NEVER }
    }

    fn is_always(&self) -> bool {
        matches!(self, Self::All(none) if none.is_empty())
    }

    fn is_never(&self) -> bool {
        matches!(self, Self::Any(none) if none.is_empty())
    }

    /// All of the parts hold. What is known already is not kept.
    pub(super) fn all(parts: impl Iterator<Item = Self>) -> Self {
        open_parts(parts, Self::is_never, Self::is_always).map_or_else(|never| never, Self::All)
    }

    /// Any of the parts holds. What is known already is not kept.
    pub(super) fn any(parts: impl Iterator<Item = Self>) -> Self {
        open_parts(parts, Self::is_always, Self::is_never).map_or_else(|always| always, Self::Any)
    }
}

/// The parts that are not known; the error is the first part that decides alone.
fn open_parts(
    parts: impl Iterator<Item = Condition>,
    decides: fn(&Condition) -> bool,
    says_nothing: fn(&Condition) -> bool,
) -> Result<Vec<Condition>, Condition> {
    let all = parts.filter(|part| !says_nothing(part));
    all.map(|part| if decides(&part) { Err(part) } else { Ok(part) }).collect()
}

/// The rules of which something holds, that holds of a rule by what it holds of others. Where rules
/// lead in a circle, it holds of none of them unless something else makes it hold.
pub(super) fn fixpoint(rules: &[Rule], when: impl Fn(&Expression) -> Condition) -> Vec<bool> {
    let mut open = Open::new(rules.len());
    for (at, rule) in rules.iter().enumerate() {
        open.add(&when(&rule.expression), Waiting::Rule(at));
    }
    open.solve()
}

/// What waits for a condition.
#[derive(Debug, Clone, Copy)]
enum Waiting {
    /// The rule at an index.
    Rule(usize),
    /// The condition of several parts at an index.
    Several(usize),
}

/// A condition that has several parts.
struct Several {
    /// The number of parts that have yet to hold. At zero it holds, and tells so once.
    missing: usize,
    waiting: Waiting,
}

/// Conditions that do not hold yet.
struct Open {
    several: Vec<Several>,
    /// What waits for each rule.
    by_rule: Vec<Vec<Waiting>>,
    holds: Vec<bool>,
    /// Of whom it has just been found to hold.
    found: VecDeque<Waiting>,
}

impl Open {
    fn new(rules: usize) -> Self {
        let (by_rule, holds) = (vec![Vec::new(); rules], vec![false; rules]);
        Self { several: Vec::new(), by_rule, holds, found: VecDeque::new() }
    }

    /// Adds a condition, and what waits for it.
    fn add(&mut self, condition: &Condition, waiting: Waiting) {
        let (parts, missing) = match condition {
            Condition::Rule(id) => {
                if let Some(by_rule) = self.by_rule.get_mut(id.0) {
                    by_rule.push(waiting);
                }
                return;
            }
            Condition::All(parts) if parts.is_empty() => return self.found.push_back(waiting),
            Condition::All(parts) => (parts, parts.len()),
            Condition::Any(parts) => (parts, 1),
        };
        let at = self.several.len();
        self.several.push(Several { missing, waiting });
        parts.iter().for_each(|part| self.add(part, Waiting::Several(at)));
    }

    /// The rules of which it holds. Each condition is told once that a part of it holds.
    fn solve(mut self) -> Vec<bool> {
        while let Some(found) = self.found.pop_front() {
            match found {
                Waiting::Rule(at) => {
                    if let (Some(holds @ false), Some(waiting)) =
                        (self.holds.get_mut(at), self.by_rule.get_mut(at))
                    {
                        *holds = true;
                        self.found.extend(waiting.drain(..));
                    }
                }
                Waiting::Several(at) => {
                    if let Some(Several { missing: missing @ 1.., waiting }) =
                        self.several.get_mut(at)
                    {
                        *missing -= 1;
                        if *missing == 0 {
                            self.found.push_back(*waiting);
                        }
                    }
                }
            }
        }
        self.holds
    }
}
