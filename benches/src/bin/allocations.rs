//! Counts what each subject allocates in one call. A program of its own, since a counting allocator
//! would disturb the times.
//!
//! Prints a line `job<TAB>subject<TAB>allocations<TAB>bytes` each; `prepare` reads them.

use std::alloc::System;
use std::hint::black_box;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    for job in typed_prompty_benches::jobs() {
        for subject in &job.subjects {
            // Whatever is only made once is there after the first calls.
            (0..3).for_each(|_| drop(black_box((subject.run)())));
            let region = Region::new(ALLOCATOR);
            drop(black_box((subject.run)()));
            let counted = region.change();
            let calls = counted.allocations + counted.reallocations;
            println!("{}\t{}\t{calls}\t{}", job.name, subject.name, counted.bytes_allocated);
        }
    }
}
