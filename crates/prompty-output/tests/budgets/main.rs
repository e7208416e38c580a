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
const LENGTH: usize = 1_000;

/// How much more than the median a reply may take.
const TIMES_MEDIAN: u64 = 10;

/// The number of characters in each piece of a streamed reply, as in a token.
const PIECE: usize = 4;

/// A unit of work, and its number.
type Unit = (&'static str, fn(&Work) -> u64);

const UNITS: [Unit; 3] = [
    ("steps", |work| work.steps),
    ("bytes", |work| work.bytes),
    ("bytes at one time", |work| work.held),
];

/// The work of reading one reply.
struct Measured {
    name: String,
    length: u64,
    work: Work,
}

impl Measured {
    /// The work for 1,000 bytes.
    fn rate(&self, count: fn(&Work) -> u64) -> u64 {
        count(&self.work) * 1_000 / self.length
    }
}

fn parse(output: &Output<Value>, reply: &str) -> Work {
    count_work(|| drop(output.parse(reply))).1
}

fn stream(output: &Output<Value>, reply: &str) -> Work {
    let characters: Vec<char> = reply.chars().collect();
    let pieces: Vec<String> = characters.chunks(PIECE).map(|it| it.iter().collect()).collect();
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

/// Reads all replies as all types, and checks that each takes at most ten times the usual work for
/// its length. What is usual is the median of all replies that are read as the same type, or of
/// all types if that is more.
fn check(what: &str, leniencies: &[Leniency], read: fn(&Output<Value>, &str) -> Work) {
    let replies: Vec<Reply> = replies::all(LENGTH);
    let groups: Vec<Vec<Measured>> = schemas::all()
        .into_iter()
        .map(|(type_name, schema)| {
            let outputs = leniencies.iter().map(|leniency| {
                (leniency, Output::from_schema(schema.clone()).with_leniency(*leniency))
            });
            let measure = |(leniency, output): (&Leniency, Output<Value>)| {
                let measured = replies.iter().map(move |reply| Measured {
                    name: format!("{} as {type_name}, {leniency:?}", reply.name),
                    length: reply.text.len() as u64,
                    work: read(&output, &reply.text),
                });
                measured.collect::<Vec<_>>()
            };
            outputs.flat_map(measure).collect()
        })
        .collect();
    let mut over_budget = Vec::new();
    for (unit, count) in UNITS {
        let usual = median(groups.iter().flatten().map(|it| it.rate(count)));
        for group in &groups {
            let usual = usual.max(median(group.iter().map(|it| it.rate(count))));
            let over = group.iter().filter(|it| it.rate(count) > usual * TIMES_MEDIAN);
            over_budget.extend(over.map(|it| {
                format!("{} {unit} for 1,000 bytes instead of {usual}: {}", it.rate(count), it.name)
            }));
        }
    }
    let count = over_budget.len();
    assert!(over_budget.is_empty(), "{what}: {count} over budget:\n{}", over_budget.join("\n"));
}

fn median(rates: impl Iterator<Item = u64>) -> u64 {
    let mut rates: Vec<u64> = rates.collect();
    rates.sort_unstable();
    rates.get(rates.len() / 2).copied().unwrap_or_default()
}

#[test]
fn complete_replies_stay_within_the_budget() {
    check("complete", &[Leniency::Plain, Leniency::Generous], parse);
}

#[test]
fn replies_in_pieces_stay_within_the_budget() {
    check("in pieces", &[Leniency::Generous], stream);
}
