//! Building a grammar from rules. Rules that match no text or cannot be reached are left out, and
//! left recursion is an error: a rule that begins with itself, such as `a = a "x"`.

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
    let rules = rules.into_iter().map(|Rule { name, expression }| {
        let expression = simplify(expression, &|id| has(&admits, id));
        Rule { name, expression }
    });
    let grammar = keep_reachable(rules.collect(), root);
    check_delimiters(&grammar)?;
    let nullable = fixpoint(&grammar.rules, when_nullable);
    match find_left_recursion(&grammar, &nullable) {
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
    let mut waiting: Vec<&Expression> = grammar.rules.iter().map(|rule| &rule.expression).collect();
    while let Some(expression) = waiting.pop() {
        waiting.extend(expression.parts());
        if let Expression::Until(delimiters) = expression
            && known.insert(delimiters)
        {
            left = left.checked_sub(delimiters::building_steps(delimiters)).ok_or_else(|| {
                let message = "the delimiters of free text are too long for a grammar";
                let help = "use shorter delimiters, for example `</` instead of `</answer>`";
                Error::new(ErrorKind::Limit, message).with_help(help)
            })?;
        }
    }
    Ok(())
}

/// Builds the grammar of an expression over the rules of another grammar. It has the rules that the
/// expression reaches, in the order in which they are found, and the expression as the last rule.
pub(super) fn subgrammar(of: &Grammar, expression: Expression) -> Grammar {
    let expression = simplify(expression, &|_| true);
    let mut new_ids: HashMap<RuleId, RuleId> = HashMap::new();
    let mut rules = Vec::new();
    // The rules that were found; the first `rules.len()` of them were copied.
    let mut found = Vec::new();
    let mut find_rules = |expression: &Expression, found: &mut Vec<RuleId>| {
        each_rule(expression, &mut |id| {
            let new_id = RuleId(new_ids.len());
            if *new_ids.entry(id).or_insert(new_id) == new_id {
                found.push(id);
            }
        });
    };
    find_rules(&expression, &mut found);
    while let Some(rule) = found.get(rules.len()).and_then(|&id| of.rule(id)) {
        find_rules(&rule.expression, &mut found);
        rules.push(rule.clone());
    }
    let root = RuleId(rules.len());
    rules.push(Rule { name: "whole".to_owned(), expression });
    let new_id = |id: RuleId| new_ids.get(&id).copied().unwrap_or(id);
    rules.iter_mut().for_each(|rule| renumber(&mut rule.expression, &new_id));
    Grammar { rules, root }
}

/// Whether the rule with this id is in the result of a fixpoint.
pub(super) fn has(found: &[bool], id: RuleId) -> bool {
    found.get(id.0).copied().unwrap_or_default()
}

/// Visits the rules to which an expression refers.
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

/// The condition under which an expression has a property that its texts, classes and free texts
/// have if `atom_has_it`. A sequence has it if all of its parts do, a choice if any part does.
fn when(expression: &Expression, atom_has_it: fn(&Expression) -> bool) -> Condition {
    let parts = || expression.parts().iter().map(|part| when(part, atom_has_it));
    match expression {
        Expression::Sequence(_) => Condition::all(parts()),
        Expression::Choice(_) => Condition::any(parts()),
        Expression::Repeat { at_least, at_most: Some(at_most), .. } if at_most < at_least => {
            Condition::NEVER
        }
        Expression::Repeat { at_least: 0, .. } => Condition::ALWAYS,
        Expression::Repeat { of, .. } => when(of, atom_has_it),
        Expression::Rule(id) => Condition::Rule(*id),
        atom => Condition::known(atom_has_it(atom)),
    }
}

/// Removes alternatives that no text matches and layers without a meaning: `("a" ("b")) | NOTHING`
/// becomes `"a" "b"`. `admits` says whether some text matches a rule.
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
    let new_ids: HashMap<RuleId, RuleId> =
        needed.into_iter().enumerate().map(|(at, id)| (id, RuleId(at))).collect();
    let new_id = |id: RuleId| new_ids.get(&id).copied().unwrap_or(id);
    let rules = rules.into_iter().enumerate().filter(|(at, _)| new_ids.contains_key(&RuleId(*at)));
    let rules = rules.map(|(_, mut rule)| {
        renumber(&mut rule.expression, &new_id);
        rule
    });
    Grammar { rules: rules.collect(), root: new_id(root) }
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
fn find_left_recursion(grammar: &Grammar, nullable: &[bool]) -> Option<RuleId> {
    let first_rules = |expression: &Expression| {
        let mut rules = Vec::new();
        each_at_end(ExpressionEnd::Front, expression, nullable, &mut |part| {
            rules.extend(part.as_rule());
        });
        rules
    };
    // A rule terminates if all rules that it begins with terminate. The other rules are in a cycle,
    // or begin with a rule that is.
    let terminates = fixpoint(&grammar.rules, |expression| {
        Condition::all(first_rules(expression).into_iter().map(Condition::Rule))
    });
    // From rule to rule that does not terminate, until one comes a second time: it is in a cycle.
    let mut known = HashSet::new();
    let mut at = RuleId(terminates.iter().position(|terminates| !terminates)?);
    while known.insert(at) {
        let rules = first_rules(&grammar.rule(at)?.expression);
        at = rules.into_iter().find(|id| !has(&terminates, *id))?;
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
