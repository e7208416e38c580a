//! Compares a prompt in each language, from inputs to messages, with a raw engine that renders an
//! equal template to text. The benchmark `prepare` measures Jinja prompts with role lines.
//!
//!     cargo bench --manifest-path benches/Cargo.toml --no-default-features --bench languages
//!
//! With `PROMPTY_BENCH_STRICT` set, more than twice the time of the raw engine is a failure.

use std::env;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use minijinja::value::Serde;
use serde_json::json;
use typed_prompty::Value;
use typed_prompty::render::{Pipeline, PipelineBuilder};
use typed_prompty::value::Map;

/// The number of samples; the median counts.
const SAMPLES: usize = 301;
/// The number of calls in a sample.
const CALLS: u32 = 50;
/// The maximum ratio of our time to the time of the raw engine.
const BAR: f64 = 2.0;

/// A prompt of ours, and an equal template of a raw engine.
struct Subject {
    name: &'static str,
    format: &'static str,
    parser: &'static str,
    template: &'static str,
    engine: Engine,
    raw: &'static str,
}

enum Engine {
    Handlebars,
    Minijinja,
}

const HANDLEBARS: &str = "\
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

const MUSTACHE: &str = "\
system:
You answer questions about {{{product}}}. Use only these documents.
{{#documents}}
## {{{title}}}
{{{body}}}
{{#note}}Note: {{{note}}}{{/note}}{{^note}}No note.{{/note}}
{{/documents}}
user:
My name is {{{user.name}}}{{#user.premium}}, and I am a premium customer{{/user.premium}}.
{{{question}}}
";

const MUSTACHE_RAW: &str = "\
system:
You answer questions about {{{product}}}. Use only these documents.
{{#each documents}}
## {{{title}}}
{{{body}}}
{{#if note}}Note: {{{note}}}{{else}}No note.{{/if}}
{{/each}}
user:
My name is {{{user.name}}}{{#if user.premium}}, and I am a premium customer{{/if}}.
{{{question}}}
";

const BASIC: &str = "\
<message role=\"system\">You answer questions about {{$product}}. Use only this document.
{{$document}}</message>
<message role=\"user\">My name is {{$name}}.
{{$question}}</message>
<message role=\"assistant\">I am asked: {{$question}} About {{$product}}.</message>
<message role=\"user\">Yes, {{$product}}.</message>
";

const BASIC_RAW: &str = "\
<message role=\"system\">You answer questions about {{product}}. Use only this document.
{{document}}</message>
<message role=\"user\">My name is {{name}}.
{{question}}</message>
<message role=\"assistant\">I am asked: {{question}} About {{product}}.</message>
<message role=\"user\">Yes, {{product}}.</message>
";

const BASIC_LINES: &str = "\
system:
You answer questions about {{$product}}. Use only this document.
{{$document}}
user:
My name is {{$name}}.
{{$question}}
assistant:
I am asked: {{$question}} About {{$product}}.
user:
Yes, {{$product}}.
";

const BASIC_LINES_RAW: &str = "\
system:
You answer questions about {{product}}. Use only this document.
{{document}}
user:
My name is {{name}}.
{{question}}
assistant:
I am asked: {{question}} About {{product}}.
user:
Yes, {{product}}.
";

const JINJA_TAGS: &str = "\
<message role=\"system\">You answer questions about {{ product }}. Use only these documents.
{% for document in documents %}
## {{ document.title }} ({{ loop.index }})
{{ document.body }}
{% if document.note %}Note: {{ document.note }}{% else %}No note.{% endif %}
{% endfor %}</message>
<message role=\"user\" name=\"{{ user.name }}\">My name is {{ user.name }}{% if user.premium %}, and I am a premium \
customer{% endif %}.
{{ question }}</message>
";

const HANDLEBARS_TAGS: &str = "\
<message role=\"system\">You answer questions about {{product}}. Use only these documents.
{{#each documents}}
## {{title}} ({{@index}})
{{body}}
{{#if note}}Note: {{note}}{{else}}No note.{{/if}}
{{/each}}</message>
<message role=\"user\" name=\"{{user.name}}\">My name is {{user.name}}{{#if user.premium}}, and I am a premium \
customer{{/if}}.
{{question}}</message>
";

const SUBJECTS: [Subject; 6] = [
    Subject {
        name: "Handlebars, role lines",
        format: "handlebars",
        parser: "prompty",
        template: HANDLEBARS,
        engine: Engine::Handlebars,
        raw: HANDLEBARS,
    },
    Subject {
        name: "Handlebars, message tags",
        format: "handlebars",
        parser: "message-tags",
        template: HANDLEBARS_TAGS,
        engine: Engine::Handlebars,
        raw: HANDLEBARS_TAGS,
    },
    Subject {
        name: "Jinja2, message tags",
        format: "jinja2",
        parser: "message-tags",
        template: JINJA_TAGS,
        engine: Engine::Minijinja,
        raw: JINJA_TAGS,
    },
    Subject {
        name: "Mustache, role lines",
        format: "mustache",
        parser: "prompty",
        template: MUSTACHE,
        engine: Engine::Handlebars,
        raw: MUSTACHE_RAW,
    },
    Subject {
        name: "Semantic Kernel, role lines",
        format: "semantic-kernel",
        parser: "prompty",
        template: BASIC_LINES,
        engine: Engine::Minijinja,
        raw: BASIC_LINES_RAW,
    },
    Subject {
        name: "Semantic Kernel, message tags",
        format: "semantic-kernel",
        parser: "message-tags",
        template: BASIC,
        engine: Engine::Minijinja,
        raw: BASIC_RAW,
    },
];

fn main() -> ExitCode {
    let inputs = inputs();
    let ours = our_inputs(&inputs);
    let mut is_missed = false;
    for subject in &SUBJECTS {
        let pipeline = pipeline(subject);
        let raw = raw(subject, &inputs);
        let prepare = || pipeline.prepare(ours.clone()).expect("messages").len();
        let (raw, prepare) = medians(&raw, &prepare);
        let ratio = prepare.as_secs_f64() / raw.as_secs_f64();
        let verdict = if ratio <= BAR { "ok" } else { "MISSED" };
        println!("{}: raw engine, to text: {raw:?}; ours, to messages: {prepare:?}", subject.name);
        println!("bar: ours / raw engine: {ratio:.2} {verdict}");
        is_missed |= ratio > BAR;
    }
    match env::var_os("PROMPTY_BENCH_STRICT").is_some() && is_missed {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}

fn inputs() -> serde_json::Value {
    let body = "The battery lasts for ten hours, and is charged in two. ".repeat(8);
    let document =
        |number: usize| json!({"title": format!("Part {number}"), "body": body, "note": null});
    json!({
        "product": "the lamp",
        "documents": (0..8).map(document).collect::<Vec<_>>(),
        "document": body,
        "name": "Ada",
        "user": {"name": "Ada", "premium": true},
        "question": "How long does it shine?",
    })
}

fn pipeline(subject: &Subject) -> Pipeline {
    PipelineBuilder::from_text("prompt", subject.template)
        .with_format(subject.format)
        .with_parser(subject.parser)
        .build()
        .expect("a prompt")
}

/// A function that renders the raw template, and returns the length of the text.
fn raw<'a>(subject: &Subject, inputs: &'a serde_json::Value) -> Box<dyn Fn() -> usize + 'a> {
    match subject.engine {
        Engine::Handlebars => {
            let mut registry = handlebars::Handlebars::new();
            registry.register_escape_fn(handlebars::no_escape);
            registry.register_template_string("prompt", subject.raw).expect("a template");
            Box::new(move || registry.render("prompt", inputs).expect("a text").len())
        }
        Engine::Minijinja => {
            let mut environment = minijinja::Environment::new();
            environment.add_template("prompt", subject.raw).expect("a template");
            // Like ours, it gets values that are already converted.
            let inputs = minijinja::Value::from(Serde(inputs));
            Box::new(move || {
                let template = environment.get_template("prompt").expect("a template");
                template.render(inputs.clone()).expect("a text").len()
            })
        }
    }
}

fn our_inputs(inputs: &serde_json::Value) -> Map {
    match Value::from_json(&inputs.to_string()) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// The median time of one call of each. They run alternately, so that disturbances affect both.
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
