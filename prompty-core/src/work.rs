//! Counts steps of work. Tests use the counts instead of a clock to check that the work is
//! proportional to the size of the input and to the budget that was spent.
//!
//! Counting needs the feature `_work`, which is only for the tests of this project. Without it,
//! the `add_` functions do nothing, and the `count_` functions do not exist.

#[cfg(feature = "_work")]
use std::cell::Cell;

#[cfg(feature = "_work")]
thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
    static PAID: Cell<u64> = const { Cell::new(0) };
    static PARSED: Cell<u64> = const { Cell::new(0) };
}

/// Whether this build counts.
pub const COUNTS: bool = cfg!(feature = "_work");

/// Counts steps of work, such as bytes that are examined or copied, and entries that are compared.
#[inline]
#[cfg_attr(not(feature = "_work"), expect(unused_variables, reason = "nothing is counted"))]
pub fn add_steps(steps: usize) {
    #[cfg(feature = "_work")]
    STEPS.set(STEPS.get().saturating_add(u64::try_from(steps).unwrap_or(u64::MAX)));
}

/// Calls a function and returns how many steps this thread counted during the call.
#[cfg(feature = "_work")]
pub fn count_steps<T>(function: impl FnOnce() -> T) -> (T, u64) {
    let before = STEPS.get();
    let result = function();
    (result, STEPS.get().saturating_sub(before))
}

/// Counts what a render spends of its budget, in bytes or their equivalent. The budget is the
/// engine's limit on the work of one render.
#[inline]
#[cfg_attr(not(feature = "_work"), expect(unused_variables, reason = "nothing is counted"))]
pub fn add_paid(bytes: usize) {
    #[cfg(feature = "_work")]
    PAID.set(PAID.get().saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX)));
}

/// Calls a function and returns what the renders of this thread spent during the call.
#[cfg(feature = "_work")]
pub fn count_paid<T>(function: impl FnOnce() -> T) -> (T, u64) {
    let before = PAID.get();
    let result = function();
    (result, PAID.get().saturating_sub(before))
}

/// Counts the bytes of a template that a parser reads.
#[inline]
#[cfg_attr(not(feature = "_work"), expect(unused_variables, reason = "nothing is counted"))]
pub fn add_parsed(bytes: usize) {
    #[cfg(feature = "_work")]
    PARSED.set(PARSED.get().saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX)));
}

/// Calls a function and returns how many bytes of templates this thread parsed during the call.
#[cfg(feature = "_work")]
pub fn count_parsed<T>(function: impl FnOnce() -> T) -> (T, u64) {
    let before = PARSED.get();
    let result = function();
    (result, PARSED.get().saturating_sub(before))
}
