//! Fields of which some may be left out: in any order, or one behind the other with separators.

use super::{Expression, GrammarBuilder, RuleId};

/// A grammar needs rules for each set of parts that have come, so it cannot let many stand anywhere.
/// So many sets, and places of the other parts, there are at most.
const MOST_STATES: usize = 128;

/// A part: its name, what it is, and whether it is required.
pub(super) struct Part {
    pub(super) name: String,
    pub(super) expression: Expression,
    pub(super) is_required: bool,
}

/// Parts in any order, each once at most. Where there are more than seven, some may stand anywhere,
/// those that are required before others, and the rest keep their order among themselves.
pub(super) fn in_any_order(builder: &mut GrammarBuilder, parts: Vec<Part>) -> Expression {
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
    // For each set of free parts that have come, and each place among the others, two rules:
    // what may come behind them, and what may come but for a free part. So what is left out is not
    // read in more than one way.
    let (sets, width) = (1_usize << free.len(), fixed.len() + 1);
    let mut reserve = |count: usize| -> Vec<RuleId> {
        (0..count).map(|_| builder.reserve("arguments")).collect()
    };
    let (any, in_order) = (reserve(sets * width), reserve(sets * fixed.len()));
    let any_at = |set: usize, place: usize| any.get(set * width + place).copied();
    for set in 0..sets {
        let is_due = |(index, (_, is_required)): (usize, &(RuleId, bool))| {
            *is_required && set & 1 << index == 0
        };
        let end = match free.iter().enumerate().any(is_due) {
            true => Expression::NOTHING,
            false => Expression::EMPTY,
        };
        let fixed_at = |place: usize| match place < fixed.len() {
            true => in_order.get(set * fixed.len() + place).copied().map(Expression::Rule),
            false => Some(end.clone()),
        };
        for place in 0..width {
            let (Some(here), Some(fixed_here)) = (any_at(set, place), fixed_at(place)) else {
                continue;
            };
            let frees = free.iter().enumerate().filter(|(index, _)| set & 1 << index == 0);
            let ways = frees.filter_map(|(index, (part, _))| {
                let next = any_at(set | 1 << index, place)?;
                Some(Expression::sequence([Expression::from(*part), next.into()]))
            });
            builder.define(here, Expression::choice(ways.chain([fixed_here.clone()])));
            let (Expression::Rule(rule), Some((part, is_required))) =
                (fixed_here, fixed.get(place))
            else {
                continue;
            };
            let with = any_at(set, place + 1)
                .map(|next| Expression::sequence([Expression::from(*part), next.into()]));
            let without = fixed_at(place + 1).filter(|_| !is_required);
            builder.define(rule, Expression::choice(with.into_iter().chain(without)));
        }
    }
    any_at(0, 0).map_or(Expression::EMPTY, Expression::from)
}

/// Which parts may stand anywhere.
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

/// Fields in their order; whether each has to be there stands beside it. Behind them, what may come
/// so often as it likes.
///
/// Its size is in proportion to the number of fields, or nearly so.
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
            false => some_of(builder, &fields, separator).optional(),
        };
    };
    // One field is always there: those in front of it have their separator behind them, and those
    // behind it in front.
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

/// One of these at least, in their order: of the first half, then perhaps of the second; or of the
/// second alone. By halves, so that many fields are not deep in each other.
fn some_of(
    builder: &mut GrammarBuilder,
    fields: &[Expression],
    separator: &Expression,
) -> Expression {
    if let [field] = fields {
        return field.clone();
    }
    let (first, second) = fields.split_at(fields.len() / 2);
    let first = some_of(builder, first, separator);
    let mut second = some_of(builder, second, separator);
    if !matches!(second, Expression::Rule(_)) {
        second = builder.rule("rest", second).into();
    }
    let more = Expression::sequence([separator.clone(), second.clone()]).optional();
    Expression::choice([Expression::sequence([first, more]), second])
}
