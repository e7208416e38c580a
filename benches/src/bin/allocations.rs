//! Counts the allocations of each subject in one call. This is a separate program, since a counting
//! allocator would slow down the measured code.
//!
//! It prints a line `job<TAB>subject<TAB>allocations<TAB>bytes` for each subject; `prepare` reads
//! these lines.

use std::alloc::System;
use std::hint::black_box;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    for job in typed_prompty_benches::jobs() {
        for subject in &job.subjects {
            // The first calls also allocate what is allocated only once.
            (0..3).for_each(|_| drop(black_box((subject.run)())));
            let region = Region::new(ALLOCATOR);
            drop(black_box((subject.run)()));
            let counted = region.change();
            let calls = counted.allocations + counted.reallocations;
            println!("{}\t{}\t{calls}\t{}", job.name, subject.name, counted.bytes_allocated);
        }
    }
}
