//! Tests of values in prose that has brackets.

use prompty_core::value::Value;
use prompty_output::output::Output;
use proptest::prelude::*;

use crate::model_text::pieces;

fn any_type() -> Output<Value> {
    Output::from_schema(Value::Bool(true))
}

/// The value of a reply, read at once and in pieces of each size.
fn read(reply: &str) -> String {
    let complete = any_type().parse(reply).map_or_else(
        |error| error.to_string(),
        |parsed| {
            assert!(!parsed.truncated, "{reply}: {}", parsed.value.to_json());
            parsed.value.to_json()
        },
    );
    for size in [1, 2, 3, 5, 8] {
        let cuts: Vec<usize> = (0..reply.len()).step_by(size).collect();
        let mut stream = any_type().stream();
        pieces(reply, &cuts).into_iter().for_each(|piece| drop(stream.push(piece)));
        stream.end();
        let streamed = stream.value_so_far().map(|it| it.to_json());
        let finished = stream.finish().map(|it| it.value.to_json());
        let finished = finished.unwrap_or_else(|error| error.to_string());
        assert_eq!(finished, complete, "{reply} in pieces of {size}");
        assert!(streamed.is_none_or(|it| it == complete), "{reply} in pieces of {size}");
    }
    complete
}

/// The beginnings of prose that has an open bracket. An object follows.
const OPEN_BRACKETS: [&str; 28] = [
    "The score lies in [0, 10). Answer:\n",
    "The score lies in [0, 10). Answer: ",
    "The score lies in [0,10[: ",
    "It is in [0, infinity). So ",
    "From [0, 10 ) follows ",
    "In [0.5, 1.5), [2, 3) and [4, 5) we see ",
    "Options [1, 2 are good. Answer: ",
    "Options [1, 2, 3. Answer: ",
    "Options [1, two, and three fit. Answer: ",
    "Options [1, two. Answer: ",
    "see [12 and then ",
    "see [12\nAnswer:\n",
    "see [12: ",
    "see [true story: ",
    "see [[12] and then ",
    "see [[12, 13], [14] or so\n",
    "see [0, {\"b\": 1} or so: ",
    "see [the manual for ",
    "In {1, 2 we see ",
    "In {x in S. Answer: ",
    "In {x in S; Answer: ",
    "In {x | x > 0: ",
    "In {{ name ) Answer: ",
    "see [3, 4, Answer:\n",
    "see [3, Answer: ",
    "In {x: f of x, so ",
    "In {12 and 13 we see ",
    "In { we see ",
];

#[test]
fn an_object_after_prose_with_an_open_bracket_is_found() {
    for prose in OPEN_BRACKETS {
        let expected = r#"{"a": [1, {"b": "x"}]}"#;
        assert_eq!(read(&format!("{prose}{expected}")), expected);
        assert_eq!(read(&format!("{prose}{expected}, as [in] the manual.")), expected);
    }
}

#[test]
fn a_list_in_prose_is_found() {
    for (reply, expected) in [
        ("Here: [1, two, 3]", r#"[1, "two", 3]"#),
        ("Here: [1 2\n3 true]", "[1, 2, 3, true]"),
        ("Here: [1, two (sic), 3]", r#"[1, "two (sic)", 3]"#),
        ("Here: [1, (2, 3), f(4)]", r#"[1, "(2, 3)", "f(4)"]"#),
        ("Here: [1, 2.]", "[1, 2]"),
        ("Here: [1. 2. 3.]", "[1, 2, 3]"),
        ("Here: [1, 3/4]", r#"[1, "3/4"]"#),
        ("Here: [[1] [2]]", "[[1], [2]]"),
        ("Here: [\"a\", b. c, \"d\"]", r#"["a", "b. c", "d"]"#),
        ("Here: {tags: [1 two. three]}", r#"{"tags": [1, "two. three"]}"#),
        ("Here: {first name: Bob Lee. Or Al}", r#"{"first name": "Bob Lee. Or Al"}"#),
    ] {
        assert_eq!(read(reply), expected, "{reply}");
    }
}

proptest! {
    #[test]
    fn an_object_after_any_prose_is_found(
        prose in prop::collection::vec((
            "[A-Z]?[a-z]{1,8}( [a-z]{1,8}){0,3}",
            prop_oneof![
                2 => Just(""), 1 => Just(" ["), 1 => Just(" {"), 1 => Just(" [["), 1 => Just(" ([")
            ],
            "(-?[0-9]{1,3}(\\.[0-9])?(, (-?[0-9]{1,3}|[a-z]{1,6})){0,3})?",
            prop_oneof![Just(")"), Just(". "), Just("["), Just(" are so "), Just(": "), Just("\n")],
        ), 1..12),
    ) {
        let prose: String = prose.into_iter().map(|(a, b, c, d)| format!("{a}{b}{c}{d}")).collect();
        let expected = r#"{"a": [1, {"b": "x"}]}"#;
        let reply = format!("We see: {prose} so {expected}.");
        prop_assert_eq!(read(&reply), expected, "{}", reply);
    }
}

#[test]
fn a_long_first_key_after_much_prose_is_found() {
    for bracket in ["[ see this, ", "{ see this, ", "{\" see this, ", "[[ see {{ this, "] {
        let prose = format!("We {} so ", bracket.repeat(200));
        for length in [4, 12, 64, 96] {
            for (open, close) in [("", ""), ("  ", " "), ("\n  ", "\n")] {
                let object = format!("{{{open}\"{}\"{close}: 1}}", "k".repeat(length));
                let expected = format!(r#"{{"{}": 1}}"#, "k".repeat(length));
                assert_eq!(read(&format!("{prose}{object}")), expected, "{bracket}{object}");
            }
        }
    }
}
