//! Tests of the work that hostile replies cause.

use prompty_core::value::Value;
use prompty_core::work::add_steps;
use prompty_output::output::{Leniency, Output, OutputEvent};
use serde::{Deserialize, Deserializer};
use work_counting::{Work, assert_linear, count_work};

use crate::model_text::pieces;

fn any_type() -> Output<Value> {
    Output::from_schema(Value::Bool(true)).with_truncated()
}

/// Asserts that a reply is read in linear work, complete and in pieces. `reply` makes a reply of a
/// size.
fn assert_read_linearly(what: &str, reply: impl Fn(usize) -> String) {
    assert_linear(what, 128, |size| {
        let reply = reply(size);
        count_work(|| drop(any_type().parse(&reply))).1
    });
    assert_linear(&format!("{what} in pieces"), 128, |size| {
        let reply = reply(size);
        let cuts: Vec<usize> = (0..reply.len()).step_by(5).collect();
        let pieces = pieces(&reply, &cuts);
        count_work(|| {
            let mut stream = any_type().stream();
            pieces.iter().for_each(|piece| drop(stream.push(piece)));
            drop(stream.finish());
        })
        .1
    });
}

#[test]
fn line_breaks_and_quotes_in_a_string_are_read_once() {
    for unit in ["\nx\"y", "\ty'z\"x ", "\u{1}\\q\"w"] {
        assert_read_linearly(unit, |size| format!("{{\"a\": \"{}\"}}", unit.repeat(size)));
    }
}

#[test]
fn many_ends_of_reasoning_are_read_once() {
    for unit in ["{\"a\": 1}</think>", "[1] </thinking>{}", "</think>", "</think>[x </reasoning>"] {
        assert_read_linearly(unit, |size| unit.repeat(size));
    }
}

#[test]
fn open_comments_after_quotes_are_read_once() {
    for unit in ["\" /* ", "\", /*", "\"x\" // ", "a /* b, "] {
        for front in ["{\"a\": \"", "[\"", "{a: b ", "[1 "] {
            assert_read_linearly(unit, |size| format!("{front}{}", unit.repeat(size)));
        }
    }
}

#[test]
fn brackets_in_prose_are_read_a_few_times() {
    let in_first_key = ["{\"", "{\"k", "{'k [", "\u{ff5b}\"k", "[{\"k", "{\"k\\\""];
    let after_numbers = ["[1 x ", "[0, 10) x", "[[[1 x ", "{x: y {", "[1,2,3,4,5,6,7,8,9, x. "];
    let others = ["[ x", "{ y", "[\n x", "```a[ x", "[ // ", "// [", "[ /* ", "{ # "];
    for unit in in_first_key.into_iter().chain(after_numbers).chain(others) {
        let steps = |size: usize| {
            let reply = format!("Look:\n{}{}", " ".repeat(size), unit.repeat(size));
            count_work(|| drop(any_type().parse(&reply))).1.steps / reply.len() as u64
        };
        let (short, long) = (steps(2_000), steps(32_000));
        assert!(long <= short && short < 40, "{unit}: {short} for each byte, then {long}");
    }
}

#[test]
fn values_inside_of_a_long_key_are_read_once() {
    let list = |size: usize, unit: &str| {
        format!("{{\"{}\": [{}]}}", "k".repeat(20 * size), vec![unit; size].join(", "))
    };
    for unit in ["1", "\"a\"", "{\"b\": 1}", "[[]]"] {
        assert_read_linearly(unit, |size| list(size, unit));
    }
}

/// A union of which two alternatives contain it again, so that serde tries both at each level.
#[derive(Debug, PartialEq, schemars::JsonSchema)]
#[schemars(untagged)]
enum Chain {
    First { inner: Box<Self>, first: u8 },
    Second { inner: Box<Self>, second: u8 },
    Items(Vec<Self>),
    End(Number),
}

/// A number whose reads are counted.
#[derive(Debug, PartialEq, schemars::JsonSchema)]
#[schemars(transparent)]
struct Number(u8);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        add_steps(1);
        u8::deserialize(deserializer).map(Self)
    }
}

impl<'de> Deserialize<'de> for Chain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Read {
            First { inner: Box<Chain>, first: u8 },
            Second { inner: Box<Chain>, second: u8 },
            Items(Vec<Chain>),
            End(Number),
        }
        add_steps(1);
        Ok(match Read::deserialize(deserializer)? {
            Read::First { inner, first } => Self::First { inner, first },
            Read::Second { inner, second } => Self::Second { inner, second },
            Read::Items(items) => Self::Items(items),
            Read::End(number) => Self::End(number),
        })
    }
}

