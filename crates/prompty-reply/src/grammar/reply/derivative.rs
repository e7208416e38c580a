//! Derivatives: the rest of a grammar after a prefix of its texts. The prompt may have written that
//! prefix, or the prefix has activated a lazy grammar.
//!
//! After the prefix `<call>ti`, the rest of `"<call>" ("time" | "date") "!"` is `"me" "!"`. The
//! search compares the prefix with the parts from left to right:
//!
//! 1. `"<call>"` is in the prefix. The rest of the prefix is `ti`.
//! 2. `"time"` contains `ti`. The rest of the expression is `"me"`. `"date"` does not begin with
//!    `ti`.
//! 3. The parts after it, here `"!"`, follow the rest.

use crate::grammar::budget::Budget;
use crate::grammar::delimiters::{self, DelimiterAutomaton};
use crate::grammar::simplify::one_or_all;
use crate::grammar::{Expression, Grammar, GrammarBuilder, Result, Rule, RuleId};

/// The part of a reply that the prompt has opened and not closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartContext {
    /// None: the reply can begin with any part.
    Nothing,
    Reasoning,
    /// Content with a marker or a header before it.
    Content,
}

/// The maximum depth of parts and rules that are searched for the prefix. A rule can lead to
/// itself.
const MAX_DEPTH: usize = 32;

/// The texts of an expression that begin with `prefix`, without the prefix. Rules that this needs
/// are added to the grammar.
///
/// # Errors
/// Returns an error of the kind [`ErrorKind::Limit`](prompty_core::ErrorKind::Limit) if that takes
/// more steps than the grammar has left.
pub(super) fn derivative(
    builder: &mut GrammarBuilder,
    of: &Expression,
    prefix: &str,
) -> Result<Expression> {
    let (budget, first) = (builder.budget.clone(), builder.rules.len());
    let added = Some(AddedRules { first, expressions: Vec::new() });
    let mut search = DerivativeSearch { rules: &builder.rules, added, budget: Ok(budget) };
    let found = search.derivative(of, prefix);
    let DerivativeSearch { added, budget, .. } = search;
    builder.budget = budget?;
    for expression in added.into_iter().flat_map(|added| added.expressions) {
        builder.rule("begun", expression);
    }
    Ok(found)
}

/// The texts of a complete grammar that begin with a trigger, without it. No free text is
/// unfinished there. The steps were paid for when the grammar was built.
pub(super) fn rest_after_trigger(grammar: &Grammar, trigger: &str) -> Expression {
    let budget = Ok(Budget::unlimited());
    let mut search = DerivativeSearch { rules: &grammar.rules, added: None, budget };
    search.derivative(&grammar.root.into(), trigger)
}

/// The rules that are added for unfinished free text. They follow all other rules.
struct AddedRules {
    first: usize,
    expressions: Vec<Expression>,
}

/// The search for a prefix.
struct DerivativeSearch<'g> {
    rules: &'g [Rule],
    added: Option<AddedRules>,
    /// The steps that are left, or an error if there were too few.
    budget: Result<Budget>,
}

/// The remainders after a prefix, for all ways in which an expression can begin with it.
#[derive(Default)]
struct Remainders<'text> {
    /// The remainders of the expression, if it contains the complete prefix.
    expressions: Vec<Expression>,
    /// The remainders of the prefix, if it contains a complete text of the expression.
    texts: Vec<&'text str>,
}

impl<'text> Remainders<'text> {
    /// Adds a remainder of the prefix, which is empty if the expression ends where the prefix does.
    fn add_rest_of_prefix(&mut self, text: &'text str) {
        if text.is_empty() {
            self.expressions.push(Expression::EMPTY);
        } else if !self.texts.contains(&text) {
            self.texts.push(text);
        }
    }
}

