//! Lowering: conversion to a grammar without free text up to a delimiter, and with small counts
//! only.

use std::collections::HashMap;

use super::GrammarBuilder;
use super::delimiters::DelimiterAutomaton;
use super::expression::{Expression, Grammar, RuleId};

/// The largest count that is not split. llama.cpp rejects a count of 2000 or more, or a count whose
/// product with the number of rules in the repeated part is that large.
const LARGEST_COUNT: u32 = 1000;

/// The largest count of an expression that is not simple and has no separate rule.
const LARGEST_INLINE: u32 = 8;

/// Converts a grammar into one with only the expressions that every form supports.
pub(super) fn lower(grammar: &Grammar) -> Grammar {
    let mut lowering = Lowering { builder: GrammarBuilder::default(), known: HashMap::new() };
    // The rules keep their ids because they are added first.
    let ids: Vec<RuleId> =
        grammar.rules().map(|(_, rule)| lowering.builder.reserve(rule.name())).collect();
    for (id, (_, rule)) in ids.into_iter().zip(grammar.rules()) {
        let expression = lowering.expression(&rule.expression);
        lowering.builder.define(id, expression);
    }
    Grammar { rules: lowering.builder.rules, root: grammar.root }
}

struct Lowering<'g> {
    builder: GrammarBuilder,
    /// The rule of each set of delimiters.
    known: HashMap<&'g [String], RuleId>,
}

impl<'g> Lowering<'g> {
    fn expression(&mut self, expression: &'g Expression) -> Expression {
        match expression {
            Expression::Sequence(parts) => {
                Expression::sequence(parts.iter().map(|part| self.expression(part)))
            }
            Expression::Choice(parts) => {
                Expression::choice(parts.iter().map(|part| self.expression(part)))
            }
            Expression::Repeat { of, at_least, at_most } => {
                let mut item = self.expression(of);
                let is_simple = match &item {
                    Expression::Text(text) => text.len() <= 1,
                    Expression::Class(_) | Expression::Rule(_) => true,
                    _ => false,
                };
                if !is_simple && at_most.unwrap_or(*at_least) > LARGEST_INLINE {
                    item = self.builder.rule("item", item).into();
                }
                self.repeated(item, *at_least, *at_most)
            }
            Expression::Until(delimiters) => self.until(delimiters).into(),
            Expression::Text(_) | Expression::Class(_) | Expression::Rule(_) => expression.clone(),
        }
    }

    /// Splits large counts into blocks of 1000, so that a text can be read in few ways:
    ///
    /// - `x{2500}` becomes `block{2} x{500}`.
    /// - `x{0,2500}` becomes `block{2} x{0,500} | block{0,1} x{0,999}`.
    /// - `x{1500,}` becomes `block{1} x{500} x*`.
    fn repeated(&mut self, item: Expression, at_least: u32, at_most: Option<u32>) -> Expression {
        let more = at_most.map(|at_most| at_most.saturating_sub(at_least));
        if at_least <= LARGEST_COUNT && at_most.is_none_or(|at_most| at_most <= LARGEST_COUNT) {
            return item.repeated(at_least, at_most);
        }
        if at_least > 0 {
            let (blocks, rest) = (at_least / LARGEST_COUNT, at_least % LARGEST_COUNT);
            let block = self.block(&item);
            let blocks = self.repeated(block, blocks, Some(blocks));
            let rest = item.clone().repeated(rest, Some(rest));
            let more = self.repeated(item, 0, more);
            return Expression::sequence([blocks, rest, more]);
        }
        let (blocks, rest) = match at_most {
            Some(at_most) => (at_most / LARGEST_COUNT, at_most % LARGEST_COUNT),
            None => return item.repeated(0, None),
        };
        // All blocks with a rest, or fewer blocks with a part of one.
        let block = self.block(&item);
        let all = self.repeated(block.clone(), blocks, Some(blocks));
        let all = Expression::sequence([all, item.clone().repeated(0, Some(rest))]);
        let fewer = self.repeated(block, 0, Some(blocks - 1));
        let part = item.repeated(0, Some(LARGEST_COUNT - 1));
        Expression::choice([all, Expression::sequence([fewer, part])])
    }

    fn block(&mut self, item: &Expression) -> Expression {
        let block = item.clone().repeated(LARGEST_COUNT, Some(LARGEST_COUNT));
        self.builder.rule("block", block).into()
    }

    /// The rule of texts that end before a delimiter, with one rule for each state of the
    /// automaton.
    fn until(&mut self, delimiters: &'g [String]) -> RuleId {
        if let Some(&known) = self.known.get(delimiters) {
            return known;
        }
        let automaton = DelimiterAutomaton::new(delimiters);
        let ids: Vec<RuleId> =
            automaton.states.iter().map(|_| self.builder.reserve("until")).collect();
        for (state, &id) in automaton.states.iter().zip(&ids) {
            let next = |at| ids.get(at).map_or(Expression::NOTHING, |id| Expression::Rule(*id));
            self.builder.define(id, state.expression(next));
        }
        let first = ids.first().copied().unwrap_or(RuleId(usize::MAX));
        self.known.insert(delimiters, first);
        first
    }
}
