//! Building a grammar from rules. Rules that match no text or cannot be reached are left out, and
//! left recursion is an error.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::condition::{Condition, fixpoint};
use super::delimiters;
use super::expression::{Expression, Grammar, Rule, RuleId};
use crate::grammar::Result;
use prompty_core::error::{Error, ErrorKind};

/// Builds the grammar of these rules.
pub(super) fn build(rules: Vec<Rule>, root: RuleId) -> Result<Grammar> {
    let admits = fixpoint(&rules, admits_some);
    if !has(&admits, root) {
        return Err(Error::new(ErrorKind::Grammar, "no text matches the grammar")
            .with_help("remove parts that contradict each other or never end"));
    }
    let rules = rules
        .into_iter()
        .map(|rule| Rule {
            name: rule.name,
            expression: simplify(rule.expression, &|id| has(&admits, id)),
        })
        .collect();
    let grammar = keep_reachable(rules, root);
    check_delimiters(&grammar)?;
    let nullable = fixpoint(&grammar.rules, when_nullable);
    match left_recursive(&grammar, &nullable) {
        None => Ok(grammar),
        Some(id) => {
            let message = format!("the rule `{}` begins with itself", grammar.name(id));
            Err(Error::new(ErrorKind::Grammar, message)
                .with_help("begin the rule with some text, and write repetitions with `Repeat`"))
        }
    }
}

/// The steps that the automata of all free texts may take.
const MOST_DELIMITER_STEPS: usize = 16_000_000;

/// Checks that the automata of the delimiters are not too large.
fn check_delimiters(grammar: &Grammar) -> Result<()> {
    let mut known = HashSet::new();
    let mut left = MOST_DELIMITER_STEPS;
    let mut waiting: Vec<&Expression> = grammar.rules.iter().map(Rule::expression).collect();
    while let Some(expression) = waiting.pop() {
        waiting.extend(expression.parts());
        if let Expression::Until(delimiters) = expression
            && known.insert(delimiters)
        {
            left = left.checked_sub(delimiters::steps(delimiters)).ok_or_else(|| {
                let message = "the delimiters of free text are too long for a grammar";
                let help = "use shorter delimiters, such as a tag's first characters";
                Error::new(ErrorKind::Limit, message).with_help(help)
            })?;
        }
    }
    Ok(())
}

/// Builds the grammar of an expression over the rules of another grammar.
pub(super) fn subgrammar(of: &Grammar, expression: Expression) -> Grammar {
    let expression = simplify(expression, &|_| true);
    let mut places: HashMap<RuleId, RuleId> = HashMap::new();
    let mut rules = Vec::new();
    let mut waiting = Vec::new();
    let mut find = |expression: &Expression, waiting: &mut Vec<RuleId>| {
        each_rule(expression, &mut |id| {
            let new = RuleId(places.len());
            if *places.entry(id).or_insert(new) == new {
                waiting.push(id);
            }
        });
    };
    find(&expression, &mut waiting);
    let mut at = 0;
    while let Some(rule) = waiting.get(at).and_then(|&id| of.rule(id)) {
        find(&rule.expression, &mut waiting);
        rules.push(rule.clone());
        at += 1;
    }
    let root = RuleId(rules.len());
    rules.push(Rule { name: "whole".to_owned(), expression });
    let new = |id: RuleId| places.get(&id).copied().unwrap_or(id);
    rules.iter_mut().for_each(|rule| renumber(&mut rule.expression, &new));
    Grammar { rules, root }
}

/// Whether the rule with this id is in the result of a fixpoint.
pub(super) fn has(found: &[bool], id: RuleId) -> bool {
    found.get(id.0).copied().unwrap_or_default()
}

pub(super) fn each_rule(expression: &Expression, visit: &mut impl FnMut(RuleId)) {
    expression.as_rule().into_iter().for_each(&mut *visit);
    expression.parts().iter().for_each(|part| each_rule(part, visit));
}

/// The condition under which some text matches the expression.
fn admits_some(expression: &Expression) -> Condition {
    when(expression, |atom| !matches!(atom, Expression::Class(class) if class.is_empty()))
}

/// The condition under which the empty text matches the expression.
pub(super) fn when_nullable(expression: &Expression) -> Condition {
    when(expression, can_be_empty)
}

/// Whether the empty text matches a text, a class or free text.
fn can_be_empty(atom: &Expression) -> bool {
    match atom {
        Expression::Text(text) => text.is_empty(),
        atom => matches!(atom, Expression::Until(_)),
    }
}

/// The condition under which an expression matches what its texts, classes and free texts do.
fn when(expression: &Expression, admits: fn(&Expression) -> bool) -> Condition {
    let parts = || expression.parts().iter().map(|part| when(part, admits));
    match expression {
        Expression::Sequence(_) => Condition::all(parts()),
        Expression::Choice(_) => Condition::any(parts()),
        Expression::Repeat { at_least, at_most: Some(at_most), .. } if at_most < at_least => {
            Condition::NEVER
        }
        Expression::Repeat { at_least: 0, .. } => Condition::ALWAYS,
        Expression::Repeat { of, .. } => when(of, admits),
        Expression::Rule(id) => Condition::Rule(*id),
        atom => Condition::known(admits(atom)),
    }
}

