//! What is left of a grammar behind its first text: where the prompt has begun that already, or
//! where it is what brought the grammar into force.

use crate::reply::grammar::{Expression, RuleId};

/// What of a reply the prompt has opened and not closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reply) enum Inside {
    /// Nothing: the reply begins with what it likes.
    Nothing,
    Reasoning,
    /// Content that has a marker, or a header, in front of it.
    Content,
}

/// What rules stand for.
pub(super) type Rules<'r> = &'r dyn Fn(RuleId) -> Option<&'r Expression>;

/// Rules that are looked into for the text's beginning.
const DEEPEST: usize = 32;

/// The texts of an expression that begin with `begun`, without that beginning.
pub(super) fn without(rules: Rules<'_>, of: &Expression, begun: &str) -> Expression {
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
    rules: Rules<'_>,
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
                let behind = parts.get(index + 1..).unwrap_or_default();
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
            if let Some(expression) = rules(*rule) {
                find(rules, expression, begun, depth, found);
            }
        }
        Expression::Repeat { of, at_least: 0, at_most: Some(1) } => {
            found.left(begun);
            find(rules, of, begun, depth, found);
        }
        // What has begun is a mark, and no free text in front of one.
        Expression::Until(_) => found.left(begun),
        Expression::Repeat { .. } | Expression::Class(_) => {}
    }
}
