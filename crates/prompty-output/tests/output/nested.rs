//! Deeply nested replies fit a small stack: they are read, or they are an error.

use std::thread::Builder;

use prompty_core::value::{MAX_DEPTH, Value};
use prompty_output::output::{Leniency, Output};

/// The stack of a thread in a service that has many of them.
const STACK: usize = 512 << 10;

/// A type that contains itself, alone and in a union.
const SCHEMAS: &[&str] = &[
    "true",
    r##"{"type": ["object", "array", "integer"], "items": {"$ref": "#"}, "properties": {"a": {"$ref": "#"}}}"##,
    r##"{"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#"}}, {"type": "object", "additionalProperties": {"$ref": "#"}}]}"##,
];

fn output(schema: &str) -> Output<Value> {
    Output::from_schema(Value::from_json(schema).unwrap())
}

/// Replies with arrays, objects and both by turns, valid and damaged.
fn replies(depth: usize) -> Vec<String> {
    let nest = |open: &str, close: &str, count: usize| {
        let (open, close) = (open.repeat(count), close.repeat(count));
        [format!("{open}1{close}"), open.clone(), format!("Sure: {open}1,{close},")]
    };
    let arrays = nest("[", "]", depth);
    let objects = nest("{\"a\":", "}", depth);
    let both = nest("[{\"a\":", "}]", depth / 2);
    [arrays, objects, both].concat()
}

fn read(schema: &str, reply: &str) {
    for leniency in [Leniency::Exact, Leniency::Plain, Leniency::Generous] {
        let output = output(schema).with_leniency(leniency);
        let parsed = output.parse(reply);
        assert!(!format!("{parsed:?}").is_empty());
        if let Ok(value) = Value::from_json(reply) {
            drop(output.fit(&value));
        }
        let mut stream = output.stream();
        for piece in reply.as_bytes().chunks(7) {
            stream.push(std::str::from_utf8(piece).unwrap());
            stream.value_so_far();
        }
        drop(stream.finish());
    }
}

#[test]
fn replies_of_the_maximum_depth_fit_a_small_stack() {
    for schema in SCHEMAS {
        for reply in replies(MAX_DEPTH) {
            let thread = Builder::new().stack_size(STACK);
            thread.spawn(move || read(schema, &reply)).unwrap().join().unwrap();
        }
    }
}

#[test]
fn deeper_replies_are_an_error() {
    for schema in SCHEMAS {
        for reply in replies(MAX_DEPTH + 2) {
            let thread = Builder::new().stack_size(STACK);
            let read = move || output(schema).parse(&reply).is_err();
            assert!(thread.spawn(read).unwrap().join().unwrap(), "{schema}");
        }
    }
}

#[test]
fn replies_of_thirty_levels_are_read_by_a_union_that_contains_itself() {
    for reply in replies(30).iter().step_by(3) {
        assert!(output(SCHEMAS[2]).parse(reply).is_ok(), "{reply}");
    }
}
