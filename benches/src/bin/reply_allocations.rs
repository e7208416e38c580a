//! Counts the allocations of our parser for a reply. This is a separate program, since a counting
//! allocator would slow down the measured code.
//!
//! It prints a line `input<TAB>complete<TAB>streamed<TAB>pushes<TAB>allocating` for each input: the
//! allocations of one complete reply, those of one streamed reply, and how many pushes after the
//! first quarter allocate. The bench `replies` reads these lines.

use std::alloc::System;
use std::hint::black_box;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use typed_prompty::reply::FinishReason;
use typed_prompty_benches::replies::{inputs, parser_for};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    for input in inputs() {
        let parser = parser_for(&input);
        let complete = count_allocations(|| drop(black_box(parser.parse(&input.text))));
        let chunks = input.chunks();
        let mut allocating = 0;
        let warm_up = chunks.len() / 4;
        let streamed = count_allocations(|| {
            let mut stream = parser.stream();
            for (index, chunk) in chunks.iter().enumerate() {
                let allocations = count_allocations(|| {
                    black_box(stream.push(chunk).count());
                });
                allocating += usize::from(allocations > 0 && index >= warm_up);
            }
            black_box(stream.finish(FinishReason::End).count());
        });
        let pushes = chunks.len() - warm_up;
        println!("{}\t{complete}\t{streamed}\t{pushes}\t{allocating}", input.name);
    }
}

/// The number of allocations in a call.
fn count_allocations(act: impl FnOnce()) -> usize {
    let region = Region::new(ALLOCATOR);
    act();
    let change = region.change();
    change.allocations + change.reallocations
}
