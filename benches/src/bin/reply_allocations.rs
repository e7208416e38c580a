//! Counts what ours allocates for a reply. A program of its own, since a counting allocator would
//! disturb the times.
//!
//! Prints a line `input<TAB>whole<TAB>streamed<TAB>pushes<TAB>allocating` each: allocations of one
//! whole reply, of one streamed reply, and how many pushes behind the first quarter of them allocate;
//! the bench `replies` reads them.

use std::alloc::System;
use std::hint::black_box;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use typed_prompty::reply::FinishReason;
use typed_prompty_benches::replies::{inputs, parser_of};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    for input in inputs() {
        let parser = parser_of(&input);
        let whole = counted(|| drop(black_box(parser.parse(&input.text))));
        let chunks = input.chunks();
        let mut allocating = 0;
        let settled = chunks.len() / 4;
        let streamed = counted(|| {
            let mut stream = parser.stream();
            for (index, chunk) in chunks.iter().enumerate() {
                let made = counted(|| {
                    black_box(stream.push(chunk).count());
                });
                allocating += usize::from(made > 0 && index >= settled);
            }
            black_box(stream.finish(FinishReason::End).count());
        });
        let pushes = chunks.len() - settled;
        println!("{}\t{whole}\t{streamed}\t{pushes}\t{allocating}", input.name);
    }
}

/// How often something allocates.
fn counted(act: impl FnOnce()) -> usize {
    let region = Region::new(ALLOCATOR);
    act();
    let change = region.change();
    change.allocations + change.reallocations
}
