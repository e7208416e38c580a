//! The names of everything that a chat template can call. Tests read them to try each one. Users do
//! not need this module.

use super::table::names;
use super::value::Function;
use super::{filters as of_values, lists, methods as of_types, predicates};

/// The names of the filters.
pub fn filters() -> impl Iterator<Item = &'static str> {
    names(of_values::FILTERS).chain(names(lists::FILTERS))
}

/// The names of the tests after `is`.
pub fn tests() -> impl Iterator<Item = &'static str> {
    names(predicates::TESTS)
}

/// The names of the built-in functions.
pub fn functions() -> impl Iterator<Item = &'static str> {
    names(Function::ALL)
}

/// The methods: the name of the Python type, such as `str`, and the name of the method.
pub fn methods() -> impl Iterator<Item = (&'static str, &'static str)> {
    of_types::all()
}
