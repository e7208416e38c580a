//! What is left of a grammar behind its first text: where the prompt has begun that already, or
//! where it is what brought the grammar into force.

use crate::reply::grammar::{Expression, RuleId};

/// What rules stand for.
pub(super) type Rules<'r> = &'r dyn Fn(RuleId) -> Option<&'r Expression>;

/// Rules that are looked into for the text's beginning.
const DEEPEST: usize = 32;

/// The texts of an expression that begin with `begun`, without that beginning.
pub(super) fn without(rules: Rules<'_>, of: &Expression, begun: &str) -> Expression {
    rest(rules, of, begun, DEEPEST).map_or(Expression::NOTHING, |(rest, _)| rest)
}

/// What is left of an expression behind a text, and what is left of the text behind the expression.
/// Nothing where the expression does not begin so.
fn rest<'text>(
    rules: Rules<'_>,
    of: &Expression,
    begun: &'text str,
    depth: usize,
) -> Option<(Expression, &'text str)> {
    if begun.is_empty() {
        return Some((of.clone(), ""));
    }
    let depth = depth.checked_sub(1)?;
    match of {
        Expression::Text(text) => match text.strip_prefix(begun) {
            Some(left) => Some((Expression::text(left.to_owned()), "")),
            None => begun.strip_prefix(&**text).map(|begun| (Expression::EMPTY, begun)),
        },
        Expression::Sequence(parts) => {
            let mut begun = begun;
            for (index, part) in parts.iter().enumerate() {
                let behind = parts.get(index + 1..).unwrap_or_default();
                // A part that may be left out may be what the text begins with, or not.
                if let Expression::Repeat { of, at_least: 0, at_most: Some(1) } = part {
                    let with = Expression::sequence(
                        std::iter::once((**of).clone()).chain(behind.iter().cloned()),
                    );
                    let without = Expression::Sequence(behind.to_vec());
                    return rest(rules, &Expression::choice([with, without]), begun, depth);
                }
                let (left, left_begun) = rest(rules, part, begun, depth)?;
                if left_begun.is_empty() {
                    let parts = std::iter::once(left).chain(behind.iter().cloned());
                    return Some((Expression::sequence(parts), ""));
                }
                begun = left_begun;
            }
            Some((Expression::EMPTY, begun))
        }
        Expression::Choice(ways) => {
            let ways = ways.iter().filter_map(|way| rest(rules, way, begun, depth));
            let ways: Vec<_> =
                ways.filter(|(_, begun)| begun.is_empty()).map(|(way, _)| way).collect();
            (!ways.is_empty()).then_some((Expression::Choice(ways), ""))
        }
        Expression::Rule(rule) => rest(rules, rules(*rule)?, begun, depth),
        Expression::Repeat { .. } | Expression::Class(_) | Expression::Until(_) => None,
    }
}
