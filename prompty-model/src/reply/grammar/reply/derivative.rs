//! Derivatives: what is left of a grammar behind the beginning of its texts. The prompt may have
//! written that beginning, or it has brought a lazy grammar into force.

use crate::reply::grammar::delimiters::Automaton;
use crate::reply::grammar::{Expression, Grammar, GrammarBuilder, RuleId};
use prompty_core::text::slice_list;

/// What of a reply the prompt has opened and not closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reply) enum Inside {
    /// Nothing: the reply begins with what it likes.
    Nothing,
    Reasoning,
    /// Content that has a marker, or a header, in front of it.
    Content,
}

/// Rules that are looked up.
pub(super) trait Rules {
    /// What a rule stands for.
    fn expression(&self, rule: RuleId) -> Option<Expression>;

    /// What is left of a text that is free up to marks, where its beginning is the beginning of one;
    /// and where in that beginning the text may be over.
    fn free_text(&mut self, marks: &[String], begun: &str) -> Option<(Expression, Vec<usize>)>;
}

impl Rules for GrammarBuilder {
    fn expression(&self, rule: RuleId) -> Option<Expression> {
        self.expression(rule).cloned()
    }

    fn free_text(&mut self, marks: &[String], begun: &str) -> Option<(Expression, Vec<usize>)> {
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
        let free = Expression::Until(marks.to_vec());
        // A rule for each state but the first, in which nothing of a mark has been read.
        let rules: Vec<RuleId> = automaton.states.iter().map(|_| self.reserve("begun")).collect();
        let next = |state: usize| match state {
            0 => Some(free.clone()),
            _ => rules.get(state).copied().map(Expression::Rule),
        };
        for (state, &rule) in automaton.states.iter().zip(&rules) {
            let steps = state.steps.iter().filter_map(|(&target, class)| {
                Some(Expression::sequence([class.clone().into(), next(target)?]))
            });
            let end = state.may_end.then_some(Expression::EMPTY);
            let expression = Expression::choice(steps.chain(end));
            self.define(rule, expression);
        }
        Some((next(state)?, ends))
    }
}

/// A whole grammar: nothing of its texts is begun but what brings it into force.
impl Rules for &Grammar {
    fn expression(&self, rule: RuleId) -> Option<Expression> {
        Some(self.rule(rule)?.expression().clone())
    }

    fn free_text(&mut self, _: &[String], _: &str) -> Option<(Expression, Vec<usize>)> {
        None
    }
}

/// Rules that are looked into for the text's beginning.
const DEEPEST: usize = 32;

/// The texts of an expression that begin with `begun`, without that beginning.
pub(super) fn derivative(rules: &mut dyn Rules, of: &Expression, begun: &str) -> Expression {
    let mut rests = Rests::default();
    if begun.is_empty() {
        return of.clone();
    }
    find(rules, of, begun, DEEPEST, &mut rests);
    match rests.whole.len() {
        1 => rests.whole.pop().unwrap_or(Expression::NOTHING),
        _ => Expression::Choice(rests.whole),
    }
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

fn find<'text>(
    rules: &mut dyn Rules,
    of: &Expression,
    begun: &'text str,
    depth: usize,
    found: &mut Rests<'text>,
) {
    let Some(depth) = depth.checked_sub(1) else { return };
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
            for (index, part) in parts.iter().enumerate() {
                let behind = slice_list(parts, index + 1..);
                let mut rests = Rests::default();
                for text in texts {
                    find(rules, part, text, depth, &mut rests);
                }
                let whole = rests.whole.into_iter().map(|rest| {
                    Expression::sequence(std::iter::once(rest).chain(behind.iter().cloned()))
                });
                found.whole.extend(whole);
                texts = rests.text;
            }
            texts.into_iter().for_each(|text| found.left(text));
        }
        Expression::Choice(ways) => {
            ways.iter().for_each(|way| find(rules, way, begun, depth, found));
        }
        Expression::Rule(rule) => {
            if let Some(expression) = rules.expression(*rule) {
                find(rules, &expression, begun, depth, found);
            }
        }
        Expression::Repeat { of, at_least: 0, at_most: Some(1) } => {
            found.left(begun);
            find(rules, of, begun, depth, found);
        }
        // What has begun is a mark, behind white space that may be text; or it is text that only looks
        // like the beginning of one.
        Expression::Until(marks) => {
            let text = rules.free_text(marks, begun);
            let (text, ends) = text.map_or((None, vec![0]), |(text, ends)| (Some(text), ends));
            found.whole.extend(text);
            ends.into_iter().filter_map(|end| begun.get(end..)).for_each(|rest| found.left(rest));
        }
        Expression::Repeat { .. } | Expression::Class(_) => {}
    }
}
