//! The names of all that a chat template can call. Tests read them, so that they try every one. They are
//! not for users.

use super::table::names;
use super::value::Function;
use super::{filters as of_values, lists, methods as of_types, predicates};

/// The names of the filters.
pub fn filters() -> impl Iterator<Item = &'static str> {
    names(of_values::FILTERS).chain(names(lists::FILTERS))
}

/// The names of the tests that stand behind `is`.
pub fn tests() -> impl Iterator<Item = &'static str> {
    names(predicates::TESTS)
}

/// The names of the functions that every template has.
pub fn functions() -> impl Iterator<Item = &'static str> {
    names(Function::ALL)
}

/// The methods: what Python calls the type, such as `str`, and the method's name.
pub fn methods() -> impl Iterator<Item = (&'static str, &'static str)> {
    of_types::all()
}