/// A chain of a depth. serde reads the inner value before it sees that `first` is missing.
fn chain(depth: usize, end: &str) -> String {
    let (open, close) = ("{\"inner\": ", ", \"second\": 1}");
    format!("{}{end}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn a_union_that_contains_itself_is_read_in_bounded_work() {
    let output = Output::<Chain>::new();
    assert_eq!(output.parse(&chain(8, "1")).unwrap().value, {
        let mut value = Chain::End(Number(1));
        for _ in 0..8 {
            value = Chain::Second { inner: Box::new(value), second: 1 };
        }
        value
    });
    for leniency in [Leniency::Exact, Leniency::Plain, Leniency::Generous] {
        for end in ["1", "\"x\"", "300", "[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]"] {
            for depth in [8, 16, 24, 60, 100] {
                let reply = chain(depth, end);
                let output = Output::<Chain>::new().with_leniency(leniency);
                let steps = count_work(|| drop(output.parse(&reply))).1.steps;
                let most = 150_000 + 200 * reply.len() as u64;
                assert!(steps < most, "{end} in {depth} levels: {steps} steps");
            }
        }
    }
}

#[test]
fn a_value_that_would_be_tried_too_often_is_an_error() {
    let error = Output::<Chain>::new().parse(&chain(30, "1")).unwrap_err();
    let found = r#"{"inner": {"inner": {"inner": {"inner": …"#;
    let message = format!("expected a smaller value with less nesting, found {found}");
    assert_eq!(error.to_string(), message);
}

#[test]
fn an_array_in_place_of_a_struct_that_contains_itself_is_read_in_bounded_work() {
    for depth in [10, 40, 120] {
        let reply = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let steps = count_work(|| drop(Output::<Chain>::new().parse(&reply))).1.steps;
        assert!(steps < 200_000, "{depth} levels: {steps} steps");
    }
}

#[derive(Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
enum Filter {
    All { all: Vec<Self> },
    Any { any: Vec<Self> },
    Not { not: Box<Self> },
    Field { field: String, equals: Option<String> },
}

#[derive(Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind")]
enum Tagged {
    Left { inner: Option<Box<Self>> },
    Right { inner: Option<Box<Self>> },
}

#[test]
fn alternatives_that_differ_in_their_keys_or_tags_may_be_nested_deeply() {
    let (open, close) = (r#"{"all": [{"not": {"any": ["#, "]}}]}");
    for depth in [1, 5, 15] {
        let leaf = r#"{"field": "a"}"#;
        let reply = format!("{}{leaf}{}", open.repeat(depth), close.repeat(depth));
        Output::<Filter>::new().parse(&reply).unwrap();
    }
    for depth in [1, 10, 60, 100] {
        let open = [r#"{"kind": "Right", "inner": "#, r#"{"kind": "Left", "inner": "#];
        let open: String = open.into_iter().cycle().take(depth).collect();
        let reply = format!("{open}null{}", "}".repeat(depth));
        Output::<Tagged>::new().parse(&reply).unwrap();
    }
}

#[test]
fn excerpts_in_tries_of_alternatives_are_bounded() {
    let schema = r##"{"anyOf": [
        {"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"type": "integer"}}, "required": ["a", "b"]},
        {"type": "object", "properties": {"a": {"$ref": "#"}, "c": {"type": "integer"}}, "required": ["a", "c"]}
    ]}"##;
    let output = Output::from_schema(Value::from_json(schema).unwrap());
    let bytes = |length: usize| {
        let reply =
            format!("{}\"{}\"{}", "{\"a\": ".repeat(60), "x".repeat(length), "}".repeat(60));
        let work = count_work(|| drop(output.parse(&reply))).1;
        (work.bytes + work.steps) / reply.len() as u64
    };
    let (short, long) = (bytes(100), bytes(100_000));
    assert!(long < short, "{short} for each byte, then {long}");
}

/// Unions that contain themselves in several alternatives, through references, arrays and unions in
/// unions.
const RECURSIVE_UNIONS: [&str; 4] = [
    r##"{"anyOf": [
        {"properties": {"a": {"$ref": "#"}, "b": {"type": "integer"}}, "required": ["a", "b"]},
        {"properties": {"a": {"$ref": "#"}, "c": {"type": "integer"}}, "required": ["a", "c"]},
        {"properties": {"a": {"$ref": "#"}}},
        {"type": ["integer", "string"]}
    ]}"##,
    r##"{"oneOf": [
        {"anyOf": [{"$ref": "#/$defs/left"}, {"$ref": "#"}]},
        {"properties": {"a": {"anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/left"}]}, "b": {}}, "required": ["b"]}
    ], "$defs": {"left": {"properties": {"a": {"oneOf": [{"$ref": "#"}, {"type": "null"}]}}}}}"##,
    r##"{"anyOf": [{"items": {"$ref": "#"}}, {"items": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}, {"additionalProperties": {"$ref": "#"}}]}"##,
    r##"{"anyOf": [{"$ref": "#"}, {"anyOf": [{"$ref": "#"}, {"additionalProperties": {"$ref": "#"}}]}]}"##,
];

