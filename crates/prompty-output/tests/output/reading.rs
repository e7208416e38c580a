//! Tests that replies are read correctly, however they are damaged or split.

use std::collections::BTreeMap;

use prompty_core::value::{Map, Value};
use prompty_output::output::{Leniency, Output, OutputErrorKind, OutputEvent, Partial, RepairKind};
use proptest::prelude::*;
use work_counting::{assert_linear, count_work};

use crate::model_text::{around, pieces, style, until, write};

fn any_type() -> Output<Value> {
    Output::from_schema(Value::Bool(true)).with_truncated()
}

fn read(text: &str) -> Value {
    any_type().parse(text).unwrap().value
}

/// Strings with characters that confuse a reader: quotes, brackets, commas, escapes.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,12}",
        "[a-zé😀 ]{0,6}[\"'{}\\[\\],:#/\\\\\n\t]{0,3}[a-z]{0,6}",
        Just("true".to_owned()),
        Just("12".to_owned()),
    ]
}

/// Keys as in programs.
fn key() -> impl Strategy<Value = String> {
    "[a-z_][a-z0-9_]{0,7}"
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1000..1000_i32).prop_map(|it| Value::Float(f64::from(it) / 8.0 + 0.0625)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(key(), inner, 0..5).prop_map(object),
        ]
    })
}

fn object(entries: BTreeMap<String, Value>) -> Value {
    let mut map = Map::new();
    for (key, value) in entries {
        map.insert(key, value);
    }
    Value::Object(map)
}

/// An object or an array.
fn container() -> impl Strategy<Value = Value> {
    prop_oneof![
        prop::collection::vec(value(), 0..5).prop_map(Value::from),
        prop::collection::btree_map(key(), value(), 1..5).prop_map(object),
    ]
}

/// The events of a stream: the texts by their paths, and the complete values in their order.
#[derive(Debug, Default, PartialEq)]
struct StreamResult {
    texts: BTreeMap<String, String>,
    done: Vec<(String, Value)>,
}

impl StreamResult {
    fn add(&mut self, events: Vec<OutputEvent>) {
        for event in events {
            match event {
                OutputEvent::Text { path, delta } => {
                    let path = path.to_string();
                    assert!(!self.done.iter().any(|(done, _)| *done == path), "{path} was done");
                    *self.texts.entry(path).or_default() += &delta;
                }
                OutputEvent::Done { path, value } => self.done.push((path.to_string(), value)),
                OutputEvent::Restarted => *self = Self::default(),
                _ => {}
            }
        }
    }
}

fn stream_result<'text>(
    text: impl IntoIterator<Item = &'text str>,
) -> (StreamResult, Option<Value>) {
    let mut stream = any_type().stream();
    let mut result = StreamResult::default();
    for piece in text {
        result.add(stream.push(piece));
    }
    result.add(stream.end());
    (result, stream.finish().ok().map(|it| it.value))
}

/// All parts of a value, as JSON, by their paths.
fn by_path(value: &Value, path: String, parts: &mut BTreeMap<String, String>) {
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        by_path(item, format!("{path}[{index}]"), parts);
    }
    for (key, value) in value.as_object().into_iter().flat_map(Map::iter) {
        let point = if path.is_empty() { "" } else { "." };
        by_path(value, format!("{path}{point}{key}"), parts);
    }
    parts.insert(path, value.to_json());
}

