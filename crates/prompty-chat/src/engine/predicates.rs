//! The tests after `is`.

use super::fault::Fault;
use super::operators::is_same;
use super::run::TestFn;
use super::table::Table;
use super::value::{Outcome, Val};
use prompty_template::jinja::methods as python;
use prompty_template::tree::BinaryOperator;

/// The tests.
pub(super) const TESTS: &Table<TestFn> = &[
    (&["boolean"], |_, value, _| Ok(matches!(value, Val::Bool(_)))),
    (&["callable"], |_, value, _| Ok(is_callable(value))),
    (&["defined"], |_, value, _| Ok(!value.is_undefined())),
    (&["divisibleby"], {
        |_, value, by| match (value.as_integer(), by.first().and_then(Val::as_integer)) {
            (Some(_), Some(0)) => Err(Fault::render("division by zero")),
            (Some(value), Some(by)) => Ok(value.wrapping_rem(by) == 0),
            _ => Err(Fault::render("`divisibleby` expects integers")),
        }
    }),
    (&["eq", "equalto", "=="], |run, a, b| run.holds(BinaryOperator::Equal, a, b)),
    (&["ne", "!="], |run, a, b| run.holds(BinaryOperator::NotEqual, a, b)),
    (&["lt", "lessthan", "<"], |run, a, b| run.holds(BinaryOperator::Less, a, b)),
    (&["le", "<="], |run, a, b| run.holds(BinaryOperator::LessOrEqual, a, b)),
    (&["gt", "greaterthan", ">"], |run, a, b| run.holds(BinaryOperator::Greater, a, b)),
    (&["ge", ">="], |run, a, b| run.holds(BinaryOperator::GreaterOrEqual, a, b)),
    (&["in"], |run, a, b| run.holds(BinaryOperator::In, a, b)),
    (&["escaped"], |_, value, _| Ok(matches!(value, Val::Safe(_)))),
    (&["even"], |_, value, _| parity(value).map(|rest| rest == 0)),
    (&["odd"], |_, value, _| parity(value).map(|rest| rest == 1)),
    (&["false"], |_, value, _| Ok(matches!(value, Val::Bool(false)))),
    (&["true"], |_, value, _| Ok(matches!(value, Val::Bool(true)))),
    (&["filter"], |run, value, _| {
        Ok(name_of(value).is_some_and(|it| (run.tables.filter)(it).is_some()))
    }),
    (&["test"], |run, value, _| {
        Ok(name_of(value).is_some_and(|it| (run.tables.test)(it).is_some()))
    }),
    (&["float"], |_, value, _| Ok(matches!(value, Val::Float(_)))),
    (&["integer"], |_, value, _| Ok(matches!(value, Val::Integer(_)))),
    (&["iterable", "sequence"], |_, value, _| Ok(is_sequence(value))),
    (&["lower"], |run, value, _| Ok(python::is_lower(&run.text(value)?))),
    (&["upper"], |run, value, _| Ok(python::is_upper(&run.text(value)?))),
    (&["mapping"], |_, value, _| Ok(matches!(value, Val::Dict(_)))),
    (&["none"], |_, value, _| Ok(matches!(value, Val::None))),
    (&["number"], |_, value, _| Ok(value.as_float().is_some())),
    (&["sameas"], |run, value, other| match other.first() {
        Some(other) => is_same(value, other, &run.meter),
        None => Ok(false),
    }),
    (&["string"], |_, value, _| Ok(value.as_text().is_some())),
    (&["undefined"], |_, value, _| Ok(value.is_undefined())),
];

/// A value as the name of a filter or a test.
fn name_of(value: &Val) -> Option<&str> {
    value.as_text()?.name()
}

/// Whether a value can be iterated over. An undefined value can, but has no items.
fn is_sequence(value: &Val) -> bool {
    value.as_text().is_some()
        || matches!(value, Val::Undefined | Val::List(_) | Val::Tuple(_) | Val::Dict(_))
}

/// Whether Python calls a value callable. Jinja's undefined values are, although a call fails.
fn is_callable(value: &Val) -> bool {
    matches!(
        value,
        Val::Function(_)
            | Val::Method(_)
            | Val::Macro(_)
            | Val::Loop(_)
            | Val::Joiner(_)
            | Val::Undefined
    )
}

fn parity(value: &Val) -> Outcome<i128> {
    match value.as_integer() {
        Some(number) => Ok(number.rem_euclid(2)),
        None => Err(Fault::wrong_type(value, "is neither odd nor even")),
    }
}
