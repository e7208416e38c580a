//! A Handlebars prompt from inputs to messages, beside the crate that renders it: to a text alone.
//!
//!     cargo bench --manifest-path benches/Cargo.toml --no-default-features --bench handlebars
//!
//! With `PROMPTY_BENCH_STRICT` set, more than twice the time of the crate is a failure.

use std::env;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::json;
use typed_prompty::Value;
use typed_prompty::render::PipelineBuilder;
use typed_prompty::value::Map;

/// How often each is timed; the median counts.
const SAMPLES: usize = 301;
/// How many calls make a sample.
const CALLS: u32 = 50;
/// How many times the time of the crate we may take.
const BAR: f64 = 2.0;

const TEMPLATE: &str = "\
system:
You answer questions about {{product}}. Use only these documents.
{{#each documents}}
## {{title}} ({{@index}})
{{body}}
{{#if note}}Note: {{note}}{{else}}No note.{{/if}}
{{/each}}
user:
My name is {{user.name}}{{#if user.premium}}, and I am a premium customer{{/if}}.
{{question}}
";

fn main() -> ExitCode {
    let body = "The battery lasts for ten hours, and is charged in two. ".repeat(8);
    let document = |number: usize| json!({"title": format!("Part {number}"), "body": body, "note": null});
    let inputs = json!({
        "product": "the lamp",
        "documents": (0..8).map(document).collect::<Vec<_>>(),
        "user": {"name": "Ada", "premium": true},
        "question": "How long does it shine?",
    });
    let mut registry = handlebars::Handlebars::new();
    registry.register_escape_fn(handlebars::no_escape);
    registry.register_template_string("prompt", TEMPLATE).expect("a template");
    let pipeline = PipelineBuilder::from_text("prompt", TEMPLATE)
        .format("handlebars")
        .build()
        .expect("a prompt");
    let ours = our_inputs(&inputs);
    let raw = || registry.render("prompt", &inputs).expect("a text").len();
    let prepare = || pipeline.prepare(ours.clone()).expect("messages").len();
    let (raw, prepare) = medians(&raw, &prepare);
    let ratio = prepare.as_secs_f64() / raw.as_secs_f64();
    println!("the crate, to a text: {raw:?}; ours, to messages: {prepare:?}");
    println!("bar: ours beside the crate: {ratio:.2} {}", if ratio <= BAR { "ok" } else { "MISSED" });
    if env::var_os("PROMPTY_BENCH_STRICT").is_some() && ratio > BAR {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn our_inputs(inputs: &serde_json::Value) -> Map {
    match Value::from_json(&inputs.to_string()) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// The median time of one call of each. They take turns, so that whatever else the machine does hits both.
fn medians(one: &dyn Fn() -> usize, other: &dyn Fn() -> usize) -> (Duration, Duration) {
    let mut samples = [Vec::new(), Vec::new()];
    for _ in 0..SAMPLES {
        for (samples, run) in samples.iter_mut().zip([one, other]) {
            let begin = Instant::now();
            for _ in 0..CALLS {
                black_box(run());
            }
            samples.push(begin.elapsed() / CALLS);
        }
    }
    let [one, other] = samples.map(|mut samples| {
        samples.sort_unstable();
        samples[SAMPLES / 2]
    });
    (one, other)
}
