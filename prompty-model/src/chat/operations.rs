//! The names of all that a chat template can call. Tests read them, so that they try every one. They are
//! not for users.

use super::engine;

/// The names of the filters.
pub fn filters() -> impl Iterator<Item = &'static str> {
    engine::filters()
}

/// The names of the tests that stand behind `is`.
pub fn tests() -> impl Iterator<Item = &'static str> {
    engine::tests()
}

/// The names of the functions that every template has.
pub fn functions() -> impl Iterator<Item = &'static str> {
    engine::functions()
}

/// The methods: what Python calls the type, such as `str`, and the method's name.
pub fn methods() -> impl Iterator<Item = (&'static str, &'static str)> {
    engine::methods()
}
