//! Compares typed values from replies with serde_json on valid JSON, and with readers of partial
//! JSON on a stream.
//!
//!     cargo bench --manifest-path benches/Cargo.toml --no-default-features --bench outputs
//!
//! Both read a complete reply of valid JSON as its type. Ours reads a stream of 64 KB, in pieces of
//! four characters, once. The peers read all received text again at each piece, as their users do.
//! With `PROMPTY_BENCH_STRICT` set, a missed bar is a failure.

use std::env;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use jiter::{JsonValue, PartialMode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use typed_prompty::output::Output;

/// The maximum ratio of our time for a complete reply to the time of serde_json.
const COMPLETE_BAR: f64 = 1.5;
/// The minimum ratio of a peer's time for a stream to ours.
const STREAM_BAR: f64 = 50.0;
/// The length of the pieces of a stream, in characters.
const PIECE: usize = 4;

#[derive(Deserialize, Serialize, JsonSchema)]
struct Answer {
    title: String,
    sources: Vec<Source>,
    summary: String,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Source {
    url: String,
    quote: String,
    relevance: f64,
    page: Option<u32>,
}

fn answer(sources: usize) -> Answer {
    let source = |number: usize| Source {
        url: format!("https://example.org/articles/{number}"),
        quote: format!("Passage {number}: \u{201e}Alles flie\u{df}t\u{201c}, said \"nobody\"\n")
            .repeat(2),
        relevance: number as f64 / 8.0,
        page: number.is_multiple_of(3).then_some(7),
    };
    Answer {
        title: "What the sources say".to_owned(),
        sources: (0..sources).map(source).collect(),
        summary: "All of them agree, as far as they say something. ".repeat(8),
    }
}

/// The median time of a call. The two run alternately, so that disturbances affect both.
fn medians(rounds: usize, ours: &mut dyn FnMut(), peer: &mut dyn FnMut()) -> (Duration, Duration) {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    let (mut our_times, mut peer_times) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        our_times.push(time(ours));
        peer_times.push(time(peer));
    }
    let median = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2]
    };
    (median(our_times), median(peer_times))
}

fn verdict(is_met: bool) -> &'static str {
    if is_met { "ok" } else { "missed" }
}

fn main() -> ExitCode {
    let mut are_met = true;
    let output = Output::<Answer>::new();
    for (name, sources) in [("1 KB", 4), ("64 KB", 320)] {
        let json = serde_json::to_string(&answer(sources)).expect("the answer is serializable");
        let (ours, peer) = medians(
            201,
            &mut || drop(black_box(output.parse(black_box(&json)).expect("the JSON is valid"))),
            &mut || {
                drop(black_box(
                    serde_json::from_str::<Answer>(black_box(&json)).expect("the JSON is valid"),
                ));
            },
        );
        let ratio = ours.as_secs_f64() / peer.as_secs_f64();
        let is_met = ratio <= COMPLETE_BAR;
        are_met &= is_met;
        println!(
            "complete, valid JSON, {name}: {ours:?}, serde_json {peer:?}: {ratio:.2} {} (bar {COMPLETE_BAR})",
            verdict(is_met)
        );
    }

    let json = serde_json::to_string(&answer(320)).expect("the answer is serializable");
    let characters: Vec<char> = json.chars().collect();
    let pieces: Vec<String> = characters.chunks(PIECE).map(|it| it.iter().collect()).collect();
    let ours = &mut || {
        let mut stream = output.stream();
        for piece in &pieces {
            drop(black_box(stream.push(piece)));
        }
        drop(black_box(stream.finish().expect("the JSON is valid")));
    };
    let mut jiter = || {
        let mut text = String::new();
        for piece in &pieces {
            text.push_str(piece);
            drop(black_box(JsonValue::parse_with_config(
                text.as_bytes(),
                false,
                PartialMode::TrailingStrings,
            )));
        }
    };
    let mut fixer = || {
        let mut text = String::new();
        for piece in &pieces {
            text.push_str(piece);
            drop(black_box(partial_json_fixer::fix_json(&text)));
        }
    };
    for (name, peer) in
        [("jiter", &mut jiter as &mut dyn FnMut()), ("partial-json-fixer", &mut fixer)]
    {
        let (ours, peer) = medians(3, ours, peer);
        let ratio = peer.as_secs_f64() / ours.as_secs_f64();
        let is_met = ratio >= STREAM_BAR;
        are_met &= is_met;
        println!(
            "stream, {} KB in pieces of {PIECE}: {ours:?}, {name} {peer:?}: {ratio:.0} times faster {} (bar {STREAM_BAR})",
            json.len() / 1024,
            verdict(is_met)
        );
    }
    match (are_met, env::var_os("PROMPTY_BENCH_STRICT")) {
        (false, Some(_)) => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}
