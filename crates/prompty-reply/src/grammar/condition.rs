//! Conditions on rules: a property of a rule that depends on properties of other rules. They are
//! solved in time proportional to the rules.
//!
//! An example is whether the empty text matches a rule. For `a = b c`, `b = "x" | ""` and
//! `c = b | a`:
//!
//! 1. `add` stores what each rule waits for: `a` for all of `b` and `c`; `b` for nothing, as its
//!    condition always holds; `c` for any of `b` and `a`.
//! 2. `solve` starts with `b`. It notifies `a`, which still misses `c`, and `c`, which then holds.
//! 3. `c` notifies `a`, which misses nothing more and holds, too.

use std::collections::VecDeque;

use super::expression::{Expression, Rule, RuleId};

/// The condition under which an expression has a property.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    /// This rule has the property.
    Rule(RuleId),
    /// All of these hold. An empty list always holds.
    All(Vec<Self>),
    /// Any of these holds. An empty list never holds.
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

    /// All of the parts hold. Parts with a known result are dropped.
    pub(super) fn all(parts: impl Iterator<Item = Self>) -> Self {
        undecided_parts(parts, Self::is_never, Self::is_always)
            .map_or_else(|never| never, Self::All)
    }

    /// Any of the parts holds. Parts with a known result are dropped.
    pub(super) fn any(parts: impl Iterator<Item = Self>) -> Self {
        undecided_parts(parts, Self::is_always, Self::is_never)
            .map_or_else(|always| always, Self::Any)
    }
}

/// The parts without a known result. The error is the first part that decides the result alone,
/// such as one that never holds among [`Condition::All`].
fn undecided_parts(
    parts: impl Iterator<Item = Condition>,
    decides: fn(&Condition) -> bool,
    is_neutral: fn(&Condition) -> bool,
) -> Result<Vec<Condition>, Condition> {
    let all = parts.filter(|part| !is_neutral(part));
    all.map(|part| if decides(&part) { Err(part) } else { Ok(part) }).collect()
}

/// Returns which rules have a property that depends on the properties of other rules. Rules that
/// depend on each other in a cycle do not have it, unless something else implies it.
pub(super) fn fixpoint(rules: &[Rule], when: impl Fn(&Expression) -> Condition) -> Vec<bool> {
    let mut solver = ConditionSolver::new(rules.len());
    for (at, rule) in rules.iter().enumerate() {
        solver.add(&when(&rule.expression), Waiter::Rule(at));
    }
    solver.solve()
}

/// The receiver of a condition's result.
#[derive(Debug, Clone, Copy)]
enum Waiter {
    /// The rule at an index.
    Rule(usize),
    /// The condition of several parts at an index.
    Parts(usize),
}

/// A condition with several parts.
struct ConditionParts {
    /// The number of parts that must still hold. At zero the condition holds, and its waiter is
    /// notified once.
    missing: usize,
    waiter: Waiter,
}

/// Conditions that do not hold yet.
struct ConditionSolver {
    multipart: Vec<ConditionParts>,
    /// The waiters of each rule.
    by_rule: Vec<Vec<Waiter>>,
    /// Which rules have the property.
    holds: Vec<bool>,
    /// The waiters whose condition has just been met.
    found: VecDeque<Waiter>,
}

impl ConditionSolver {
    fn new(rules: usize) -> Self {
        let (by_rule, holds) = (vec![Vec::new(); rules], vec![false; rules]);
        Self { multipart: Vec::new(), by_rule, holds, found: VecDeque::new() }
    }

    /// Adds a condition and its waiter.
    fn add(&mut self, condition: &Condition, waiter: Waiter) {
        let (parts, missing) = match condition {
            Condition::Rule(id) => {
                if let Some(by_rule) = self.by_rule.get_mut(id.0) {
                    by_rule.push(waiter);
                }
                return;
            }
            Condition::All(parts) if parts.is_empty() => return self.found.push_back(waiter),
            Condition::All(parts) => (parts, parts.len()),
            Condition::Any(parts) => (parts, 1),
        };
        let at = self.multipart.len();
        self.multipart.push(ConditionParts { missing, waiter });
        parts.iter().for_each(|part| self.add(part, Waiter::Parts(at)));
    }

    /// Returns which rules have the property. Each condition is notified once for each part that
    /// holds.
    fn solve(mut self) -> Vec<bool> {
        while let Some(found) = self.found.pop_front() {
            match found {
                Waiter::Rule(at) => {
                    if let (Some(holds @ false), Some(waiters)) =
                        (self.holds.get_mut(at), self.by_rule.get_mut(at))
                    {
                        *holds = true;
                        self.found.extend(waiters.drain(..));
                    }
                }
                Waiter::Parts(at) => {
                    if let Some(ConditionParts { missing: missing @ 1.., waiter }) =
                        self.multipart.get_mut(at)
                    {
                        *missing -= 1;
                        if *missing == 0 {
                            self.found.push_back(*waiter);
                        }
                    }
                }
            }
        }
        self.holds
    }
}
