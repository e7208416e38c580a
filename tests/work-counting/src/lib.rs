//! How much work something is, counted: a test that looks at a clock fails on a busy machine, and
//! passes on a fast one.
//!
//! What is counted is the same on every machine and in every run. All of it belongs to one thread, so
//! tests that run side by side do not disturb each other.
#![allow(clippy::panic, reason = "in a test, a panic is a failure")]

use std::fmt::{self, Display, Formatter};

use prompty_core::work::{count_paid, count_steps};

/// How many times as large the largest input is as the smallest.
const LARGER: usize = 16;

/// Steps that may come on top: inputs of other sizes are cut at other places.
const EXTRA_STEPS: u64 = 16 * 1024;

/// Allocations that may come on top: a buffer that grows is allocated anew a few times more.
const EXTRA_ALLOCATIONS: u64 = 64;

/// One allocation in so many may come on top as well: larger inputs have larger numbers, whose
/// digits may need a buffer that is allocated anew.
const MORE_DIGITS: u64 = 8;

/// Bytes that may come on top.
const EXTRA_BYTES: u64 = 64 * 1024;

/// A buffer that grows doubles its room, so it may have twice the room that it needs.
const SPARE_ROOM: u64 = 2;

/// The work that something took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Steps that the library counted: bytes that it examined or copied, entries that it compared.
    pub steps: u64,
    /// Blocks of memory that were allocated. One that grows is allocated anew.
    pub allocations: u64,
    /// The bytes of all these blocks.
    pub bytes: u64,
    /// The most bytes that were allocated and not yet freed at one time.
    pub held: u64,
    /// What renders paid for it out of their budgets, in bytes.
    pub paid: u64,
}

impl Display for Work {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { steps, allocations, bytes, held, .. } = self;
        write!(f, "{steps} steps, {allocations} allocations of {bytes} bytes, {held} at one time")
    }
}

/// Calls a function, and counts the work that this thread does in it.
pub fn count_work<T>(function: impl FnOnce() -> T) -> (T, Work) {
    let mut counted = None;
    let memory = allocation_counter::measure(|| {
        counted = Some(count_paid(|| count_steps(function)));
    });
    let Some(((result, steps), paid)) = counted else { unreachable!("the function was called") };
    let (allocations, bytes) = (memory.count_total, memory.bytes_total);
    (result, Work { steps, allocations, bytes, held: memory.bytes_max, paid })
}

/// Checks that work grows no faster than its input. `work` counts it for an input of a size; it is
/// asked for `size`, for twice that and for 16 times that.
///
/// What the second `size` costs says what each costs: whatever is done once, or is not done at the
/// end of the input, plays no part.
///
/// # Errors
///
/// Says how the work grows, where it grows faster.
pub fn check_linear(size: usize, mut work: impl FnMut(usize) -> Work) -> Result<(), String> {
    let [once, twice, large] = [1, 2, LARGER].map(|times| work(size * times));
    let bound = |count: fn(&Work) -> u64, extra: u64| {
        let each = count(&twice).saturating_sub(count(&once));
        count(&once) + each * (LARGER as u64 - 1) + extra
    };
    let allocations = bound(|work| work.allocations, EXTRA_ALLOCATIONS);
    let is_linear = large.steps <= bound(|work| work.steps, EXTRA_STEPS)
        && large.allocations <= allocations + allocations / MORE_DIGITS
        && large.bytes <= bound(|work| work.bytes, EXTRA_BYTES) * SPARE_ROOM;
    if is_linear {
        return Ok(());
    }
    Err(format!("{once}; for twice the input {twice}; for {LARGER} times the input {large}"))
}

/// Asserts what [`check_linear`] checks.
///
/// # Panics
///
/// Where the work grows faster than its input.
#[track_caller]
pub fn assert_linear(what: &str, size: usize, work: impl FnMut(usize) -> Work) {
    if let Err(growth) = check_linear(size, work) {
        panic!("{what} grows too fast: {growth}");
    }
}
