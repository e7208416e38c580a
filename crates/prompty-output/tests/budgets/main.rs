//! The budget of the reader of replies: no reply takes more than ten times the usual memory or
//! steps for each of its bytes.
#![cfg(feature = "output")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test, a panic is a failure")]

mod replies;
mod schemas;

use prompty_core::value::Value;
use prompty_output::output::{Leniency, Output};
use work_counting::{Work, count_work};

use replies::Reply;

/// The length of all replies, in bytes.
const LENGTH: usize = 2_000;

/// How much more than the median a reply may take.
const TIMES_MEDIAN: u64 = 10;

/// The lengths of the pieces of a streamed reply.
const PIECES: [usize; 2] = [1, 60];

/// The work of reading one reply.
struct Measured {
    name: String,
    work: Work,
}

fn parse(output: &Output<Value>, reply: &str) -> Work {
    count_work(|| drop(output.parse(reply))).1
}

fn stream(output: &Output<Value>, reply: &str, length: usize) -> Work {
    let pieces: Vec<String> = {
        let characters: Vec<char> = reply.chars().collect();
        characters.chunks(length).map(|it| it.iter().collect()).collect()
    };
    count_work(|| {
        let mut stream = output.stream();
        for piece in &pieces {
            drop(stream.push(piece));
        }
        drop(stream.end());
        drop(stream.finish());
    })
    .1
}

/// Reads all replies as all types, and checks the work of each against the median.
fn check(what: &str, read: impl Fn(&Output<Value>, &str) -> Work) {
    let replies: Vec<Reply> = replies::all(LENGTH);
    let mut over_budget = Vec::new();
    for (schema_name, schema) in schemas::all() {
        for leniency in [Leniency::Plain, Leniency::Generous] {
            let output = Output::from_schema(schema.clone()).with_leniency(leniency);
            let measured = replies.iter().map(|reply| {
                let name = format!("{} as {schema_name}, {leniency:?}", reply.name);
                Measured { name, work: read(&output, &reply.text) }
            });
            over_budget.extend(find_over_budget(&measured.collect::<Vec<_>>()));
        }
    }
    let count = over_budget.len();
    assert!(over_budget.is_empty(), "{what}: {count} over budget:\n{}", over_budget.join("\n"));
}

/// The replies that take too much work, compared with the others that are read as the same type.
fn find_over_budget(measured: &[Measured]) -> Vec<String> {
    let mut over_budget = Vec::new();
    let counts: [(&str, fn(&Work) -> u64); 4] = [
        ("steps", |work| work.steps),
        ("allocations", |work| work.allocations),
        ("bytes", |work| work.bytes),
        ("bytes at one time", |work| work.held),
    ];
    for (unit, count) in counts {
        let mut all: Vec<u64> = measured.iter().map(|it| count(&it.work)).collect();
        all.sort_unstable();
        let median = all.get(all.len() / 2).copied().unwrap_or_default().max(LENGTH as u64);
        let most = median * TIMES_MEDIAN;
        let mut over: Vec<_> = measured.iter().filter(|it| count(&it.work) > most).collect();
        over.sort_by_key(|it| std::cmp::Reverse(count(&it.work)));
        over_budget.extend(
            over.iter().map(|it| {
                format!("{} {unit}, the median is {median}: {}", count(&it.work), it.name)
            }),
        );
    }
    over_budget
}

#[test]
fn complete_replies_stay_within_the_budget() {
    check("complete", parse);
}

#[test]
fn replies_in_pieces_stay_within_the_budget() {
    for length in PIECES {
        check(&format!("pieces of {length}"), |output, reply| stream(output, reply, length));
    }
}
