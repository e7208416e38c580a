//! The tests after `is`.

use super::arguments::positional;
use super::fault::Fault;
use super::operators::is_same;
use super::run::TestFn;
use super::table::Table;
use super::text::Text;
use super::value::{Outcome, Val};
use prompty_template::jinja::methods as python;
use prompty_template::tree::BinaryOperator;

/// The tests.
pub(super) const TESTS: &Table<TestFn> = &[
    (&["boolean"], positional(0), |_, value, _| Ok(matches!(value, Val::Bool(_)))),
    (&["callable"], positional(0), |_, value, _| Ok(is_callable(value))),
    (&["defined"], positional(0), |_, value, _| Ok(!value.is_undefined())),
    (&["divisibleby"], positional(1), {
        |_, value, by| match (value.as_integer(), by.first().and_then(Val::as_integer)) {
            (Some(_), Some(0)) => Err(Fault::render("division by zero")),
            (Some(value), Some(by)) => Ok(value.wrapping_rem(by) == 0),
            _ => Err(Fault::render("`divisibleby` expects integers")),
        }
    }),
    (&["eq", "equalto", "=="], positional(1), |run, a, b| run.holds(BinaryOperator::Equal, a, b)),
    (&["ne", "!="], positional(1), |run, a, b| run.holds(BinaryOperator::NotEqual, a, b)),
    (&["lt", "lessthan", "<"], positional(1), |run, a, b| run.holds(BinaryOperator::Less, a, b)),
    (&["le", "<="], positional(1), |run, a, b| run.holds(BinaryOperator::LessOrEqual, a, b)),
    (&["gt", "greaterthan", ">"], positional(1), |run, a, b| {
        run.holds(BinaryOperator::Greater, a, b)
    }),
    (&["ge", ">="], positional(1), |run, a, b| run.holds(BinaryOperator::GreaterOrEqual, a, b)),
    (&["in"], positional(1), |run, a, b| run.holds(BinaryOperator::In, a, b)),
    (&["escaped"], positional(0), |_, value, _| Ok(matches!(value, Val::Safe(_)))),
    (&["even"], positional(0), |_, value, _| parity(value).map(|rest| rest == 0)),
    (&["odd"], positional(0), |_, value, _| parity(value).map(|rest| rest == 1)),
    (&["false"], positional(0), |_, value, _| Ok(matches!(value, Val::Bool(false)))),
    (&["true"], positional(0), |_, value, _| Ok(matches!(value, Val::Bool(true)))),
    (&["filter"], positional(0), |run, value, _| {
        Ok(name_of(value)?.is_some_and(|it| (run.tables.filter)(it).is_some()))
    }),
    (&["test"], positional(0), |run, value, _| {
        Ok(name_of(value)?.is_some_and(|it| (run.tables.test)(it).is_some()))
    }),
    (&["float"], positional(0), |_, value, _| Ok(matches!(value, Val::Float(_)))),
    (&["integer"], positional(0), |_, value, _| Ok(matches!(value, Val::Integer(_)))),
    (&["iterable", "sequence"], positional(0), |_, value, _| Ok(is_sequence(value))),
    (&["lower"], positional(0), |run, value, _| Ok(python::is_lower(&run.text(value)?))),
    (&["upper"], positional(0), |run, value, _| Ok(python::is_upper(&run.text(value)?))),
    (&["mapping"], positional(0), |_, value, _| Ok(matches!(value, Val::Dict(_)))),
    (&["none"], positional(0), |_, value, _| Ok(matches!(value, Val::None))),
    (&["number"], positional(0), |_, value, _| Ok(value.as_float().is_some())),
    (&["sameas"], positional(1), |run, value, other| match other.first() {
        Some(other) => is_same(value, other, &run.meter),
        None => Err(Fault::render("test `sameas` takes 1 argument")),
    }),
    (&["string"], positional(0), |_, value, _| Ok(value.as_text().is_some())),
    (&["undefined"], positional(0), |_, value, _| Ok(value.is_undefined())),
];

/// A value as the name of a filter or a test.
fn name_of(value: &Val) -> Outcome<Option<&str>> {
    match value {
        Val::List(_) | Val::Dict(_) => Err(Fault::wrong_type(value, "is not a name")),
        _ => Ok(value.as_text().and_then(Text::name)),
    }
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