#[test]
fn each_value_is_tried_once_with_a_union_that_contains_itself() {
    for schema in RECURSIVE_UNIONS {
        for leniency in [Leniency::Exact, Leniency::Plain, Leniency::Generous] {
            let output = Output::from_schema(Value::from_json(schema).unwrap());
            let output = output.with_leniency(leniency);
            for (open, end, close) in [
                ("{\"a\":", "1", "}"),
                ("{\"a\":", "[]", "}"),
                ("[", "0", "]"),
                ("{\"A\":", "\"x\"", "}"),
            ] {
                let work = |depth: usize| {
                    let reply = format!("{}{end}{}", open.repeat(depth), close.repeat(depth));
                    count_work(|| drop(output.parse(&reply))).1
                };
                // The first one is for work that is done once.
                let (none, short, long) = (work(0), work(40), work(120));
                let for_40 = |count: fn(&Work) -> u64| count(&short).saturating_sub(count(&none));
                let is_linear = |count: fn(&Work) -> u64, extra: u64| {
                    count(&long) <= count(&none) + 4 * for_40(count) + extra
                };
                assert!(
                    is_linear(|it| it.steps, 1_000)
                        && is_linear(|it| it.bytes, 64 * 1024)
                        && long.bytes < 1024 * 1024,
                    "{schema}, {leniency:?}, {open}: {short}, then {long}"
                );
            }
        }
    }
}

/// The paths of all events that are complete, and the number of restarts.
fn done_paths<T>(output: &Output<T>, pieces: &[&str]) -> (Vec<String>, usize) {
    let mut stream = output.stream();
    let mut events: Vec<OutputEvent> = pieces.iter().flat_map(|it| stream.push(it)).collect();
    events.extend(stream.end());
    let restarts = events.iter().filter(|it| **it == OutputEvent::Restarted).count();
    let done = events.into_iter().filter_map(|it| match it {
        OutputEvent::Done { path, .. } => Some(path.to_string()),
        _ => None,
    });
    (done.collect(), restarts)
}

#[test]
fn several_objects_for_a_list_are_reported_as_its_items() {
    let schema = r#"{"type": "array", "items": {"properties": {"a": {"type": "integer"}}}}"#;
    let output = Output::from_schema(Value::from_json(schema).unwrap());
    let output = output.with_leniency(Leniency::Generous);
    let reply = r#"First {"a": 1}, then {"a": 2}."#;
    assert_eq!(output.parse(reply).unwrap().value.to_json(), r#"[{"a": 1}, {"a": 2}]"#);
    for pieces in [vec![reply], pieces(reply, &[3, 9, 12, 20, 24])] {
        let (done, restarts) = done_paths(&output, &pieces);
        assert_eq!(
            (done, restarts),
            (["[0].a", "[0]", "[1].a", "[1]", ""].map(str::to_owned).to_vec(), 0)
        );
    }
    let mut stream = output.stream();
    stream.push(reply);
    stream.end();
    assert_eq!(stream.value_so_far().unwrap().to_json(), r#"[{"a": 1}, {"a": 2}]"#);
}

#[test]
fn the_last_of_several_objects_for_a_list_may_be_truncated() {
    let schema = r#"{"type": "array", "items": {"properties": {"a": {"type": "string"}}}}"#;
    let output = Output::from_schema(Value::from_json(schema).unwrap());
    let output = output.with_leniency(Leniency::Generous).with_truncated();
    let (done, _) = done_paths(&output, &[r#"{"a": "x"} {"a": "y"#]);
    assert_eq!(done, ["[0].a", "[0]"]);
}
