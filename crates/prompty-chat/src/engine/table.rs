//! Tables of the functions that templates can call, by name.

use super::arguments::{Arguments, Parameters};
use super::value::Outcome;

/// The names of a function, its parameters, and how it runs.
pub(super) type Entry<F> = (&'static [&'static str], Parameters, F);

/// The functions of a kind.
pub(super) type Table<F> = [Entry<F>];

/// The entry with a name.
pub(super) fn find<F>(table: &'static Table<F>, name: &str) -> Option<&'static Entry<F>> {
    table.iter().find(|(names, ..)| names.contains(&name))
}

/// All names of a table.
pub(super) fn names<F>(table: &'static Table<F>) -> impl Iterator<Item = &'static str> {
    table.iter().flat_map(|(names, ..)| names.iter().copied())
}

/// The function of an entry, if it accepts the arguments of a call. `name` is the name in the call.
pub(super) fn accept<F: Copy>(
    (_, parameters, function): &Entry<F>,
    name: &str,
    arguments: &Arguments,
) -> Outcome<F> {
    parameters.check(name, arguments)?;
    Ok(*function)
}
