//! Optional fields: in any order, or in a fixed order with separators.

use super::{Expression, GrammarBuilder, RuleId};

/// The maximum number of states: sets of parts that were written, and positions among the other
/// parts. A grammar needs rules for each state, so only few parts can have any position.
const MOST_STATES: usize = 128;

/// A field: its name, its expression, and whether it is required.
pub(super) struct GrammarField {
    pub(super) name: String,
    pub(super) expression: Expression,
    pub(super) is_required: bool,
}

/// Builds an expression for fields in any order, each at most once. If there are more than seven,
/// only some of them can have any position, required ones first. The rest keep their relative
/// order.
pub(super) fn in_any_order(builder: &mut GrammarBuilder, parts: Vec<GrammarField>) -> Expression {
    let is_required: Vec<bool> = parts.iter().map(|part| part.is_required).collect();
    let parts: Vec<(RuleId, bool)> = parts
        .into_iter()
        .map(|part| {
            let name = format!("argument-{}", part.name);
            (builder.rule(&name, part.expression), part.is_required)
        })
        .collect();
    let is_free = free(&is_required);
    let (free, fixed): (Vec<_>, Vec<_>) =
        parts.into_iter().zip(is_free).partition(|(_, is_free)| *is_free);
    let free: Vec<(RuleId, bool)> = free.into_iter().map(|(part, _)| part).collect();
    let fixed: Vec<(RuleId, bool)> = fixed.into_iter().map(|(part, _)| part).collect();
    // For each set of free parts that were written, and each position among the other parts, there
    // are two rules. One is for everything that may follow, the other one for everything except a
    // free part. This way an omitted part is read in only one way.
    let (sets, width) = (1_usize << free.len(), fixed.len() + 1);
    let mut reserve = |count: usize| -> Vec<RuleId> {
        (0..count).map(|_| builder.reserve("arguments")).collect()
    };
    let (any, in_order) = (reserve(sets * width), reserve(sets * fixed.len()));
    let any_at = |set: usize, position: usize| any.get(set * width + position).copied();
    for set in 0..sets {
        let is_due = |(index, (_, is_required)): (usize, &(RuleId, bool))| {
            *is_required && set & 1 << index == 0
        };
        let end = match free.iter().enumerate().any(is_due) {
            true => Expression::NOTHING,
            false => Expression::EMPTY,
        };
        let fixed_at = |position: usize| match position < fixed.len() {
            true => in_order.get(set * fixed.len() + position).copied().map(Expression::Rule),
            false => Some(end.clone()),
        };
        for position in 0..width {
            let (Some(here), Some(fixed_here)) = (any_at(set, position), fixed_at(position)) else {
                continue;
            };
            let frees = free.iter().enumerate().filter(|(index, _)| set & 1 << index == 0);
            let ways = frees.filter_map(|(index, (part, _))| {
                let next = any_at(set | 1 << index, position)?;
                Some(Expression::sequence([Expression::from(*part), next.into()]))
            });
            builder.define(here, Expression::choice(ways.chain([fixed_here.clone()])));
            let (Expression::Rule(rule), Some((part, is_required))) =
                (fixed_here, fixed.get(position))
            else {
                continue;
            };
            let with = any_at(set, position + 1)
                .map(|next| Expression::sequence([Expression::from(*part), next.into()]));
            let without = fixed_at(position + 1).filter(|_| !is_required);
            builder.define(rule, Expression::choice(with.into_iter().chain(without)));
        }
    }
    any_at(0, 0).map_or(Expression::EMPTY, Expression::from)
}

/// Selects the parts that may have any position.
fn free(is_required: &[bool]) -> Vec<bool> {
    let all = is_required.len();
    let is_few = |free: &usize| (all - free).saturating_add(1) <= MOST_STATES >> free;
    let mut left = (0..=all).take_while(is_few).last().unwrap_or_default();
    let mut is_free = vec![false; all];
    for wanted in [true, false] {
        for (is_free, is_required) in is_free.iter_mut().zip(is_required) {
            if left > 0 && *is_required == wanted {
                *is_free = true;
                left -= 1;
            }
        }
    }
    is_free
}

/// Builds an expression for fields in a fixed order, each with a flag that says whether it is
/// required. Any number of `others` may follow.
///
/// Its size is almost proportional to the number of fields.
pub(super) fn optional_fields(
    builder: &mut GrammarBuilder,
    fields: Vec<(Expression, bool)>,
    others: Option<Expression>,
    separator: &Expression,
) -> Expression {
    let separated = |field: Expression| Expression::sequence([separator.clone(), field]);
    let Some(first) = fields.iter().position(|(_, is_required)| *is_required) else {
        let mut fields: Vec<Expression> = fields.into_iter().map(|(field, _)| field).collect();
        fields.extend(others.map(|others| {
            let more = separated(others.clone()).repeated(0, None);
            Expression::sequence([others, more])
        }));
        return match fields.is_empty() {
            true => Expression::EMPTY,
            false => at_least_one_of(builder, &fields, separator).optional(),
        };
    };
    // One field is always written. The fields before it have their separator after them, and the
    // fields after it have it before them.
    let parts = fields.into_iter().enumerate().map(|(at, (field, is_required))| {
        let part = match at {
            _ if at < first => Expression::sequence([field, separator.clone()]),
            _ if at == first => field,
            _ => separated(field),
        };
        if is_required { part } else { part.optional() }
    });
    let mut sequence: Vec<Expression> = parts.collect();
    sequence.extend(others.map(|others| separated(others).repeated(0, None)));
    Expression::Sequence(sequence)
}

/// At least one of these fields, in their order: some of the first half and optionally of the
/// second, or only of the second. Halving keeps the expression of many fields from nesting deeply.
fn at_least_one_of(
    builder: &mut GrammarBuilder,
    fields: &[Expression],
    separator: &Expression,
) -> Expression {
    if let [field] = fields {
        return field.clone();
    }
    let (first, second) = fields.split_at(fields.len() / 2);
    let first = at_least_one_of(builder, first, separator);
    let mut second = at_least_one_of(builder, second, separator);
    if !matches!(second, Expression::Rule(_)) {
        second = builder.rule("rest", second).into();
    }
    let more = Expression::sequence([separator.clone(), second.clone()]).optional();
    Expression::choice([Expression::sequence([first, more]), second])
}
