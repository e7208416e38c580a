//! Fields one behind the other, with a separator between each two, where some may be left out.

use super::{Expression, GrammarBuilder};

/// Fields in their order; whether each has to be there stands beside it. Behind them, what may come
/// so often as it likes.
///
/// Its size is in proportion to the number of fields, or nearly so.
pub(super) fn row(
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
    let mut row: Vec<Expression> = parts.collect();
    row.extend(others.map(|others| separated(others).repeated(0, None)));
    Expression::Sequence(row)
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
