//! Compares requests and answers of providers with the types of async-openai and serde_json.
//!
//!     cargo bench --manifest-path benches/Cargo.toml --no-default-features --bench wire
//!
//! Both do each work alternately, and the median times are compared. Words after `--` select the
//! works whose names contain one of them. With `PROMPTY_BENCH_STRICT` set, a missed bar is a
//! failure.

mod answers;
mod requests;
mod streams;

use std::env;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The maximum ratio of our time to the peer's time.
const BAR: f64 = 1.0;
/// The number of samples; the median counts.
const SAMPLES: usize = 101;
/// The minimum time of a sample. Runs are combined until they take this time.
const SAMPLE: Duration = Duration::from_micros(300);

/// A work that ours and the peer do.
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

/// The median times of one run, in seconds. The two run alternately, so that disturbances affect
/// both.
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

/// The number of runs in a sample. Finding it is also the warm-up.
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
