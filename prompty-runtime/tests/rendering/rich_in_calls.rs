//! Threads and media can only be printed. No function, filter, helper or attribute gets their
//! placeholder, which contains the nonce of the render.

use std::sync::{Arc, Mutex};

use prompty_core::message::{ContentPart, Media, Message};
use prompty_core::value::Value;
use prompty_core::{Error, ErrorKind};
use prompty_runtime::registry::Registry;
use prompty_runtime::render::{Inputs, PipelineBuilder};

/// The arguments of the host's functions, filters and tests.
#[derive(Clone, Default)]
struct RecordedArguments(Arc<Mutex<Vec<String>>>);

impl RecordedArguments {
    fn note(&self, values: &[Value]) {
        self.0.lock().unwrap().extend(values.iter().map(Value::to_string));
    }

    fn texts(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// A host whose `see`, `typed.see` and `all` record their arguments and return the first one.
    fn registry(&self) -> Registry {
        let first = |values: &[Value]| Ok(values.first().cloned().unwrap_or(Value::Null));
        let [see, filter, test, typed] = [(); 4].map(|()| self.clone());
        Registry::new()
            .with_function("see", move |values| {
                see.note(values);
                first(values)
            })
            .with_filter("see", move |value, values| {
                filter.note(std::slice::from_ref(value));
                filter.note(values);
                Ok(value.clone())
            })
            .with_test("seen", move |value, values| {
                test.note(std::slice::from_ref(value));
                test.note(values);
                Ok(true)
            })
            .with_typed_function("typed.see", ["x"], move |x: Option<Value>| {
                let values: Vec<Value> = x.into_iter().collect();
                typed.note(&values);
                first(&values)
            })
    }
}

/// Whether a text contains sixteen digits like those of a nonce.
fn contains_a_nonce(text: &str) -> bool {
    let mut digits = 0;
    text.chars().any(|next| {
        digits = if next.is_ascii_hexdigit() { digits + 1 } else { 0 };
        digits == 16
    })
}

/// The result of a render. Panics if the host saw a placeholder.
#[track_caller]
fn prepare(format: &str, parser: &str, template: &str) -> Result<Vec<Message>, Error> {
    let seen = RecordedArguments::default();
    let pipeline = PipelineBuilder::from_text("t", template)
        .with_format(format)
        .with_parser(parser)
        .with_registry(&seen.registry())
        .build()
        .unwrap_or_else(|error| panic!("{template}: {error}"));
    let inputs = Inputs::new()
        .with("text", "t")
        .with_image("image", Media::new("https://example.com/a.png"))
        .with_thread("thread", vec![Message::user("earlier")]);
    let result = pipeline.prepare(inputs);
    for text in seen.texts() {
        assert!(!contains_a_nonce(&text), "{template}: the host sees {text}");
    }
    if let Ok(messages) = &result {
        let shown = format!("{messages:?}");
        assert!(!contains_a_nonce(&shown), "{template}: {shown}");
    }
    result
}

/// Templates that compute with a thread or media. `RICH` is its name.
const COMPUTING: [(&str, &[&str]); 3] = [
    (
        "jinja2",
        &[
            "{{ see(RICH) }}",
            "{{ see(text, x=RICH) }}",
            "{{ typed_see(RICH) }}",
            "{{ typed_see(x=RICH) }}",
            "{{ see([RICH]) }}",
            "{{ see({'a': RICH}) }}",
            "{{ see(*[RICH]) }}",
            "{{ RICH | see }}",
            "{{ text | see(RICH) }}",
            "{{ [RICH] | see }}",
            "{{ RICH | upper }}",
            "{{ RICH | length }}",
            "{{ [RICH] | join(',') }}",
            "{{ RICH ~ 'x' }}",
            "{{ '%s' | format(RICH) }}",
            "{{ '{}'.format(RICH) }}",
            "{{ text.replace('t', RICH) }}",
            "{% if RICH is seen %}x{% endif %}",
            "{% if text is seen(RICH) %}x{% endif %}",
            "{% for x in RICH %}{{ see(x) }}{% endfor %}",
            "{% set x = RICH %}{{ see(x) }}",
            "{% set x %}{{ RICH }}{% endset %}{{ see(x) }}",
            "{% macro m() %}{{ RICH }}{% endmacro %}{{ see(m()) }}",
            "{% macro m(x) %}{{ see(x) }}{% endmacro %}{{ m(RICH) }}",
            "{% filter see %}{{ RICH }}{% endfilter %}",
            "{% call see(RICH) %}x{% endcall %}",
            "{{ see(RICH if true else text) }}",
            "{{ see(RICH or text) }}",
            "{{ see(RICH | default('x')) }}",
        ],
    ),
    (
        "handlebars",
        &[
            "{{see RICH}}",
            "{{see text x=RICH}}",
            "{{typed-see RICH}}",
            "{{typed-see x=RICH}}",
            "{{see (array RICH)}}",
            "{{see (see RICH)}}",
            "{{see (get \"RICH\")}}",
            "{{see (messages RICH)}}",
            "{{see @root.RICH}}",
            "{{#with (see RICH)}}x{{/with}}",
            "{{#each (see RICH)}}x{{/each}}",
            "{{#if (see RICH)}}x{{/if}}",
            "{{#with RICH}}{{see this}}{{/with}}",
            "{{#with RICH as |x|}}{{see x}}{{/with}}",
            "{{#RICH}}{{see .}}{{/RICH}}",
            "{{set \"x\" RICH}}{{see x}}",
            "{{set \"x\" (array RICH)}}{{x}}",
            "{{concat RICH \"x\"}}",
            "{{json RICH}}",
            "{{camelCase RICH}}",
            "{{snake_case RICH}}",
            "{{add RICH 1}}",
            "{{range RICH 3}}",
            "{{equals RICH text}}",
            "{{equals RICH RICH}}",
            "{{lessThan text RICH}}",
            "{{lookup text RICH}}",
            "{{array RICH}}",
            "{{log RICH}}",
        ],
    ),
    (
        "semantic-kernel",
        &["{{see $RICH}}", "{{see x=$RICH}}", "{{typed.see $RICH}}", "{{typed.see x=$RICH}}"],
    ),
];

/// The error if a template is wrongly accepted.
#[track_caller]
fn not_refused(format: &str, parser: &str, template: &str) -> Option<String> {
    match prepare(format, parser, template) {
        Err(error) if error.kind() == ErrorKind::Render => None,
        other => Some(format!("{format} {template}: {other:?}")),
    }
}

#[test]
fn computations_reject_threads_and_media() {
    let mut accepted = Vec::new();
    for (format, templates) in COMPUTING {
        for template in templates {
            for (rich, parser) in [("image", "prompty"), ("thread", "message-tags")] {
                accepted.extend(not_refused(format, parser, &template.replace("RICH", rich)));
            }
        }
    }
    assert!(accepted.is_empty(), "{accepted:#?}");
}

/// Templates that use a thread or media as an attribute of a message.
const ATTRIBUTES: [(&str, &str, &str); 10] = [
    ("jinja2", "prompty", "user[name={{ RICH }}]:\nx"),
    ("jinja2", "message-tags", "<message role=\"user\" name=\"{{ RICH }}\">x</message>"),
    ("jinja2", "message-tags", "{{ message(\"user\", name=RICH) }}x{{ message(\"user\") }}"),
    ("handlebars", "prompty", "user[name={{RICH}}]:\nx"),
    ("handlebars", "message-tags", "<message role=\"user\" name=\"{{RICH}}\">x</message>"),
    ("handlebars", "message-tags", "{{#message role=\"user\" name=RICH}}x{{/message}}"),
    ("mustache", "prompty", "user[name={{RICH}}]:\nx"),
    ("mustache", "message-tags", "<message role=\"user\" name=\"{{{RICH}}}\">x</message>"),
    ("semantic-kernel", "prompty", "user[name={{$RICH}}]:\nx"),
    ("semantic-kernel", "message-tags", "{{message 'user' name=$RICH}}x{{message 'user'}}"),
];

#[test]
fn attributes_of_messages_reject_threads_and_media() {
    let mut accepted = Vec::new();
    for (format, parser, template) in ATTRIBUTES {
        for rich in ["image", "thread"] {
            accepted.extend(not_refused(format, parser, &template.replace("RICH", rich)));
        }
    }
    assert!(accepted.is_empty(), "{accepted:#?}");
}

/// Templates that only test or print a thread or media, with their output.
const HARMLESS: [(&str, &str, &str); 13] = [
    ("jinja2", "{% if RICH %}there{% endif %}", "there"),
    ("jinja2", "{{ 'there' if RICH else 'not' }}", "there"),
    ("jinja2", "{% set x = RICH %}{{ x }}", "RICH"),
    ("jinja2", "{{ RICH == text }}", "false"),
    ("jinja2", "{{ 'x' in RICH }}", "false"),
    ("handlebars", "{{#if RICH}}there{{/if}}", "there"),
    ("handlebars", "{{or RICH text}}", "true"),
    ("handlebars", "{{or \"\" false RICH}}", "true"),
    ("handlebars", "{{set \"x\" RICH}}{{x}}", "RICH"),
    ("handlebars", "{{#with RICH}}{{this}}{{/with}}", "RICH"),
    ("handlebars", "{{#each RICH}}{{see this}}{{else}}none{{/each}}", "none"),
    ("mustache", "{{#RICH}}there{{/RICH}}", "there"),
    ("mustache", "{{#RICH}}{{RICH}}{{/RICH}}", "RICH"),
];

#[test]
fn testing_and_printing_a_thread_is_accepted() {
    for (format, template, expected) in HARMLESS {
        let template = template.replace("RICH", "image");
        let messages = prepare(format, "message-tags", &template).unwrap();
        match expected {
            "RICH" => assert_eq!(messages[0].content, [image()], "{template}"),
            text => assert_eq!(messages, [Message::user(text)], "{template}"),
        }
    }
}

fn image() -> ContentPart {
    ContentPart::Image(Media::new("https://example.com/a.png"))
}
