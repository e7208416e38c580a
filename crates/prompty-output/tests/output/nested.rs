//! Deeply nested replies and schemas fit a small stack: they are read, or they are an error.

use std::thread::Builder;

use prompty_core::message::ToolCall;
use prompty_core::value::{MAX_DEPTH, Value};
use prompty_output::output::{Leniency, Output};
use prompty_output::tools::Tool;
use serde::Deserialize;

/// The stack of a thread in a service that has many of them.
const STACK: usize = 512 << 10;

/// Runs on a small stack. A stack overflow ends the test program.
fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap()
}

/// JSON text at a depth: arrays, objects, and both by turns.
fn nested(depth: usize) -> [String; 3] {
    let nest = |open: &str, close: &str, count: usize| {
        format!("{}1{}", open.repeat(count), close.repeat(count))
    };
    let (both, rest) = (nest("[{\"a\":", "}]", depth / 2), depth % 2);
    [
        nest("[", "]", depth),
        nest("{\"a\":", "}", depth),
        format!("{}{both}{}", "[".repeat(rest), "]".repeat(rest)),
    ]
}

/// Schemas that refer to themselves for the values inside.
const RECURSIVE: [&str; 6] = [
    "true",
    r##"{"items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}}"##,
    r##"{"anyOf": [
        {"type": "array", "items": {"$ref": "#"}},
        {"type": "object", "properties": {"b": {"$ref": "#"}}, "required": ["b"]},
        {"type": "object", "properties": {"A": {"$ref": "#"}}, "additionalProperties": {"$ref": "#"}},
        {"type": "integer"}
    ]}"##,
    r##"{"oneOf": [
        {"title": "a list", "$ref": "#/$defs/list"},
        {"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
        {"type": ["integer", "string"]}
    ], "$defs": {"list": {"type": "array", "items": {"anyOf": [{"$ref": "#"}]}}}}"##,
    r##"{"type": "object", "additionalProperties": {"type": "array", "items": {"$ref": "#"}}}"##,
    r##"{"type": "array", "items": {"$ref": "#"}}"##,
];

fn output(schema: &str, leniency: Leniency) -> Output<Value> {
    Output::from_schema(Value::from_json(schema).unwrap()).with_leniency(leniency)
}

/// Reads a reply in every way.
fn read(output: &Output<Value>, reply: &str) -> Option<String> {
    let parsed = output.parse(reply).map(|it| it.value.to_json());
    let mut stream = output.stream();
    for start in (0..reply.len()).step_by(7) {
        stream.push(&reply[start..(start + 7).min(reply.len())]);
        stream.value_so_far();
    }
    stream.end();
    assert_eq!(stream.finish().map(|it| it.value.to_json()).ok(), parsed.as_ref().ok().cloned());
    if let Ok(value) = Value::from_json(reply) {
        let _ = output.fit(&value);
    }
    let _ = parsed.as_ref().map_err(ToString::to_string);
    parsed.ok()
}

#[test]
fn replies_of_the_maximum_depth_fit_a_small_stack() {
    for schema in RECURSIVE {
        for leniency in [Leniency::Exact, Leniency::Plain, Leniency::Generous] {
            for reply in nested(MAX_DEPTH) {
                on_small_stack(move || {
                    let output = output(schema, leniency);
                    read(&output, &reply);
                    read(&output, &reply[..reply.len() / 2 + 1]);
                    read(&output, &reply.replace('"', "'"));
                    read(&output, &format!("Here it is: {reply}"));
                    read(&output, &Value::from(reply).to_json());
                });
            }
        }
    }
}

#[test]
fn replies_of_the_maximum_depth_are_read() {
    // A schema with `items` alone means arrays.
    for schema in [RECURSIVE[0], RECURSIVE[2], RECURSIVE[3]] {
        for leniency in [Leniency::Exact, Leniency::Plain, Leniency::Generous] {
            for reply in nested(MAX_DEPTH) {
                let value = on_small_stack(move || output(schema, leniency).parse(&reply));
                assert!(value.is_ok(), "{schema}, {leniency:?}: {value:?}");
            }
        }
    }
}

#[test]
fn deeper_replies_are_texts_or_errors() {
    for schema in RECURSIVE {
        for leniency in [Leniency::Exact, Leniency::Plain, Leniency::Generous] {
            for reply in nested(MAX_DEPTH + 1).into_iter().chain(nested(50_000)) {
                on_small_stack(move || {
                    let output = output(schema, leniency);
                    // Without an object or array, the reply is a text.
                    let is_text = |it: &Value| it.as_str() == Some(&reply);
                    let parsed = output.parse(&reply);
                    assert!(parsed.is_err() || is_text(&parsed.unwrap().value), "{schema}");
                    let mut stream = output.stream();
                    stream.push(&reply);
                    stream.end();
                    let streamed = stream.finish();
                    assert!(streamed.is_err() || is_text(&streamed.unwrap().value), "{schema}");
                });
            }
        }
    }
}