proptest! {
    #[test]
    fn a_value_reads_back_however_a_model_writes_it(
        value in container(), style in style(), around in around(),
    ) {
        let mut text = around.0.to_owned();
        write(&value, style, &mut text);
        text.push_str(around.1);
        prop_assert_eq!(read(&text).to_json(), value.to_json(), "{}", text);
    }

    #[test]
    fn pieces_give_the_same_as_the_complete_reply(
        value in container(), style in style(), around in around(), cuts in prop::collection::vec(any::<usize>(), 0..20),
        cut in any::<usize>(),
    ) {
        let mut text = around.0.to_owned();
        write(&value, style, &mut text);
        text.push_str(around.1);
        // Every second reply is truncated.
        let text = if cut % 2 == 0 { until(&text, cut / 2) } else { &text };
        let complete = stream_result([text]);
        prop_assert_eq!(&stream_result(pieces(text, &cuts)), &complete, "{}", text);
        let all: Vec<usize> = (0..=text.len()).collect();
        prop_assert_eq!(&stream_result(pieces(text, &all)), &complete, "{}", text);
        prop_assert_eq!(complete.1, any_type().parse(text).ok().map(|it| it.value));
    }

    #[test]
    fn any_text_is_read_without_a_panic_and_the_same_in_pieces(
        text in "[a1 {}\\[\\]\"',:\\\\/*#`.+=>()<\n-]{0,40}", cuts in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        prop_assert_eq!(stream_result(pieces(&text, &cuts)), stream_result([text.as_str()]), "{}", text);
        for leniency in [Leniency::Exact, Leniency::Generous] {
            let _ = any_type().with_leniency(leniency).parse(&text);
        }
    }

    #[test]
    fn an_incomplete_reply_is_truncated(
        value in container(), style in style(), around in around(), cut in any::<usize>(),
    ) {
        // In prose, a bracket in a comment may begin a value until the first key.
        prop_assume!(!around.0.starts_with("Here"));
        let mut text = around.0.to_owned();
        let start = text.len();
        write(&value, style, &mut text);
        let end = text.len();
        text.push_str(around.1);
        let begun = until(&text, cut);
        let value_kinds = Value::from_json(r#"{"type": ["object", "array"]}"#)?;
        match Output::<Value>::from_schema(value_kinds).with_truncated().parse(begun) {
            Ok(parsed) if begun.len() < end => prop_assert!(parsed.truncated, "{}", begun),
            Ok(parsed) => prop_assert_eq!(parsed.value.to_json(), value.to_json(), "{}", begun),
            // In prose, the first characters of a value may be prose as well.
            Err(error) => {
                prop_assert_eq!(error.kind(), OutputErrorKind::Nothing);
                prop_assert!(begun.len() <= start || !around.0.is_empty(), "{}", begun);
            }
        }
    }

    #[test]
    fn a_truncated_value_is_not_reported_as_done(value in container(), style in style(), cut in any::<usize>()) {
        let mut text = String::new();
        write(&value, style, &mut text);
        let begun = until(&text, cut);
        let (result, _) = stream_result([begun]);
        let is_cut = begun.len() < text.len();
        prop_assert_eq!(result.done.iter().any(|it| it.0.is_empty()), !is_cut, "{}", begun);
        let mut parts = BTreeMap::new();
        by_path(&value, String::new(), &mut parts);
        for (path, done) in result.done {
            prop_assert_eq!(parts.get(&path), Some(&done.to_json()), "{} of {}", path, begun);
        }
    }

    #[test]
    fn valid_json_is_read_without_repairs(value in container()) {
        let parsed = any_type().with_leniency(Leniency::Exact).parse(&value.to_json()).unwrap();
        prop_assert_eq!(parsed.value.to_json(), value.to_json());
        prop_assert!(parsed.repairs.is_empty() && !parsed.truncated);
    }
}

/// The events of a stream for a complete reply, one per line.
fn events(reply: &str) -> Vec<String> {
    let mut stream = any_type().stream();
    let mut events = stream.push(reply);
    events.extend(stream.end());
    let line = |it: OutputEvent| match it {
        OutputEvent::Text { path, delta } => format!("{path} grows by {delta:?}"),
        OutputEvent::Scalar { path, value } => format!("{path} is {} so far", value.to_json()),
        OutputEvent::Done { path, value } => format!("{path} is {}", value.to_json()),
        other => format!("{other:?}"),
    };
    events.into_iter().map(line).collect()
}

#[test]
fn a_string_without_quotes_is_reported_like_any_string() {
    let expected =
        ["a grows by \"hello there\"", "a is \"hello there\"", " is {\"a\": \"hello there\"}"];
    assert_eq!(events("{a: hello there}"), expected);
    assert_eq!(events("{a: hello"), ["a grows by \"hello\""]);
}

#[test]
fn a_number_that_grew_into_a_string_does_not_hide_the_next_one() {
    let mut stream = any_type().stream();
    let pieces = ["{a: 12", " monkeys, b: 12", "}"];
    let events: Vec<_> = pieces.into_iter().flat_map(|it| stream.push(it)).collect();
    let numbers = events.iter().filter(|it| matches!(it, OutputEvent::Scalar { .. }));
    assert_eq!(numbers.count(), 1, "{events:?}");
}

#[test]
fn a_comment_with_a_number_sign_ends_the_value_before_it() {
    let reply = "{\"a\": \"\" # none, so: }\n, b: 1 # one\n c: true # yes\n \"d\": 'x' # {\n}";
    assert_eq!(read(reply).to_json(), r#"{"a": "", "b": 1, "c": true, "d": "x"}"#);
    assert_eq!(read("{a: Room # 5, b: #fff}").to_json(), r##"{"a": "Room # 5", "b": "#fff"}"##);
}

#[test]
fn delimiters_of_several_characters_may_be_split() {
    for reply in [
        "{\"a\": \"x\"```, \"b\": 1}",
        "[\"x\"```, 1]",
        "{a => 1}",
        "{a: b```\n",
        "{a`` : 1}",
        "[\"\"\"x\"\"\"]",
        "{a: 1 // x\n}",
        "{a: [...]}",
    ] {
        let all: Vec<usize> = (0..=reply.len()).collect();
        assert_eq!(stream_result(pieces(reply, &all)), stream_result([reply]), "{reply}");
    }
}

#[test]
fn a_value_cut_by_the_end_of_a_reply_is_not_reported_as_complete() {
    assert_eq!(events(r#"{"a": 12"#), ["a is 12 so far"]);
    assert_eq!(events(r#"{"a": [tr"#), ["a[0] is true so far"]);
    assert_eq!(events(r#"{"a": -"#), [""; 0]);
    let again = [r#"a is 1 so far"#, "a is 1", "Restarted", r#"a grows by "x""#];
    assert_eq!(events(r#"{"a": 1, "a": "x"#), again);
    let again = [
        "a is 1 so far",
        "a is 1",
        "b is 2 so far",
        "b is 2",
        "Restarted",
        "b is 2 so far",
        "b is 2",
        "a is 3 so far",
    ];
    assert_eq!(events(r#"{"a": 1, "b": 2, "a": 3"#), again);
}

#[test]
fn repairs_are_reported_with_their_place() {
    let parsed = any_type().parse("{a: 'b', }").unwrap();
    let repairs: Vec<_> =
        parsed.repairs.iter().map(|it| (it.kind(), it.range().unwrap())).collect();
    let expected = [
        (RepairKind::BareKey, 1..2),
        (RepairKind::OtherQuotes, 4..5),
        (RepairKind::ExtraComma, 7..8),
    ];
    assert_eq!(repairs, expected);
}

#[test]
fn text_that_is_read_again_is_repaired_once() {
    let parsed = any_type().parse("[\"a\" b\" c\" d]").unwrap();
    assert_eq!(parsed.value.to_json(), r#"["a", "b", "c", "d"]"#);
    // The quotes were treated as data until the string did not end.
    assert!(!parsed.repairs.iter().any(|it| it.kind() == RepairKind::QuoteInText), "{parsed:?}");
}

#[test]
fn damage_is_an_error_if_it_may_not_be_repaired() {
    let schema = Value::from_json(r#"{"type": "object"}"#).unwrap();
    let objects = Output::from_schema(schema).with_leniency(Leniency::Exact);
    let error = objects.parse("{a: 1}").unwrap_err();
    assert_eq!(error.to_string(), "expected JSON, found a key without quotes (at byte 1)");
}

/// Texts that a reader without bounds reads again from each bracket, quote or comma.
const HOSTILE: [&str; 20] = [
    "[",
    "{",
    "{\"a",
    "[x ",
    "{\"a\":",
    "/*",
    "{x ",
    "[\"",
    "```\n{",
    "{\"a\": \"b\" \"c",
    "{\"a\": \"b, ",
    "{\"a\": \"b\" c\", ",
    "{a: b c ",
    "[1 x",
    "{\"a\": \"{\"k",
    "[\"a [\"b\", ",
    "{\"a\": ```x\n```y ",
    "{\"a\": x(\"",
    "{\"\"a",
    "{\"a\": {\"b\": [1, ",
];

#[test]
fn a_value_that_is_nested_too_deeply_is_read_once() {
    let text = |depth: usize| format!("{} {}", "[\"a text\", ".repeat(depth), r#"{"a": 1}"#);
    let work = |depth: usize| count_work(|| any_type().parse(&text(depth))).1.steps;
    // One level is read again, at the bracket that was too deep.
    assert!(work(1_000) < 12 * work(100), "{} and {}", work(100), work(1_000));
}

#[test]
fn an_end_that_may_close_many_strings_is_read_a_few_times() {
    let units = ["\"b\" c, ", "{\"a\": \"b\" c}, ", "[\"b\" c \"d\" e], ", "\"a\": \"b\" c "];
    for (unit, (open, close)) in
        units.into_iter().flat_map(|it| [(it, ("[", "]")), (it, ("{\"a\": ", "}"))])
    {
        let text = |count: usize| format!("{open}{}{close}", unit.repeat(count));
        let work = |count: usize| count_work(|| any_type().parse(&text(count))).1.steps;
        assert!(work(800) < 12 * work(100), "{open}{unit}: {} and {}", work(100), work(800));
    }
}

#[test]
fn events_of_text_that_is_not_a_value_are_void() {
    let expected = ["Restarted", "a is 1 so far", "a is 1", r#" is {"a": 1}"#];
    assert_eq!(events("[ ```json\n{\"a\": 1}\n```"), expected);
}

#[test]
fn hostile_replies_are_read_in_proportion_to_their_length() {
    assert_hostile_is_linear(|text| drop(any_type().parse(text)));
}

#[test]
fn hostile_pieces_are_read_in_proportion_to_their_length() {
    assert_hostile_is_linear(|text| {
        let mut stream = any_type().stream();
        pieces(text, &(0..text.len()).step_by(3).collect::<Vec<_>>())
            .into_iter()
            .for_each(|piece| drop(stream.push(piece)));
        drop(stream.finish());
    });
}

fn assert_hostile_is_linear(read: impl Fn(&str)) {
    // This is a multiple of the maximum depth, so the last value is as deep in each reply.
    const TIMES: usize = 256;
    for unit in HOSTILE {
        for front in ["", "Look: "] {
            let text = |size: usize| format!("{front}{}", unit.repeat(size));
            assert_linear(unit, TIMES, |size| {
                let text = text(size);
                count_work(|| read(&text)).1
            });
        }
    }
}

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Source {
    url: String,
    page: Option<u32>,
}

#[test]
fn null_is_a_missing_optional_field() {
    let output = Output::<Source>::new();
    let expected = Source { url: "a".to_owned(), page: None };
    for reply in [r#"{"url": "a", "page": null}"#, r#"{"url": "a"}"#, "{url: a, page: null}"] {
        assert_eq!(output.parse(reply).unwrap().value, expected, "{reply}");
    }
}

#[test]
fn an_unknown_key_is_always_reported() {
    let output = Output::<Source>::new();
    for reply in [r#"{"url": "a", "size": 1}"#, r#"{"url": "a", "size": 1,}"#] {
        let parsed = output.parse(reply).unwrap();
        let repair = parsed.repairs.iter().find(|it| it.kind() == RepairKind::UnknownKey).unwrap();
        assert_eq!(repair.path().unwrap().to_string(), "size", "{reply}");
    }
}

#[test]
fn a_number_is_requested_with_a_reply_and_read_with_and_without_it() {
    let output = Output::<i32>::new();
    let names: Vec<&str> =
        output.schema().get("properties").unwrap().as_object().unwrap().keys().collect();
    assert_eq!(names, ["value", "reply"]);
    for reply in [r#"{"value": 7, "reply": "Seven."}"#, "7", "```json\n{value: 7}\n```"] {
        assert_eq!(output.parse(reply).unwrap().value, 7, "{reply}");
    }
}

#[test]
fn a_text_is_the_reply_itself() {
    let output = Output::<String>::new();
    let parsed = output.parse("<think>Hm.</think>\n# Title\n\n{\"a\": 1} is JSON.").unwrap();
    assert_eq!(parsed.value, "# Title\n\n{\"a\": 1} is JSON.");
}

#[test]
fn an_ambiguous_value_is_an_error_with_its_place() {
    let schema = r#"{"properties": {"tone": {"enum": ["Warm", "WARM"]}}, "required": ["tone"]}"#;
    let output = Output::from_schema(Value::from_json(schema).unwrap());
    let error = output.parse(r#"{"tone": "warm"}"#).unwrap_err();
    assert_eq!(error.to_string(), r#"at tone: expected one of "Warm", "WARM", found "warm""#);
}

#[test]
fn punctuation_of_another_script_is_read_at_any_place() {
    assert_eq!(read("｛“a”：“b”，c：［1，0x1F，］，｝").to_json(), r#"{"a": "b", "c": [1, 31]}"#);
    assert_eq!(read("{｛＂名＂：1，｝").to_json(), r#"{"名": 1}"#);
    assert_eq!(read("{\"a\"：：名｝").to_json(), r#"{"a": "名｝"}"#);
}

#[test]
fn a_wrong_bracket_closes_one_level_if_the_rest_is_only_valid_there() {
    assert_eq!(read(r#"{"a": [1}, "b": 2}"#).to_json(), r#"{"a": [1], "b": 2}"#);
    assert_eq!(read(r#"[{"a": 1], {"b": 2}]"#).to_json(), r#"[{"a": 1}, {"b": 2}]"#);
    // Here the rest is valid after both levels.
    assert_eq!(read(r#"{"o": {"a": [1}, "b": 2}"#).to_json(), r#"{"o": {"a": [1]}, "b": 2}"#);
    assert_eq!(read(r#"[[{"a": 1], {"b": 2}]"#).to_json(), r#"[[{"a": 1}], {"b": 2}]"#);
}

#[test]
fn of_several_values_the_one_with_the_most_known_keys_is_chosen() {
    let schema = r#"{"properties": {"answer": {}, "score": {}}, "additionalProperties": true}"#;
    let output = Output::from_schema(Value::from_json(schema).unwrap());
    let chosen = |reply: &str| output.parse(reply).unwrap().value.to_json();
    assert_eq!(chosen(r#"{"k": [1, [2]]} is code, so {"answer": 1}"#), r#"{"k": [1, [2]]}"#);
    assert_eq!(chosen(r#"Code: {"k": [1, [2]]}. So: {"answer": 1}"#), r#"{"answer": 1}"#);
    assert_eq!(chosen(r#"Once {"answer": 1}, and {"answer": 2}"#), r#"{"answer": 1}"#);
    assert_eq!(chosen(r#"Not {"a": 1}, but {"b": 2}"#), r#"{"b": 2}"#);
}

#[test]
fn the_value_so_far_is_the_reported_one() {
    let mut stream = any_type().stream();
    stream.push(r#"{"a": 1} and {"b": "#);
    assert_eq!(stream.value_so_far().unwrap().to_json(), r#"{"a": 1}"#);
}

#[test]
fn json_in_a_string_is_part_of_it_even_without_backslashes() {
    let reply = r#"{"why": "write {"a": "1", "b": ["x", "y"]} or ["z"], say", "answer": 4}"#;
    let value = read(reply);
    let why = r#"write {"a": "1", "b": ["x", "y"]} or ["z"], say"#;
    assert_eq!(value.get("why").unwrap().as_str(), Some(why));
    assert_eq!(value.get("answer").unwrap().as_integer(), Some(4));
    let valid = r#"{"why": "write {", "b": "[", "c": "{ "}"#;
    assert_eq!(read(valid).to_json(), valid);
}

#[test]
fn a_bracket_in_a_pattern_is_part_of_the_string() {
    let value = read(r#"[{"regex": "path\(['"]([^'"]+)['"]\s*$"}, {"regex": "x"}]"#);
    let first = value.as_array().unwrap()[0].get("regex");
    assert_eq!(first.unwrap().as_str(), Some(r#"path\(['"]([^'"]+)['"]\s*$"#));
}

#[test]
fn a_fence_after_a_colon_opens_a_string() {
    let reply = "```json\n{\"code\": ```rust\nlet a = \"x\\n\";\n}\n```,\n\"lang\": \"rust\"}\n```";
    let value = read(reply);
    assert_eq!(value.get("code").unwrap().as_str(), Some("let a = \"x\\n\";\n}"));
    assert_eq!(value.get("lang").unwrap().as_str(), Some("rust"));
    // Here it ends the value, which was truncated.
    assert_eq!(read("```json\n{\"a\": 1, \"b\":\n```").to_json(), r#"{"a": 1}"#);
    assert_eq!(read("```json\n{\"a\": 1, \"b\": ```").to_json(), r#"{"a": 1}"#);
}

#[test]
fn a_group_in_parentheses_is_a_literal_string() {
    let value = read(r#"{"id": ObjectId("1,2"), "at": (1, 2), "n": ("x"), "end": true}"#);
    let expected = r#"{"id": "ObjectId(\"1,2\")", "at": "(1, 2)", "n": "(\"x\")", "end": true}"#;
    assert_eq!(value.to_json(), expected);
}

#[test]
fn strings_joined_by_a_plus_sign_are_one() {
    let parsed =
        any_type().parse("{\"a\": \"one \" +\n  \"two\", \"b\": [\"x\" + \"y\", \"z\"]}").unwrap();
    assert_eq!(parsed.value.to_json(), r#"{"a": "one two", "b": ["xy", "z"]}"#);
    assert!(parsed.repairs.iter().any(|it| it.kind() == RepairKind::JoinedTexts));
}

#[test]
fn doubled_quotes_are_quotes_and_two_quotes_an_empty_string() {
    let value = read(r#"{""a"": ""5"", ''b'': ''x y'', "c": "", "d": ["", ""]}"#);
    assert_eq!(value.to_json(), r#"{"a": "5", "b": "x y", "c": "", "d": ["", ""]}"#);
}

#[test]
fn digits_after_a_comma_belong_to_the_number_before_it() {
    let schema = r#"{"properties": {"amount": {"type": "number"}}, "required": ["amount"]}"#;
    let amounts = Output::from_schema(Value::from_json(schema).unwrap());
    let reply = r#"{"amount": -2,000.50, "ok": true}"#;
    let error = amounts.parse(reply).unwrap_err();
    assert_eq!(error.to_string(), "at amount: expected a number, found \"-2,000.50\"");
    let generous = amounts.with_leniency(Leniency::Generous).parse(reply).unwrap();
    assert_eq!(generous.value.to_json(), r#"{"amount": -2000.5}"#);
    assert_eq!(read("{a: 1,2: 3}").to_json(), r#"{"a": 1, "2": 3}"#);
    assert_eq!(read("[1,234]").to_json(), "[1, 234]");
}

#[test]
fn a_missing_required_value_is_an_error() {
    let schema = r#"{"properties": {"note": {"type": ["string", "null"]}}, "required": ["note"]}"#;
    let notes = Output::from_schema(Value::from_json(schema).unwrap());
    let error = notes.with_leniency(Leniency::Generous).parse("{}").unwrap_err();
    assert_eq!(error.to_string(), "at note: expected a string or `null`, found nothing");
}

#[test]
fn several_objects_are_read_as_a_list() {
    let schema = r#"{"type": "array", "items": {"properties": {"a": {"type": "integer"}}}}"#;
    let lists = Output::from_schema(Value::from_json(schema).unwrap());
    let parsed =
        lists.with_leniency(Leniency::Generous).parse("{\"a\": 1} and {\"a\": 2}").unwrap();
    assert_eq!(parsed.value.to_json(), r#"[{"a": 1}, {"a": 2}]"#);
    assert_eq!(parsed.repairs[0].kind(), RepairKind::SeveralForList);
}

#[test]
fn keys_of_maps_may_be_numbers() {
    let scores = Output::<BTreeMap<u32, i64>>::new();
    let reply = "Here: {'7': '12', '8': 3,}";
    let parsed = scores.parse(reply).unwrap();
    assert_eq!(parsed.value, BTreeMap::from([(7, 12), (8, 3)]));

    let mut stream = scores.stream().with_partial();
    for piece in reply.split_inclusive(' ') {
        stream.push(piece);
    }
    assert_eq!(stream.partial().done(), Some(&parsed.value));

    // An invalid key is an error.
    let error = scores.parse("{'seven': 1}").unwrap_err();
    assert!(error.to_string().contains("seven"), "{error}");
}

#[test]
fn a_restart_makes_a_value_absent_that_was_done() {
    let output = Output::<Vec<BTreeMap<String, u8>>>::new();
    for (first, second) in [
        ("Look: [{}] or ", r#"[{"a": 3}]."#),
        ("[{}] </think>", r#"[{"a": 3}]"#),
        (r#"[{"a": 1}] </think>"#, "It is [{}]."),
    ] {
        let mut stream = output.stream().with_partial();
        let mut events = stream.push(first);
        events.extend(stream.push(second));
        events.extend(stream.end());
        assert!(events.contains(&OutputEvent::Restarted), "{first}{second}");
        let partial = stream.partial().done().cloned();
        assert_eq!(partial, Some(stream.finish().unwrap().value), "{first}{second}");
    }

    let mut stream = output.stream().with_partial();
    stream.push("[{}] ");
    assert_eq!(stream.partial(), &Partial::Done(vec![BTreeMap::new()]));
    stream.push("</think>");
    assert_eq!(stream.partial(), &Partial::Absent);
}

#[test]
fn entries_under_several_patterns_of_names_are_kept() {
    let schema = r#"{"type": "object", "patternProperties": {
        "^n": {"type": "number"}, "^t": {"type": "string"}
    }}"#;
    let output = Output::from_schema(Value::from_json(schema).unwrap());
    let reply = r#"{"n1": 1, "t1": "a"}"#;
    assert_eq!(output.parse(reply).unwrap().value.to_json(), reply);
    let error = output.parse(r#"{"n1": "a"}"#).unwrap_err();
    assert_eq!(error.path().to_string(), "n1");
}

#[test]
fn a_number_that_no_float_holds_is_not_infinite() {
    let amounts = Output::<BTreeMap<String, f64>>::new();
    for leniency in [Leniency::Exact, Leniency::Plain, Leniency::Generous] {
        for reply in ["{\"a\": 1e999}", "{\"a\": -1e999}", "{\"a\": \"1e999\"}", "{a: +1e999}"] {
            assert!(amounts.clone().with_leniency(leniency).parse(reply).is_err(), "{reply}");
        }
    }
    assert_eq!(read("{\"a\": 1e999}").to_json(), r#"{"a": "1e999"}"#);
}

#[test]
fn a_value_before_the_end_of_reasoning_is_a_thought() {
    let schema = r#"{"properties": {"a": {"type": "integer"}}, "required": ["a"]}"#;
    let output = Output::from_schema(Value::from_json(schema).unwrap());
    let read = |reply: &str| output.parse(reply).map(|it| it.value.to_json());
    // The tag that opens the reasoning is in the prompt.
    let reply = "Perhaps {\"a\": 1}, or {\"a\": 2, \"b\": 3}?\n</think>\n{\"a\": 4} as {\"a\": 5}";
    assert_eq!(read(reply).unwrap(), r#"{"a": 4}"#);
    // If the answer does not fit, a thought is not used instead.
    let error = read("{\"a\": 1}</think>{\"a\": \"x\"}").unwrap_err();
    assert_eq!(error.to_string(), "at a: expected an integer, found \"x\"");
    // A stray tag at the end is ignored, and so is a tag inside of a string.
    assert_eq!(read("{\"a\": 1}</think>").unwrap(), r#"{"a": 1}"#);
    assert_eq!(read("{\"a\": 1, \"b\": \"</think>\"} {\"a\": 2}").unwrap(), r#"{"a": 1}"#);

    for size in 1..12 {
        let mut stream = output.stream();
        let characters: Vec<char> = reply.chars().collect();
        let mut events = Vec::new();
        for piece in characters.chunks(size) {
            events.extend(stream.push(&piece.iter().collect::<String>()));
        }
        // The answer is reported while it arrives, once the thoughts end.
        let restart = events.iter().position(|it| *it == OutputEvent::Restarted).unwrap();
        assert!(events[restart..].len() > 1, "{events:?}");
        assert!(stream.end().is_empty());
        assert_eq!(stream.finish().unwrap().value.to_json(), r#"{"a": 4}"#);
    }
}

#[test]
fn a_choice_that_a_sentence_negates_is_not_used() {
    let schema = r#"{"properties": {
        "kind": {"enum": ["spam", "ham"]}, "sure": {"type": "boolean"}
    }}"#;
    let output = Output::from_schema(Value::from_json(schema).unwrap());
    let output = output.with_leniency(Leniency::Generous);
    for negated in ["not spam", "This isn't a spam mail", "no spam here", "neither spam nor ham"] {
        let error = output.parse(&format!("{{\"kind\": \"{negated}\"}}")).unwrap_err();
        assert_eq!(error.path().to_string(), "kind", "{negated}");
    }
    for negated in ["not true", "It isn't true.", "never really true"] {
        assert!(output.parse(&format!("{{\"sure\": \"{negated}\"}}")).is_err(), "{negated}");
    }
    let value = output.parse("{'kind': 'It is spam, not much to say', 'sure': 'so true'}");
    assert_eq!(value.unwrap().value.to_json(), r#"{"kind": "spam", "sure": true}"#);
}

#[test]
fn generous_reading_accepts_only_the_cases_in_its_table() {
    let accepted = |schema: &str, reply: &str| {
        let schema = format!("{{\"properties\": {{\"a\": {schema}}}, \"required\": [\"a\"]}}");
        let output = Output::from_schema(Value::from_json(&schema).unwrap());
        let read = |leniency| {
            let parsed = output.clone().with_leniency(leniency).parse(reply);
            parsed.ok().map(|it| it.value.get("a").unwrap().to_json())
        };
        [Leniency::Exact, Leniency::Plain, Leniency::Generous].map(read)
    };
    let only_generous = |value: &str| [None, None, Some(value.to_owned())];
    let [integer, text] = ["{\"type\": \"integer\"}", "{\"type\": \"string\"}"];
    let null = "{\"type\": [\"integer\", \"null\"]}";
    let some = |value: &str| Some(value.to_owned());
    assert_eq!(accepted(null, "{\"a\": \"null\"}"), [None, some("null"), some("null")]);
    assert_eq!(accepted(integer, "{\"a\": true}"), only_generous("1"));
    assert_eq!(accepted(text, "{\"a\": true}"), only_generous("\"true\""));
    assert_eq!(accepted(integer, "{\"a\": [1, 2]}"), only_generous("1"));
    assert_eq!(accepted(integer, "{\"a\": {\"b\": 1}}"), only_generous("1"));
    assert_eq!(accepted("{\"type\": \"object\"}", "{\"a\": [{}]}"), [None, None, None]);
    assert_eq!(accepted(integer, "{\"a\": [[1]]}"), [None, None, None]);
    assert_eq!(accepted(integer, "{\"a\": 7.6}"), [None, None, None]);
}

#[test]
fn a_part_of_a_too_deeply_nested_value_is_not_an_answer() {
    let schema = r#"{"properties": {"a": {"type": "integer"}}, "required": ["a"]}"#;
    let output = Output::from_schema(Value::from_json(schema).unwrap());
    let nested =
        |levels| "{\"a\": 1, \"next\": ".repeat(levels) + "{\"a\": 2}" + &"}".repeat(levels);
    assert_eq!(output.parse(&nested(100)).unwrap().value.to_json(), r#"{"a": 1}"#);
    let reply = nested(200) + " or {\"a\": 3}";
    assert!(output.parse(&reply).is_err());

    let mut stream = output.stream();
    for piece in reply.split_inclusive(',') {
        stream.push(piece);
    }
    assert!(stream.finish().is_err());
    // A value before it is read.
    assert_eq!(
        output.parse(&format!("{{\"a\": 4}} {reply}")).unwrap().value.to_json(),
        r#"{"a": 4}"#
    );
}