impl DerivativeSearch<'_> {
    fn derivative(&mut self, of: &Expression, prefix: &str) -> Expression {
        if prefix.is_empty() {
            return of.clone();
        }
        let mut rests = Remainders::default();
        self.find(of, prefix, MAX_DEPTH, &mut rests);
        one_or_all(rests.expressions, Expression::Choice)
    }

    /// Pays for steps. Returns whether there were enough.
    fn spend(&mut self, steps: usize) -> bool {
        if let Ok(budget) = &mut self.budget
            && let Err(error) = budget.spend(steps)
        {
            self.budget = Err(error);
        }
        self.budget.is_ok()
    }

    /// Finds all ways in which `of` can begin with the prefix.
    fn find<'text>(
        &mut self,
        of: &Expression,
        prefix: &'text str,
        depth: usize,
        found: &mut Remainders<'text>,
    ) {
        let Some(depth) = depth.checked_sub(1) else { return };
        if !self.spend(1) {
            return;
        }
        match of {
            Expression::Text(text) => {
                if let Some(left) = prefix.strip_prefix(&**text) {
                    found.add_rest_of_prefix(left);
                } else if let Some(rest) = text.strip_prefix(prefix) {
                    found.expressions.push(Expression::text(rest.to_owned()));
                }
            }
            Expression::Sequence(parts) => self.find_in_sequence(parts, prefix, depth, found),
            Expression::Choice(ways) => {
                ways.iter().for_each(|way| self.find(way, prefix, depth, found));
            }
            Expression::Rule(rule) => {
                let rules = self.rules;
                if let Some(rule) = rules.get(rule.0) {
                    self.find(&rule.expression, prefix, depth, found);
                }
            }
            Expression::Repeat { of, at_least: 0, at_most: Some(1) } => {
                found.add_rest_of_prefix(prefix);
                self.find(of, prefix, depth, found);
            }
            // Either the text contains the prefix, which only looks like the beginning of a
            // delimiter. Or the text ends in the prefix, and a delimiter follows.
            Expression::Until(delimiters) => {
                let text = self.free_text(delimiters, prefix);
                let (text, ends) = text.map_or((None, vec![0]), |(text, ends)| (Some(text), ends));
                found.expressions.extend(text);
                let rests = ends.into_iter().filter_map(|end| prefix.get(end..));
                rests.for_each(|rest| found.add_rest_of_prefix(rest));
            }
            // A prefix that ends inside JSON or after it is not supported: nothing is found.
            Expression::Repeat { .. } | Expression::Class(_) => {}
        }
    }

    fn find_in_sequence<'text>(
        &mut self,
        parts: &[Expression],
        prefix: &'text str,
        depth: usize,
        found: &mut Remainders<'text>,
    ) {
        let mut texts = vec![prefix];
        let mut parts = parts.iter();
        while let Some(part) = parts.next() {
            let mut rests = Remainders::default();
            for text in texts {
                self.find(part, text, depth, &mut rests);
            }
            let following = parts.as_slice();
            if !rests.expressions.is_empty()
                && self.spend(following.iter().map(Expression::size).sum())
            {
                let rest = one_or_all(rests.expressions, Expression::Choice);
                let sequence = std::iter::once(rest).chain(following.iter().cloned());
                found.expressions.push(Expression::sequence(sequence));
            }
            texts = rests.texts;
            if texts.is_empty() {
                break;
            }
        }
        texts.into_iter().for_each(|text| found.add_rest_of_prefix(text));
    }

    /// The remainder of free text up to delimiters, after a prefix that is the beginning of a
    /// delimiter. Also returns the offsets in the prefix at which the text may end. `None` if the
    /// text cannot contain the prefix.
    ///
    /// For the delimiter `</a>` and the prefix `</`, the remainder is all text that follows in the
    /// state `</` of the automaton, and the text may also end at 0, before `</`.
    fn free_text(
        &mut self,
        delimiters: &[String],
        prefix: &str,
    ) -> Option<(Expression, Vec<usize>)> {
        if self.added.is_none() || !self.spend(delimiters::building_steps(delimiters)) {
            return None;
        }
        let automaton = DelimiterAutomaton::new(delimiters);
        let mut state = 0;
        let mut ends = Vec::new();
        for (at, character) in prefix.char_indices() {
            let here = automaton.states.get(state)?;
            if here.may_end {
                ends.push(at);
            }
            state = *here.steps.iter().find(|(_, class)| class.contains(character))?.0;
        }
        let added = self.added.as_mut()?;
        let first = added.first + added.expressions.len();
        let free = Expression::Until(delimiters.to_vec());
        // A rule for each state but the first, in which no part of a delimiter has been read.
        let next = |state: usize| match state {
            0 => free.clone(),
            _ => Expression::Rule(RuleId(first + state)),
        };
        added.expressions.extend(automaton.states.iter().map(|state| state.expression(next)));
        Some((next(state), ends))
    }
}