#[test]
fn values_that_would_become_too_deep_are_errors() {
    // Each object is treated as an array of one object.
    let schema = r##"{"type": "array", "items": {"type": "object", "additionalProperties": {"$ref": "#"}}}"##;
    let reply = |depth: usize| format!("{}[]{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let parse = |depth: usize| {
        let reply = reply(depth);
        on_small_stack(move || output(schema, Leniency::Generous).parse(&reply))
    };
    assert!(parse(MAX_DEPTH / 2 - 1).is_ok());
    assert!(parse(MAX_DEPTH - 1).is_err());
    let inner = format!("{}[]{}", "[".repeat(MAX_DEPTH - 1), "]".repeat(MAX_DEPTH - 1));
    let inner = Value::from(inner).to_json();
    let list = r##"{"type": "array", "items": {"$ref": "#"}}"##;
    for (depth, is_read) in [(0, true), (1, false), (MAX_DEPTH, false)] {
        let reply = format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth));
        let parsed = on_small_stack(move || output(list, Leniency::Generous).parse(&reply));
        assert_eq!(parsed.is_ok(), is_read, "{depth}");
    }
}

#[test]
fn nested_schemas_fit_a_small_stack() {
    let nest = |open: &str, close: &str, count: usize| {
        format!("{}{{\"type\": \"string\"}}{}", open.repeat(count), close.repeat(count))
    };
    let schemas = [
        nest("{\"type\": \"object\", \"properties\": {\"a\":", "}}", MAX_DEPTH / 2 - 1),
        nest("{\"type\": \"array\", \"items\":", "}", MAX_DEPTH - 1),
        nest("{\"anyOf\": [{\"type\": \"null\"}, ", "]}", MAX_DEPTH / 2 - 1),
    ];
    for schema in schemas {
        for reply in nested(MAX_DEPTH) {
            let schema = schema.clone();
            on_small_stack(move || {
                let output = output(&schema, Leniency::Generous);
                let _ = output.requirement();
                let _ = format!("{output:?} {:?}", output.sent().plain());
                read(&output, &reply);
            });
        }
    }
}

#[derive(Debug, Deserialize, schemars::JsonSchema, PartialEq)]
struct Tree {
    a: Option<Box<Self>>,
}

impl Tool for Tree {
    const NAME: &'static str = "tree";
    const DESCRIPTION: &'static str = "A tree.";
}

#[derive(Debug, Deserialize, schemars::JsonSchema, PartialEq)]
#[serde(untagged)]
enum Nested {
    List(Vec<Self>),
    Object { a: Box<Self> },
    Number(u8),
}

/// JSON text at a depth, with a value inside.
fn around(open: &str, value: &str, close: &str, depth: usize) -> String {
    format!("{}{value}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn rust_types_of_the_maximum_depth_fit_a_small_stack() {
    for depth in [100, MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1] {
        for value in ["null", "1", "{\"a\": null}"] {
            let reply = around("{\"a\":", value, "}", depth);
            on_small_stack(move || {
                drop(Output::<Tree>::new().parse(&reply));
                drop(Output::<Tree>::new().parse(&reply.replace('"', "'")));
                drop(Tree::from_call(&ToolCall::new("1", "tree", reply)));
            });
        }
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            let reply = around(open, "300", close, depth * 6 / (open.len() + 5));
            on_small_stack(move || {
                drop(Output::<Nested>::new().parse(&reply));
                drop(Output::<Vec<Nested>>::new().with_leniency(Leniency::Generous).parse(&reply));
            });
        }
    }
    for depth in [1, 60, 100] {
        let reply = around("{\"a\":", "null", "}", depth);
        let parsed = on_small_stack(move || Output::<Tree>::new().parse(&reply).map(drop));
        assert!(parsed.is_ok(), "{depth}: {parsed:?}");
    }
}

#[test]
fn values_that_grow_to_the_maximum_depth_fit_a_small_stack() {
    for schema in RECURSIVE {
        for reply in nested(MAX_DEPTH) {
            on_small_stack(move || {
                let mut stream = output(schema, Leniency::Generous).stream().with_partial();
                for start in (0..reply.len()).step_by(7) {
                    stream.push(&reply[start..(start + 7).min(reply.len())]);
                }
                stream.end();
                assert!(!format!("{:?}", stream.partial()).is_empty());
            });
        }
    }
}
