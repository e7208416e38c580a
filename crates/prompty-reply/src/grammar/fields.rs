//! Optional fields: in any order, or in a fixed order with separators.

use super::{Expression, GrammarBuilder, RuleId};

/// The maximum number of [states](FieldStates). A grammar needs rules for each, so only few fields
/// can have any position.
const MOST_STATES: usize = 128;

/// A field: its name, its expression, and whether it is required.
pub(super) struct GrammarField {
    pub(super) name: String,
    pub(super) expression: Expression,
    pub(super) is_required: bool,
}

/// Builds an expression for fields in any order, each at most once. If there are more than seven,
/// only some of them can have any position, required ones first: these are free. The rest are
/// fixed: they keep their relative order.
pub(super) fn in_any_order(builder: &mut GrammarBuilder, parts: Vec<GrammarField>) -> Expression {
    let is_required: Vec<bool> = parts.iter().map(|part| part.is_required).collect();
    let (mut free, mut fixed) = (Vec::new(), Vec::new());
    for (part, is_free) in parts.into_iter().zip(select_free(&is_required)) {
        let rule = builder.rule(&format!("argument-{}", part.name), part.expression);
        let fields = if is_free { &mut free } else { &mut fixed };
        fields.push((rule, part.is_required));
    }
    let (sets, positions) = (1_usize << free.len(), fixed.len() + 1);
    let mut reserve = |count: usize| -> Vec<RuleId> {
        (0..count).map(|_| builder.reserve("arguments")).collect()
    };
    let any = reserve(sets * positions);
    let in_order = reserve(sets * fixed.len());
    let states = FieldStates { free, fixed, any, in_order };
    for written in 0..sets {
        for position in 0..positions {
            states.define(builder, written, position);
        }
    }
    states.any_at(0, 0).map_or(Expression::EMPTY, Expression::from)
}

/// The states of fields in any order. A state is the set of free fields that were written, as bits,
/// and the position among the fixed fields.
///
/// Each state has two rules. `any` is for everything that may follow, `in_order` for everything
/// except a free field. This way an omitted fixed field is read in only one way. For the optional
/// free field `A` and the optional fixed field `F`, the rules are:
///
/// | written, position | `any` | `in_order` |
/// |---|---|---|
/// | none, 0 | `A any(A, 0)` or `in_order(none, 0)` | `F any(none, 1)` or nothing |
/// | none, 1 | `A any(A, 1)` or nothing | |
/// | `A`, 0 | `in_order(A, 0)` | `F any(A, 1)` or nothing |
/// | `A`, 1 | nothing | |
struct FieldStates {
    /// The rule of each free field, and whether it is required.
    free: Vec<(RuleId, bool)>,
    fixed: Vec<(RuleId, bool)>,
    any: Vec<RuleId>,
    in_order: Vec<RuleId>,
}

impl FieldStates {
    /// The rule of everything that may follow.
    fn any_at(&self, written: usize, position: usize) -> Option<RuleId> {
        self.any.get(written * (self.fixed.len() + 1) + position).copied()
    }

    /// Everything that may follow, except for a free field.
    fn in_order_at(&self, written: usize, position: usize) -> Option<Expression> {
        if position < self.fixed.len() {
            let rule = self.in_order.get(written * self.fixed.len() + position);
            return rule.copied().map(Expression::Rule);
        }
        Some(match self.unwritten(written).any(|(_, (_, is_required))| *is_required) {
            true => Expression::NOTHING,
            false => Expression::EMPTY,
        })
    }

    /// The free fields that were not written, with their bits.
    fn unwritten(&self, written: usize) -> impl Iterator<Item = (usize, &(RuleId, bool))> {
        let with_bits = self.free.iter().enumerate().map(|(index, field)| (1 << index, field));
        with_bits.filter(move |(bit, _)| written & bit == 0)
    }

    /// Defines the rules of a state.
    fn define(&self, builder: &mut GrammarBuilder, written: usize, position: usize) {
        let followed_by = |field: RuleId, next: RuleId| {
            Expression::sequence([Expression::from(field), next.into()])
        };
        let (Some(any), Some(in_order)) =
            (self.any_at(written, position), self.in_order_at(written, position))
        else {
            return;
        };
        let ways = self.unwritten(written).filter_map(|(bit, (field, _))| {
            Some(followed_by(*field, self.any_at(written | bit, position)?))
        });
        builder.define(any, Expression::choice(ways.chain([in_order.clone()])));
        if let (Expression::Rule(in_order), Some((field, is_required))) =
            (in_order, self.fixed.get(position))
        {
            let with = self.any_at(written, position + 1).map(|next| followed_by(*field, next));
            let without = self.in_order_at(written, position + 1).filter(|_| !is_required);
            builder.define(in_order, Expression::choice(with.into_iter().chain(without)));
        }
    }
}

/// Selects the fields that may have any position: as many as the number of states allows, required
/// ones first.
fn select_free(is_required: &[bool]) -> Vec<bool> {
    let all = is_required.len();
    // There are 2^free sets and `all - free + 1` positions.
    let has_few_states = |free: &usize| (all - free).saturating_add(1) <= MOST_STATES >> free;
    let mut left = (0..=all).take_while(has_few_states).last().unwrap_or_default();
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
        // Nothing, or at least one of the fields or of the others.
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
    // fields after it have it before them: `(a ",")? b ("," c)?` if `b` is required.
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
/// second, or only of the second, as in `a ("," b)? | b`. Halving keeps the expression of many
/// fields from nesting deeply.
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
