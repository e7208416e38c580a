//! Derivatives: what is left of a grammar behind the beginning of its texts. The prompt may have
//! written that beginning, or it has brought a lazy grammar into force.

use crate::grammar::budget::Budget;
use crate::grammar::delimiters::{self, Automaton};
use crate::grammar::simplify::one_or_all;
use crate::grammar::{Expression, Grammar, GrammarBuilder, Result, Rule, RuleId};

/// What of a reply the prompt has opened and not closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inside {
    /// Nothing: the reply begins with what it likes.
    Nothing,
    Reasoning,
    /// Content that has a marker, or a header, in front of it.
    Content,
}

/// Rules that are looked into for the text's beginning.
const DEEPEST: usize = 32;

/// The texts of an expression that begin with `begun`, without that beginning. Rules that this takes
/// are added to the grammar.
///
/// # Errors
/// With [`ErrorKind::Limit`](prompty_core::ErrorKind::Limit) where that takes more steps than the
/// grammar has left.
pub(super) fn derivative(
    builder: &mut GrammarBuilder,
    of: &Expression,
    begun: &str,
) -> Result<Expression> {
    let (budget, first) = (builder.budget.clone(), builder.rules().len());
    let made = Some(Made { first, expressions: Vec::new() });
    let mut search = Search { rules: builder.rules(), made, budget: Ok(budget) };
    let found = search.derivative(of, begun);
    let Search { made, budget, .. } = search;
    builder.budget = budget?;
    for expression in made.into_iter().flat_map(|made| made.expressions) {
        builder.rule("begun", expression);
    }
    Ok(found)
}

/// The texts of a whole grammar that begin with a trigger, without it: nothing of its free texts is
/// begun. What that takes was paid for when the grammar was made.
pub(super) fn behind_trigger(grammar: &Grammar, trigger: &str) -> Expression {
    let budget = Ok(Budget::unlimited());
    let mut search = Search { rules: grammar.all_rules(), made: None, budget };
    search.derivative(&grammar.root.into(), trigger)
}

/// The rules that are made for free text that has begun. They stand behind all others.
struct Made {
    first: usize,
    expressions: Vec<Expression>,
}

/// The search for a text's beginning.
struct Search<'g> {
    rules: &'g [Rule],
    made: Option<Made>,
    /// The steps that are left; an error where they were too few.
    budget: Result<Budget>,
}

/// What is left behind a text, in all ways in which an expression can begin with it.
#[derive(Default)]
struct Rests<'text> {
    /// What is left of the expression, where all of the text was in it.
    whole: Vec<Expression>,
    /// What is left of the text, where all of the expression was in it.
    text: Vec<&'text str>,
}

impl<'text> Rests<'text> {
    fn left(&mut self, text: &'text str) {
        if text.is_empty() {
            self.whole.push(Expression::EMPTY);
        } else if !self.text.contains(&text) {
            self.text.push(text);
        }
    }
}

impl Search<'_> {
    fn derivative(&mut self, of: &Expression, begun: &str) -> Expression {
        if begun.is_empty() {
            return of.clone();
        }
        let mut rests = Rests::default();
        self.find(of, begun, DEEPEST, &mut rests);
        one_or_all(rests.whole, Expression::Choice)
    }

    /// Pays for steps; whether there were enough.
    fn spend(&mut self, steps: usize) -> bool {
        if let Ok(budget) = &mut self.budget
            && let Err(error) = budget.spend(steps)
        {
            self.budget = Err(error);
        }
        self.budget.is_ok()
    }

    fn find<'text>(
        &mut self,
        of: &Expression,
        begun: &'text str,
        depth: usize,
        found: &mut Rests<'text>,
    ) {
        let Some(depth) = depth.checked_sub(1) else { return };
        if !self.spend(1) {
            return;
        }
        match of {
            Expression::Text(text) => {
                if let Some(left) = begun.strip_prefix(&**text) {
                    found.left(left);
                } else if let Some(rest) = text.strip_prefix(begun) {
                    found.whole.push(Expression::text(rest.to_owned()));
                }
            }
            Expression::Sequence(parts) => {
                let mut texts = vec![begun];
                let mut parts = parts.iter();
                while let Some(part) = parts.next() {
                    let mut rests = Rests::default();
                    for text in texts {
                        self.find(part, text, depth, &mut rests);
                    }
                    let following = parts.as_slice();
                    if !rests.whole.is_empty()
                        && self.spend(following.iter().map(Expression::size).sum())
                    {
                        let rest = one_or_all(rests.whole, Expression::Choice);
                        let whole = std::iter::once(rest).chain(following.iter().cloned());
                        found.whole.push(Expression::sequence(whole));
                    }
                    texts = rests.text;
                    if texts.is_empty() {
                        break;
                    }
                }
                texts.into_iter().for_each(|text| found.left(text));
            }
            Expression::Choice(ways) => {
                ways.iter().for_each(|way| self.find(way, begun, depth, found));
            }
            Expression::Rule(rule) => {
                let rules = self.rules;
                if let Some(rule) = rules.get(rule.0) {
                    self.find(rule.expression(), begun, depth, found);
                }
            }
            Expression::Repeat { of, at_least: 0, at_most: Some(1) } => {
                found.left(begun);
                self.find(of, begun, depth, found);
            }
            // What has begun is a mark, behind white space that may be text; or it is text that only
            // looks like the beginning of one.
            Expression::Until(marks) => {
                let text = self.free_text(marks, begun);
                let (text, ends) = text.map_or((None, vec![0]), |(text, ends)| (Some(text), ends));
                found.whole.extend(text);
                let rests = ends.into_iter().filter_map(|end| begun.get(end..));
                rests.for_each(|rest| found.left(rest));
            }
            Expression::Repeat { .. } | Expression::Class(_) => {}
        }
    }

    /// What is left of a text that is free up to marks, where its beginning is the beginning of one;
    /// and where in that beginning the text may be over.
    fn free_text(&mut self, marks: &[String], begun: &str) -> Option<(Expression, Vec<usize>)> {
        if self.made.is_none() || !self.spend(delimiters::steps(marks)) {
            return None;
        }
        let automaton = Automaton::new(marks);
        let mut state = 0;
        let mut ends = Vec::new();
        for (at, character) in begun.char_indices() {
            let here = automaton.states.get(state)?;
            if here.may_end {
                ends.push(at);
            }
            state = *here.steps.iter().find(|(_, class)| class.contains(character))?.0;
        }
        let made = self.made.as_mut()?;
        let first = made.first + made.expressions.len();
        let free = Expression::Until(marks.to_vec());
        // A rule for each state but the first, in which nothing of a mark has been read.
        let next = |state: usize| match state {
            0 => free.clone(),
            _ => Expression::Rule(RuleId(first + state)),
        };
        made.expressions.extend(automaton.states.iter().map(|state| state.expression(next)));
        Some((next(state), ends))
    }
}
