//! Requests and answers of providers, beside the types of async-openai with serde_json.
//!
//!     cargo bench --manifest-path benches/Cargo.toml --no-default-features --bench wire
//!
//! Each work is done by both, in turns, and the median times are compared. Words behind `--` choose the works
//! whose names hold one of them. With `PROMPTY_BENCH_STRICT` set, a missed bar is a failure.

mod answers;
mod requests;
mod streams;

use std::env;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How many times the peer's time ours may take.
const BAR: f64 = 1.0;
/// How often each is timed; the median counts.
const SAMPLES: usize = 101;
/// How long one sample is at least: runs are put together until they take this long.
const SAMPLE: Duration = Duration::from_micros(300);

/// The same work, done by ours and by the peer.
struct Work {
    name: String,
    ours: Box<dyn Fn()>,
    peer: Box<dyn Fn()>,
}

impl Work {
    fn new(name: impl Into<String>, ours: impl Fn() + 'static, peer: impl Fn() + 'static) -> Self {
        Self { name: name.into(), ours: Box::new(ours), peer: Box::new(peer) }
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let is_chosen =
        |work: &Work| words.is_empty() || words.iter().any(|word| work.name.contains(word));
    let works = [requests::works(), answers::works(), streams::works()];
    let (mut bars, mut missed) = (0, 0);
    for work in works.into_iter().flatten().filter(is_chosen) {
        let (ours, peer) = medians(&work);
        let ratio = ours / peer;
        let is_met = ratio <= BAR;
        bars += 1;
        missed += usize::from(!is_met);
        println!(
            "{:<66} ours {:>9.2} us, async-openai {:>9.2} us: {ratio:.2} <= {BAR:.1} {}",
            work.name,
            ours * 1e6,
            peer * 1e6,
            if is_met { "ok" } else { "MISSED" }
        );
    }
    println!("\n{bars} bars, {missed} missed");
    match env::var_os("PROMPTY_BENCH_STRICT") {
        Some(_) if missed > 0 => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

/// The median times of one run, in seconds. The two take turns, so that both meet the same machine.
fn medians(work: &Work) -> (f64, f64) {
    let runs = [runs_in_sample(&*work.ours), runs_in_sample(&*work.peer)];
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..SAMPLES {
        for ((work, runs), times) in [&work.ours, &work.peer].into_iter().zip(runs).zip(&mut times)
        {
            times.push(time(&**work, runs) / f64::from(runs));
        }
    }
    let [ours, peer] = times.map(|mut times| {
        times.sort_unstable_by(f64::total_cmp);
        times[times.len() / 2]
    });
    (ours, peer)
}

/// How many runs make a sample. To find it out is the warm-up, too.
fn runs_in_sample(work: &dyn Fn()) -> u32 {
    let mut runs = 1;
    while time(work, runs) < SAMPLE.as_secs_f64() {
        runs *= 2;
    }
    runs
}

fn time(work: &dyn Fn(), runs: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..runs {
        work();
    }
    start.elapsed().as_secs_f64()
}
