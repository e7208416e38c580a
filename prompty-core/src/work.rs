//! Steps of work, counted for the tests: they hold the work to the size of its input, and to what was
//! paid for it, without a clock.
//!
//! Only the feature `_work`, which is for the tests of this project, counts. Without it nothing is
//! kept and nothing is compiled in.

#[cfg(feature = "_work")]
use std::cell::Cell;

#[cfg(feature = "_work")]
thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
    static PAID: Cell<u64> = const { Cell::new(0) };
    static PARSED: Cell<u64> = const { Cell::new(0) };
}

/// Counts steps of the work that is being done: bytes that are examined or copied, entries that are
/// compared.
#[inline]
#[cfg_attr(not(feature = "_work"), expect(unused_variables, reason = "nothing is counted"))]
pub fn add_steps(steps: usize) {
    #[cfg(feature = "_work")]
    STEPS.set(STEPS.get().saturating_add(u64::try_from(steps).unwrap_or(u64::MAX)));
}

/// Calls a function, and says how many steps this thread counted in it.
#[cfg(feature = "_work")]
pub fn count_steps<T>(function: impl FnOnce() -> T) -> (T, u64) {
    let before = STEPS.get();
    let result = function();
    (result, STEPS.get().saturating_sub(before))
}

/// Whether anything is counted.
pub const COUNTS: bool = cfg!(feature = "_work");

/// Counts what a render pays out of its budget: bytes, and what stands for them.
#[inline]
#[cfg_attr(not(feature = "_work"), expect(unused_variables, reason = "nothing is counted"))]
pub fn add_paid(bytes: usize) {
    #[cfg(feature = "_work")]
    PAID.set(PAID.get().saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX)));
}

/// Calls a function, and says how much the renders of this thread paid in it.
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

/// Calls a function, and says how many bytes of templates this thread parsed in it.
#[cfg(feature = "_work")]
pub fn count_parsed<T>(function: impl FnOnce() -> T) -> (T, u64) {
    let before = PARSED.get();
    let result = function();
    (result, PARSED.get().saturating_sub(before))
}