/// Removes alternatives that no text matches and layers without a meaning.
fn simplify(expression: Expression, admits: &impl Fn(RuleId) -> bool) -> Expression {
    match expression {
        Expression::Sequence(parts) => {
            let mut simple = Vec::with_capacity(parts.len());
            for part in parts {
                match simplify(part, admits) {
                    nothing if nothing.is_nothing() => return nothing,
                    Expression::Sequence(inner) => simple.extend(inner),
                    part => simple.push(part),
                }
            }
            one_or_all(simple, Expression::Sequence)
        }
        Expression::Choice(parts) => {
            let mut simple = Vec::with_capacity(parts.len());
            for part in parts {
                match simplify(part, admits) {
                    Expression::Choice(inner) => simple.extend(inner),
                    part => simple.push(part),
                }
            }
            one_or_all(simple, Expression::Choice)
        }
        Expression::Repeat { at_least, at_most: Some(at_most), .. } if at_most < at_least => {
            Expression::NOTHING
        }
        Expression::Repeat { at_most: Some(0), .. } => Expression::EMPTY,
        Expression::Repeat { of, at_least, at_most } => match simplify(*of, admits) {
            nothing if nothing.is_nothing() && at_least > 0 => nothing,
            nothing if nothing.is_nothing() => Expression::EMPTY,
            Expression::Sequence(none) if none.is_empty() => Expression::EMPTY,
            of if (at_least, at_most) == (1, Some(1)) => of,
            of => of.repeated(at_least, at_most),
        },
        Expression::Until(mut delimiters) => {
            delimiters.retain(|delimiter| !delimiter.is_empty());
            delimiters.sort_unstable();
            delimiters.dedup();
            Expression::Until(delimiters)
        }
        Expression::Text(text) if text.is_empty() => Expression::EMPTY,
        Expression::Class(class) if class.is_empty() => Expression::NOTHING,
        Expression::Rule(id) if !admits(id) => Expression::NOTHING,
        Expression::Text(_) | Expression::Class(_) | Expression::Rule(_) => expression,
    }
}

/// Returns the only part, or all parts.
pub(super) fn one_or_all<T>(mut parts: Vec<T>, all: fn(Vec<T>) -> T) -> T {
    match parts.len() {
        1 => parts.remove(0),
        _ => all(parts),
    }
}

/// Keeps the rules that the root reaches, in their order.
pub(super) fn keep_reachable(rules: Vec<Rule>, root: RuleId) -> Grammar {
    let mut needed = BTreeSet::new();
    let mut waiting = vec![root];
    while let Some(id) = waiting.pop() {
        if let Some(rule) = rules.get(id.0)
            && needed.insert(id)
        {
            each_rule(&rule.expression, &mut |id| waiting.push(id));
        }
    }
    let places: HashMap<RuleId, RuleId> =
        needed.into_iter().enumerate().map(|(place, id)| (id, RuleId(place))).collect();
    let new = |id: RuleId| places.get(&id).copied().unwrap_or(id);
    let rules = rules.into_iter().enumerate().filter(|(at, _)| places.contains_key(&RuleId(*at)));
    let rules = rules.map(|(_, mut rule)| {
        renumber(&mut rule.expression, &new);
        rule
    });
    Grammar { rules: rules.collect(), root: new(root) }
}

fn renumber(expression: &mut Expression, new: &impl Fn(RuleId) -> RuleId) {
    match expression {
        Expression::Rule(id) => *id = new(*id),
        Expression::Sequence(parts) | Expression::Choice(parts) => {
            parts.iter_mut().for_each(|part| renumber(part, new));
        }
        Expression::Repeat { of, .. } => renumber(of, new),
        Expression::Text(_) | Expression::Class(_) | Expression::Until(_) => {}
    }
}

/// Finds a rule that can begin with itself.
fn left_recursive(grammar: &Grammar, nullable: &[bool]) -> Option<RuleId> {
    let first = |expression: &Expression| {
        let mut first = Vec::new();
        each_at_end(ExpressionEnd::Front, expression, nullable, &mut |part| {
            first.extend(part.as_rule());
        });
        first
    };
    // A rule terminates if all rules that it begins with terminate. The other rules are in a cycle,
    // or begin with a rule that is.
    let ended = fixpoint(&grammar.rules, |expression| {
        Condition::all(first(expression).into_iter().map(Condition::Rule))
    });
    let mut known = HashSet::new();
    let mut at = RuleId(ended.iter().position(|ended| !ended)?);
    while known.insert(at) {
        let first = first(grammar.rule(at)?.expression());
        at = first.into_iter().find(|id| !has(&ended, *id))?;
    }
    Some(at)
}

/// An end of an expression.
#[derive(Clone, Copy)]
pub(super) enum ExpressionEnd {
    Front,
    Back,
}

/// Visits the texts, classes, rules and free texts that can be at one end of an expression. Returns
/// whether the expression can be empty.
pub(super) fn each_at_end<'e>(
    end: ExpressionEnd,
    expression: &'e Expression,
    nullable: &[bool],
    visit: &mut impl FnMut(&'e Expression),
) -> bool {
    let mut each = |part| each_at_end(end, part, nullable, visit);
    match expression {
        // Only parts that can be empty may be passed to reach the next part.
        Expression::Sequence(parts) => match end {
            ExpressionEnd::Front => parts.iter().all(each),
            ExpressionEnd::Back => parts.iter().rev().all(each),
        },
        Expression::Choice(ways) => ways.iter().fold(false, |is_empty, way| each(way) | is_empty),
        Expression::Repeat { of, at_least, .. } => each(of) | (*at_least == 0),
        atom => {
            visit(atom);
            atom.as_rule().map_or_else(|| can_be_empty(atom), |id| has(nullable, id))
        }
    }
}
