//! Counts the work of code. A test that measures time fails on a busy machine, and passes on a fast
//! one.
//!
//! The counts are the same on every machine and in every run. They belong to one thread, so tests
//! that run in parallel do not disturb each other.
#![allow(clippy::panic, reason = "in a test, a panic is a failure")]

use std::fmt::{self, Display, Formatter};

use prompty_core::work::{count_paid, count_steps};

/// The ratio of the largest input to the smallest.
const LARGER: usize = 16;

/// Additional steps that are allowed: inputs of other sizes are split at other places.
const EXTRA_STEPS: u64 = 16 * 1024;

/// Additional allocations that are allowed: a growing buffer is reallocated a few times more.
const EXTRA_ALLOCATIONS: u64 = 64;

/// One in this number of allocations is allowed in addition: larger inputs have larger numbers,
/// whose digits may need a reallocated buffer.
const MORE_DIGITS: u64 = 8;

/// Additional bytes that are allowed.
const EXTRA_BYTES: u64 = 64 * 1024;

/// The maximum ratio of the capacity of a growing buffer to its length, because it doubles.
const CAPACITY_RATIO: u64 = 2;

/// The work of a piece of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Steps that the library counted: bytes that it read or copied, entries that it compared.
    pub steps: u64,
    /// Allocated blocks of memory. Each reallocation counts.
    pub allocations: u64,
    /// The bytes of all these blocks.
    pub bytes: u64,
    /// The maximum number of bytes that were allocated at one time.
    pub held: u64,
    /// The budget that renders spent on it, in bytes.
    pub paid: u64,
}

impl Display for Work {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { steps, allocations, bytes, held, .. } = self;
        write!(f, "{steps} steps, {allocations} allocations of {bytes} bytes, {held} at one time")
    }
}

/// Calls a function, and counts the work of this thread in it.
pub fn count_work<T>(function: impl FnOnce() -> T) -> (T, Work) {
    let mut counted = None;
    let memory = allocation_counter::measure(|| {
        counted = Some(count_paid(|| count_steps(function)));
    });
    let Some(((result, steps), paid)) = counted else { unreachable!("the function was called") };
    let (allocations, bytes) = (memory.count_total, memory.bytes_total);
    (result, Work { steps, allocations, bytes, held: memory.bytes_max, paid })
}

/// Checks that work grows linearly with its input. `work` counts the work for an input size. It is
/// called with `size`, with twice the size and with 16 times the size.
///
/// The difference between the first two gives the cost of one `size`. Work that is done once, or
/// that is missing at the end of the input, has no influence.
///
/// # Errors
///
/// Returns a description of the growth as an error if the work grows faster.
pub fn check_linear(size: usize, mut work: impl FnMut(usize) -> Work) -> Result<(), String> {
    let [once, twice, large] = [1, 2, LARGER].map(|times| work(size * times));
    let bound = |count: fn(&Work) -> u64, extra: u64| {
        let each = count(&twice).saturating_sub(count(&once));
        count(&once) + each * (LARGER as u64 - 1) + extra
    };
    let allocations = bound(|work| work.allocations, EXTRA_ALLOCATIONS);
    let is_linear = large.steps <= bound(|work| work.steps, EXTRA_STEPS)
        && large.allocations <= allocations + allocations / MORE_DIGITS
        && large.bytes <= bound(|work| work.bytes, EXTRA_BYTES) * CAPACITY_RATIO;
    if is_linear {
        return Ok(());
    }
    Err(format!("{once}; for twice the input {twice}; for {LARGER} times the input {large}"))
}

/// Asserts that work grows linearly with its input: see [`check_linear`].
///
/// # Panics
///
/// Panics if the work grows faster than its input.
#[track_caller]
pub fn assert_linear(what: &str, size: usize, work: impl FnMut(usize) -> Work) {
    if let Err(growth) = check_linear(size, work) {
        panic!("{what} grows too fast: {growth}");
    }
}
