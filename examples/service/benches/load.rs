//! Opens a thousand streams through the service at the same time, in several rounds. Each text must
//! be correct, and the memory of the service must not grow.
//!
//! ```sh
//! taskset -c 0,1 cargo bench --bench load
//! ```
//!
//! The provider stops each answer in the middle until all streams of the round have arrived. So
//! they are all open at the same time.

#[path = "../tests/service/service_process.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod service_process;

use std::fmt::Write;
use std::fs;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Instant;

use eventsource_stream::Eventsource;
use futures_util::StreamExt;
use reqwest::Client;
use scripted_provider::{Answer, Gate, Provider, Request, chunk};
use serde_json::{Value, json};
use service_process::ServiceProcess;
use tokio::task::JoinSet;

/// The number of streams that are open at the same time.
const STREAMS: usize = 1_000;
/// The number of rounds.
const ROUNDS: usize = 24;
/// The number of rounds after which the memory of the allocator should be stable.
const WARM_UP: usize = 8;
/// The number of events of each answer.
const EVENTS: usize = 200;
/// The number of open files: each stream has a connection to the service and one to the provider,
/// with two ends each.
const FILES: u64 = 4 * STREAMS as u64;

#[tokio::main]
async fn main() {
    let files = rlimit::increase_nofile_limit(FILES).expect("the limit of files can be read");
    assert!(files >= FILES, "{STREAMS} streams need {FILES} open files: `ulimit -n {FILES}`");

    let gates: Arc<[Gate]> = (0..ROUNDS).map(|_| Gate::of(STREAMS)).collect();
    let script = {
        let gates = Arc::clone(&gates);
        move |request: &Request| {
            let (round, stream) = numbers(request);
            answer(stream).wait_after(EVENTS / 2, &gates[round])
        }
    };
    let provider = Provider::by(script).await;
    let service = ServiceProcess::start(&provider.base_url()).await;
    let client = Client::builder()
        .no_proxy()
        .pool_max_idle_per_host(0)
        .build()
        .expect("a client can be built");

    let cores = std::thread::available_parallelism().map_or(0, NonZero::get);
    println!(
        "{STREAMS} concurrent streams of {EVENTS} events each, with provider and clients on {cores} \
         cores; resident memory of the service:"
    );
    println!("| round | all open | all finished | streams per second |");
    println!("|---|---:|---:|---:|");
    let mut resident = Vec::new();
    for (round, gate) in gates.iter().enumerate() {
        let begin = Instant::now();
        let mut streams = JoinSet::new();
        for stream in 0..STREAMS {
            let question = json!({ "question": format!("{round}/{stream}") });
            let post = client.post(service.url("/support")).body(question.to_string());
            streams.spawn(check(post.header("content-type", "application/json"), stream));
        }
        gate.reached(STREAMS).await;
        let open = kibibytes(service.id());
        while let Some(done) = streams.join_next().await {
            done.expect("each stream is complete and correct");
        }
        let done = kibibytes(service.id());
        let rate = STREAMS as f64 / begin.elapsed().as_secs_f64();
        println!("| {round} | {open} KiB | {done} KiB | {rate:.0} |");
        resident.push(open);
    }
    let (total, right) = (STREAMS * ROUNDS, provider.requests().len());
    assert_eq!(total, right, "each stream was one request to the provider");
    println!("{total} streams, all complete and correct");

    let (early, late) = resident[WARM_UP..].split_at((ROUNDS - WARM_UP) / 2);
    let (early, late) = (median(early), median(late));
    println!(
        "after {WARM_UP} rounds: {early} KiB in the first half, {late} KiB in the second (medians)"
    );
    assert!(late <= early + early / 20, "the memory grows");
}

fn median(resident: &[u64]) -> u64 {
    let mut resident = resident.to_vec();
    resident.sort_unstable();
    resident[resident.len() / 2]
}

/// Reads a stream to its end, and checks its text.
async fn check(post: reqwest::RequestBuilder, stream: usize) {
    let response = post.send().await.expect("the service answers");
    assert_eq!(response.status(), 200);
    let mut events = response.bytes_stream().eventsource();
    let (mut text, mut is_done) = (String::new(), false);
    while let Some(event) = events.next().await {
        let event = event.expect("the service's events are well-formed");
        match event.event.as_str() {
            "message" => {
                let data: Value = serde_json::from_str(&event.data).expect("data are JSON");
                text += data["text"].as_str().expect("a text");
            }
            "done" => is_done = true,
            other => panic!("stream {stream}: {other}: {}", event.data),
        }
    }
    assert!(is_done, "stream {stream} has no end");
    assert_eq!(text, complete_text(stream), "stream {stream}");
}

/// The answer to a stream.
fn answer(stream: usize) -> Answer {
    let texts = (0..EVENTS).map(|event| chunk::text(&piece(stream, event)));
    Answer::stream(texts.chain([chunk::end("stop"), chunk::usage(11, 7)]))
}

fn piece(stream: usize, event: usize) -> String {
    format!("{stream}.{event}: größer als {} € 🦀 ", stream * event)
}

fn complete_text(stream: usize) -> String {
    (0..EVENTS).fold(String::new(), |mut text, event| {
        let _ = write!(text, "{}", piece(stream, event));
        text
    })
}

/// The numbers of the round and the stream in the question.
fn numbers(request: &Request) -> (usize, usize) {
    let messages = request.body["messages"].as_array().expect("messages");
    let question = messages.last().expect("a question")["content"].as_str().expect("a text");
    let (round, stream) = question.split_once('/').expect("round and stream");
    (round.parse().expect("a number"), stream.parse().expect("a number"))
}

/// The resident memory of a process.
fn kibibytes(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it is Linux");
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("resident memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}
