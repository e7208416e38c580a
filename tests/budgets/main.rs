//! The budgets of both engines: no operation of a template does more than ten times what it pays
//! for.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test, a panic is a failure")]

mod costly;
mod names;
mod pairs;
mod single;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use prompty_core::ErrorKind;
use prompty_template::RenderLimits;

/// The default limits, divided by a number. The budget is then small enough for a debug build, and
/// still far larger than what a render uses at once.
fn limits(divisor: u16) -> RenderLimits {
    let default = RenderLimits::default();
    let output = default.max_output / usize::from(divisor);
    default.with_fuel(default.fuel / u64::from(divisor)).with_max_output(output)
}

/// Calls a function for all items in parallel. Returns the results in the order of the items. Work
/// is counted for each thread.
fn on_all_cores<T: Sync, R: Send>(items: &[T], check: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut results = Vec::new();
        while let Some((index, item)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            items.get(index).map(|item| (index, item))
        } {
            results.push((index, check(item)));
        }
        results
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut results: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Whether a render succeeded, or ended with an error that the template itself raised.
fn is_done(end: &Option<ErrorKind>) -> bool {
    matches!(end, None | Some(ErrorKind::Refused))
}
