//! Compares ours with the peers and with hand-built messages, from inputs in memory to messages.
//!
//!     cargo bench --manifest-path benches/Cargo.toml --bench prepare
//!
//! `PROMPTY_BENCH` names a folder with other prompts of the same form. With `PROMPTY_BENCH_STRICT`
//! set, a missed bar is a failure.

use std::collections::HashMap;
use std::env;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use typed_prompty_benches::{Job, Subject, jobs, names};

/// The number of samples of each subject; the median counts.
const SAMPLES: usize = 301;
/// The minimum time of a sample. Calls are combined until they take this time.
const SAMPLE: Duration = Duration::from_micros(150);
/// The time that a subject runs before it is measured.
const WARM_UP: Duration = Duration::from_millis(60);

fn main() -> ExitCode {
    let allocations = allocations();
    println!("prompts: {}", typed_prompty_benches::folder().display());
    let mut bars = Vec::new();
    for job in jobs() {
        let medians = measure(&job);
        print_table(&job, &medians, &allocations);
        bars.extend(bars_of(&job, &medians));
        bars.push(allocation_bar(&job, &allocations));
    }
    println!();
    for bar in &bars {
        println!(
            "bar: {}: {:.2} {}",
            bar.name,
            bar.reached,
            if bar.is_met() { "ok" } else { "MISSED" }
        );
    }
    if env::var_os("PROMPTY_BENCH_STRICT").is_some() && bars.iter().any(|bar| !bar.is_met()) {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The median time of one call for each subject. The subjects run alternately, so that disturbances
/// affect all of them.
fn measure(job: &Job) -> Vec<Duration> {
    let batches: Vec<u32> = job.subjects.iter().map(batch).collect();
    let mut samples = vec![Vec::with_capacity(SAMPLES); job.subjects.len()];
    for _ in 0..SAMPLES {
        for ((subject, batch), samples) in job.subjects.iter().zip(&batches).zip(&mut samples) {
            samples.push(time(subject, *batch) / *batch);
        }
    }
    let median = |mut samples: Vec<Duration>| {
        samples.sort_unstable();
        samples[SAMPLES / 2]
    };
    samples.into_iter().map(median).collect()
}

/// The number of calls in a sample.
fn batch(subject: &Subject) -> u32 {
    let begin = Instant::now();
    while begin.elapsed() < WARM_UP {
        time(subject, 10);
    }
    let mut batch = 1;
    while time(subject, batch) < SAMPLE {
        batch *= 2;
    }
    batch
}

/// The time of some calls, including the drop of their results.
fn time(subject: &Subject, calls: u32) -> Duration {
    let begin = Instant::now();
    for _ in 0..calls {
        drop(black_box((subject.run)()));
    }
    begin.elapsed()
}

/// Allocations and bytes of one call, by job and subject.
fn allocations() -> HashMap<(String, String), (u64, u64)> {
    let counted =
        Command::new(env!("CARGO_BIN_EXE_allocations")).output().expect("the program runs");
    assert!(counted.status.success(), "{}", String::from_utf8_lossy(&counted.stderr));
    let entry = |line: &str| {
        let mut columns = line.split('\t');
        let mut column = || columns.next().unwrap_or_default().to_owned();
        let (job, subject) = (column(), column());
        ((job, subject), (column().parse().expect("a number"), column().parse().expect("a number")))
    };
    String::from_utf8_lossy(&counted.stdout).lines().map(entry).collect()
}

fn print_table(
    job: &Job,
    medians: &[Duration],
    allocations: &HashMap<(String, String), (u64, u64)>,
) {
    println!(
        "\n{:<16} {:>10} {:>12} {:>14} {:>16} {:>8} {:>9}  result",
        job.name,
        "median us",
        "/ hand-built",
        "/ raw minijinja",
        "faster than peer",
        "allocs",
        "bytes"
    );
    let median = |name: &str| micros(job, medians, name);
    for subject in &job.subjects {
        let own = median(subject.name);
        let key = (job.name.to_owned(), subject.name.to_owned());
        let (count, bytes) = allocations.get(&key).copied().unwrap_or_default();
        println!(
            "{:<16} {own:>10.3} {:>12.2} {:>15.2} {:>15.1}x {count:>8} {bytes:>9}  {}",
            subject.name,
            own / median(names::HAND_BUILT),
            own / median(names::RAW_MINIJINJA),
            median(names::PEER) / own,
            subject.agreement.label(),
        );
    }
}

fn micros(job: &Job, medians: &[Duration], name: &str) -> f64 {
    let found = job.subjects.iter().zip(medians).find(|(subject, _)| subject.name == name);
    found.map_or(f64::NAN, |(_, median)| median.as_nanos() as f64 / 1000.0)
}

/// A bound on a ratio.
struct Bar {
    name: String,
    reached: f64,
    bound: Bound,
}

enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl Bar {
    fn is_met(&self) -> bool {
        match self.bound {
            Bound::AtMost(bound) => self.reached <= bound,
            Bound::AtLeast(bound) => self.reached >= bound,
        }
    }
}

/// The bar for the allocations of a typed prompt, compared with hand-built messages.
fn allocation_bar(job: &Job, allocations: &HashMap<(String, String), (u64, u64)>) -> Bar {
    let count = |name: &str| {
        let key = (job.name.to_owned(), name.to_owned());
        allocations.get(&key).map_or(f64::NAN, |(count, _)| *count as f64)
    };
    Bar {
        name: format!("typed allocations - hand-built <= 2: {}", job.name),
        reached: count(names::TYPED) - count(names::HAND_BUILT),
        bound: Bound::AtMost(2.0),
    }
}

/// The bars of a job.
fn bars_of(job: &Job, medians: &[Duration]) -> Vec<Bar> {
    let ratio =
        |above: &str, below: &str| micros(job, medians, above) / micros(job, medians, below);
    let faster = if job.name == "b_rag" { 5.0 } else { 10.0 };
    let typed_faster = if job.name == "c_thread" { 25.0 } else { 50.0 };
    vec![
        Bar {
            name: format!("typed / hand-built <= 1.05: {}", job.name),
            reached: ratio(names::TYPED, names::HAND_BUILT),
            bound: Bound::AtMost(1.05),
        },
        Bar {
            name: format!("prompty 2.1.0 / typed >= {typed_faster:.1}: {}", job.name),
            reached: ratio(names::PEER, names::TYPED),
            bound: Bound::AtLeast(typed_faster),
        },
        Bar {
            name: format!("dynamic / raw minijinja <= 2.0: {}", job.name),
            reached: ratio(names::DYNAMIC, names::RAW_MINIJINJA),
            bound: Bound::AtMost(2.0),
        },
        Bar {
            name: format!("prompty 2.1.0 / dynamic >= {faster:.1}: {}", job.name),
            reached: ratio(names::PEER, names::DYNAMIC),
            bound: Bound::AtLeast(faster),
        },
    ]
}
