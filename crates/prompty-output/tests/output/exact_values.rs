//! Tests that a value does not change silently: what `parse` gives without a repair is what the
//! model wrote, and everything else has a repair or is an error.

use std::collections::BTreeMap;

use prompty_core::value::Value;
use prompty_output::output::{Leniency, Output, OutputError, Parsed, Partial, Repair, RepairKind};
use proptest::prelude::*;
use work_counting::{assert_linear, count_work};

const LENIENCIES: [Leniency; 3] = [Leniency::Exact, Leniency::Plain, Leniency::Generous];

fn of_schema(schema: &str) -> Output<Value> {
    Output::from_schema(Value::from_json(schema).unwrap())
}

fn parse(schema: &str, reply: &str, leniency: Leniency) -> Result<Parsed<Value>, OutputError> {
    of_schema(schema).with_leniency(leniency).parse(reply)
}

/// The value of the key `a`, as JSON, and the kinds of the repairs.
fn read(schema: &str, json: &str, leniency: Leniency) -> Option<(String, Vec<RepairKind>)> {
    let schema = format!(r#"{{"properties": {{"a": {schema}}}, "required": ["a"]}}"#);
    let parsed = parse(&schema, &format!(r#"{{"a": {json}}}"#), leniency).ok()?;
    let repairs = parsed.repairs.iter().map(Repair::kind).collect();
    Some((parsed.value.get("a").unwrap().to_json(), repairs))
}

/// The value as JSON if no repair was needed.
fn unrepaired(schema: &str, json: &str, leniency: Leniency) -> Option<String> {
    let (value, repairs) = read(schema, json, leniency)?;
    repairs.is_empty().then_some(value)
}

fn generous(schema: &str, json: &str) -> Option<String> {
    read(schema, json, Leniency::Generous).map(|(value, _)| value)
}

fn plain(schema: &str, json: &str) -> Option<String> {
    read(schema, json, Leniency::Plain).map(|(value, _)| value)
}

#[test]
fn listed_integers_are_compared_by_all_digits() {
    let choices = r#"{"enum": [9007199254740992, 9007199254740993]}"#;
    for leniency in LENIENCIES {
        for number in ["9007199254740992", "9007199254740993", "9007199254740993.0"] {
            let expected = number.trim_end_matches(".0");
            assert_eq!(unrepaired(choices, number, leniency).as_deref(), Some(expected));
        }
        let constant = r#"{"const": 9007199254740993}"#;
        assert_eq!(read(constant, "9007199254740992", leniency), None);
        assert_eq!(read(choices, "9007199254740992.4", leniency), None);
        assert_eq!(read(r#"{"enum": [1]}"#, "0.99999999999999999999", leniency), None);
        assert_eq!(unrepaired(r#"{"enum": [1]}"#, "1.0", leniency).as_deref(), Some("1"));
    }
}

#[test]
fn a_whole_number_keeps_its_digits_as_an_integer() {
    let integer = r#"{"type": "integer"}"#;
    for leniency in LENIENCIES {
        for (json, expected) in [
            ("9007199254740993.0", "9007199254740993"),
            ("9007199254740993.000e0", "9007199254740993"),
            ("9007199254740.993e3", "9007199254740993"),
            ("1e23", "100000000000000000000000"),
            ("7.0", "7"),
            ("-0", "0"),
        ] {
            assert_eq!(unrepaired(integer, json, leniency).as_deref(), Some(expected), "{json}");
        }
    }
    for json in ["0.99999999999999999999", "4503599627370497.3", "9007199254740993.5"] {
        assert_eq!(plain(integer, json), None, "{json}");
        assert_eq!(plain(integer, &format!("{json:?}")), None, "{json}");
    }
    assert_eq!(plain(integer, r#""9007199254740993.0""#).as_deref(), Some("9007199254740993"));
    assert_eq!(plain(integer, "+9007199254740993.0").as_deref(), Some("9007199254740993"));
    assert_eq!(generous(integer, r#""9007199254740993/1""#).as_deref(), Some("9007199254740993"));
    let parsed = Output::<Vec<u64>>::new().parse("[9007199254740993.0, 3.0]").unwrap();
    assert_eq!((parsed.value, parsed.repairs.len()), (vec![9_007_199_254_740_993, 3], 0));
}

#[test]
fn a_number_with_more_digits_than_a_float_is_reported() {
    let number = r#"{"type": "number"}"#;
    for schema in [number, "true", r#"{"enum": [1, 0.1]}"#] {
        let found = read(schema, "0.1000000000000000000001", Leniency::Exact);
        assert!(found.is_none_or(|it| it.1 == [RepairKind::RoundedNumber]), "{schema}");
    }
    assert_eq!(unrepaired(number, "0.10", Leniency::Exact).as_deref(), Some("0.1"));
    assert_eq!(
        unrepaired(number, "1.7976931348623157e308", Leniency::Exact).map(|it| it.len()),
        Some(309)
    );
}

#[test]
fn signs_of_choices_are_kept() {
    let schema =
        |choices: &[&str]| format!(r#"{{"enum": {}}}"#, Value::from(choices.to_vec()).to_json());
    for (choices, written) in [
        (["A+", "B"], "A-"),
        (["+1", "0"], "-1"),
        (["C", "D"], "C++"),
        (["C", "D"], "C#"),
        ([">5", "=5"], "<5"),
        (["1.0", "2.0"], "10"),
        (["101", "2"], "10 1"),
        (["≠", "<"], "="),
        (["x²", "y"], "x2"),
        (["A", "B"], "A*"),
        (["कि", "का"], "क"),
    ] {
        for reply in [written.to_owned(), written.to_lowercase(), format!("It is {written} here")] {
            let json = Value::from(reply.as_str()).to_json();
            assert_eq!(generous(&schema(&choices), &json), None, "{reply:?} as one of {choices:?}");
        }
    }
    let grades = schema(&["A+", "A-", "A", "A*"]);
    for grade in ["A+", "A-", "A"] {
        assert_eq!(
            plain(&grades, &format!(r#""{}""#, grade.to_lowercase())),
            Some(format!("{grade:?}"))
        );
        let sentence = format!(r#""The grade is **{}**, since it is good.""#, grade.to_lowercase());
        assert_eq!(generous(&grades, &sentence), Some(format!("{grade:?}")), "{sentence}");
    }
}

#[test]
fn case_and_separators_between_letters_of_choices_do_not_matter() {
    let schema = r#"{"enum": ["very_good", "not-so-good"]}"#;
    for written in
        ["Very Good", "VeryGood", "very-good", "'very good'", "**Very good**", "very good."]
    {
        assert_eq!(
            plain(schema, &format!("{written:?}")).as_deref(),
            Some(r#""very_good""#),
            "{written}"
        );
    }
}

#[test]
fn an_ambiguous_choice_or_key_is_an_error() {
    let choices = r#"{"enum": ["a_b", "ab"]}"#;
    assert_eq!(generous(choices, r#""A-B""#), None);
    let schema = r#"{"properties": {"a_b": {}, "ab": {}}, "required": ["a_b"]}"#;
    assert!(parse(schema, r#"{"A-B": 1}"#, Leniency::Generous).is_err());
    let schema = r#"{"properties": {"ab": {}}, "required": ["ab"]}"#;
    assert!(parse(schema, r#"{"A-B": 1, "A_B": 2}"#, Leniency::Generous).is_err());
}

#[test]
fn signs_of_keys_are_kept() {
    let schema = r#"{"properties": {"C": {"type": "integer"}, "+1": {"type": "integer"}}}"#;
    for leniency in [Leniency::Plain, Leniency::Generous] {
        let parsed = parse(schema, r#"{"c++": 1, "-1": 2, "c": 3}"#, leniency).unwrap();
        assert_eq!(parsed.value.to_json(), r#"{"C": 3}"#);
    }
    let parsed = Output::<BTreeMap<i8, i8>>::new().parse(r#"{"+1": 1, "1": 2,}"#);
    assert!(parsed.is_err(), "{parsed:?}");
}

#[test]
fn numbers_that_are_not_finite_need_a_float_without_bounds_and_generosity() {
    for word in ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"] {
        for bounded in [
            r#"{"type": "number", "maximum": 5}"#,
            r#"{"type": "number", "minimum": 0}"#,
            r#"{"type": "number", "multipleOf": 2}"#,
            r#"{"type": "integer"}"#,
            r#"{"anyOf": [{"type": "number", "exclusiveMaximum": 5}, {"type": "integer"}]}"#,
        ] {
            for leniency in LENIENCIES {
                assert_eq!(read(bounded, word, leniency), None, "{word} for {bounded}");
                assert_eq!(read(bounded, &format!("{word:?}"), leniency), None, "{word:?}");
            }
        }
        assert_eq!(plain(r#"{"type": "number"}"#, word), None, "{word}");
    }
    let free = Output::<Vec<f64>>::new();
    assert_eq!(
        free.parse("[NaN]").unwrap_err().to_string(),
        "at [0]: expected a number, found `NaN`"
    );
    let free = free.with_leniency(Leniency::Generous);
    assert!(free.parse("[NaN]").unwrap().value[0].is_nan());
    assert!(free.parse("[1e999]").is_err());
    assert!(free.parse(r#"["1e308/1e-10"]"#).is_err());
    let infinite = Value::from(vec![Value::Float(f64::INFINITY)]);
    assert!(Output::<Vec<f64>>::new().fit(&infinite).is_err());
}

#[test]
fn a_number_or_literal_as_a_string_is_what_was_written() {
    let text = r#"{"type": "string"}"#;
    let long = "123456789012345678901234567890123456789012345";
    for word in [
        "1.10", "+49123", long, "1e5", "-0", "0x1F", ".5", "5.", "1.0", "True", "FALSE", "NaN",
        "007", "1_000",
    ] {
        assert_eq!(generous(text, word), Some(format!("{word:?}")), "{word}");
        assert_eq!(
            generous(r#"{"type": ["string", "null"]}"#, &format!("[{word}]")),
            Some(format!("{word:?}"))
        );
        let list = r#"{"type": "array", "items": {"type": "string"}}"#;
        assert_eq!(
            generous(list, &format!("[[1.0], {word}]")),
            Some(format!(r#"["1.0", {word:?}]"#))
        );
    }
    let versions = r#"{"enum": ["1.1", "1.10"]}"#;
    assert_eq!(generous(versions, "1.10").as_deref(), Some(r#""1.10""#));
    assert_eq!(generous(versions, "1.1").as_deref(), Some(r#""1.1""#));
    let twice = r#"{"a": 1.10, "a": 2.20, "b": 3.0, "b": "x"}"#;
    let schema = r#"{"additionalProperties": {"type": "string"}}"#;
    let parsed = parse(schema, twice, Leniency::Generous).unwrap();
    assert_eq!(parsed.value.to_json(), r#"{"a": "2.20", "b": "x"}"#);
}

#[test]
fn a_partial_string_is_not_done_with_other_digits_than_were_written() {
    let output = Output::<Vec<String>>::new().with_leniency(Leniency::Generous);
    let mut stream = output.stream().with_partial();
    stream.push("[1.10, 2.0");
    let Partial::Growing(items) = stream.partial() else { panic!("the list is open") };
    assert!(items.iter().all(|it| it.done().is_none_or(|it| it == "1.10")));
    stream.push("]");
    stream.end();
    assert_eq!(stream.partial().done().unwrap(), &["1.10", "2.0"]);
}

#[test]
fn an_incomplete_or_doubly_signed_number_is_not_a_number() {
    let number = r#"{"type": "number"}"#;
    for word in ["12e", "12e+", "+-5", "-+5", "--5", "++5", "- 5"] {
        assert_eq!(generous(number, word), None, "{word}");
        assert_eq!(generous(number, &format!("{word:?}")), None, "{word:?}");
        assert_eq!(generous(r#"{"type": "string"}"#, word), Some(format!("{word:?}")));
    }
    for word in ["-", "t", "12e"] {
        for kind in ["number", "integer", "boolean"] {
            let schema = format!(r#"{{"type": "{kind}"}}"#);
            // The reply may have ended too early, but is not complete.
            let parsed = parse(&schema, word, Leniency::Generous);
            assert!(parsed.is_err() || parsed.is_ok_and(|it| it.truncated), "{word} as {kind}");
            assert!(parse(&schema, word, Leniency::Exact).is_err(), "{word} as {kind}");
        }
    }
}

#[test]
fn half_of_a_surrogate_pair_is_kept_as_its_escape_and_reported() {
    let reply = r#"{"a": "x\ud83d!"}"#;
    let texts = Output::<BTreeMap<String, String>>::new();
    let parsed = texts.parse(reply).unwrap();
    assert_eq!(parsed.value["a"], "x\\ud83d!");
    assert_eq!(
        parsed.repairs.iter().map(Repair::kind).collect::<Vec<_>>(),
        [RepairKind::LoneSurrogate]
    );
    assert!(texts.with_leniency(Leniency::Exact).parse(reply).is_err());
}

#[test]
fn a_duplicate_key_is_reported() {
    let reply = r#"{"x": [{"a": 1, "a": 2}], "x": 3}"#;
    let parsed = Output::from_schema(Value::Bool(true)).parse(reply).unwrap();
    let repairs: Vec<String> = parsed.repairs.iter().map(ToString::to_string).collect();
    assert_eq!(repairs, ["a duplicate key (at `x[0].a`)", "a duplicate key (at `x`)"]);
    let maps = Output::<BTreeMap<String, u8>>::new();
    assert_eq!(maps.parse(r#"{"a": 1, "a": 2}"#).unwrap().repairs.len(), 1);
    assert!(maps.with_leniency(Leniency::Exact).parse(r#"{"a": 1, "a": 2}"#).is_err());
}

#[test]
fn a_float_of_a_rust_type_is_not_rounded_silently() {
    let floats = Output::<Vec<f64>>::new();
    let parsed = floats.parse("[0.1, 0.1000000000000000055, 1e-320]").unwrap();
    let kinds: Vec<_> = parsed.repairs.iter().map(|it| (it.kind(), it.path().cloned())).collect();
    assert_eq!(kinds.len(), 1, "{kinds:?}");
    assert_eq!(kinds[0].0, RepairKind::RoundedNumber);
    assert!(Output::<Vec<f32>>::new().parse("[1e300]").is_err());
    assert!(Output::<Vec<f32>>::new().parse("[1e30]").is_ok());
}

#[test]
fn an_integer_that_a_float_of_a_rust_type_rounds_is_reported() {
    #[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
    #[serde(untagged)]
    enum Amount {
        Whole { whole: i64 },
        Part { part: Option<f64> },
    }
    let paths = |repairs: &[Repair]| -> Vec<String> {
        let rounded = repairs.iter().filter(|it| it.kind() == RepairKind::RoundedNumber);
        rounded.map(|it| it.path().unwrap().to_string()).collect()
    };
    for word in ["9007199254740993", "9007199254740993.0", "\"9007199254740993\""] {
        let parsed = Output::<f64>::new().parse(word).unwrap();
        assert_eq!(
            (parsed.value, parsed.repairs.is_empty()),
            (9_007_199_254_740_992.0, false),
            "{word}"
        );
        let parsed = Output::<Vec<f64>>::new().parse(&format!("[1, {word}]")).unwrap();
        assert_eq!(paths(&parsed.repairs), ["[1]"], "{word}");
        let reply = format!(r#"[{{"part": {word}}}, {{"whole": {word}}}]"#);
        let parsed = Output::<Vec<Amount>>::new().parse(&reply).unwrap();
        assert_eq!(paths(&parsed.repairs), ["[0].part"], "{word}");
    }
    let value = Value::from_json("[9007199254740993]").unwrap();
    assert_eq!(paths(&Output::<Vec<f64>>::new().fit(&value).unwrap().repairs), ["[0]"]);
    for exact in ["9007199254740992", "1152921504606846976", "-9007199254740994", "1e22"] {
        let parsed = Output::<Vec<f64>>::new().parse(&format!("[{exact}]")).unwrap();
        assert_eq!(paths(&parsed.repairs), [""; 0], "{exact}");
    }
    let singles = Output::<Vec<f32>>::new();
    let parsed = singles.parse("[16777217, 16777216, 0.1, 1.23456789, 1e30]").unwrap();
    assert_eq!(paths(&parsed.repairs), ["[0]", "[3]"]);
    // A `Value` keeps all digits.
    let schema = Value::from_json(r#"{"items": {"type": "number"}}"#).unwrap();
    let parsed = Output::from_schema(schema).parse("[9007199254740993]").unwrap();
    assert_eq!((parsed.value, parsed.repairs.as_slice()), (value, [].as_slice()));
}

#[test]
fn an_escaped_line_break_ends_a_word_of_a_sentence() {
    let boolean = r#"{"type": "boolean"}"#;
    for sentence in [r"False.\n\nThe sum is 4.", r"False\nNo.", r"No:\tthe answer is false\n"] {
        assert_eq!(generous(boolean, sentence), Some("false".to_owned()), "{sentence}");
    }
    let grades = r#"{"enum": ["A", "C", "5"]}"#;
    assert_eq!(generous(grades, r"A\n\nGood work."), Some(r#""A""#.to_owned()));
    for other in [r"A-\nB", r"C++\n", r"<5\n", r"C:\new", r"C\x", r"C:\temp\a", r"A+\n\nFine"] {
        assert_eq!(generous(grades, other), None, "{other}");
    }
}

#[test]
fn words_digits_and_duplicate_keys_are_read_in_linear_work() {
    let texts = Output::from_schema(
        Value::from_json(
            r#"{"anyOf": [{"items": {"type": "string"}}, {"additionalProperties": true}]}"#,
        )
        .unwrap(),
    );
    let texts = texts.with_leniency(Leniency::Generous);
    for (open, unit, close) in [
        ("[", "1.0, ", "1]"),
        ("[", "0.1000000000000000000001, ", "1]"),
        ("{", "\"a\": 1.10, ", "\"b\": 1}"),
        ("[1.", "0", "1]"),
        ("[\"", "**a**.-_ ", "\"]"),
    ] {
        assert_linear(unit, 200, |size| {
            let text = format!("{open}{}{close}", unit.repeat(size));
            count_work(|| texts.parse(&text)).1
        });
    }
}

/// A JSON text as its parser sees it: words of scalars are not converted.
#[derive(Debug, Clone, PartialEq)]
enum Written {
    Word(String),
    Text(String),
    List(Vec<Written>),
    Object(Vec<(String, Written)>),
}

/// Reads strict JSON, in which each key occurs once.
fn written(json: &str) -> Option<Written> {
    use serde_json::value::RawValue;
    Some(match json.as_bytes().first()? {
        b'[' => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(json).ok()?;
            Written::List(items.iter().map(|it| written(it.get())).collect::<Option<_>>()?)
        }
        b'{' => {
            let entries: Entries<Box<RawValue>> = serde_json::from_str(json).ok()?;
            let entries = entries.0.into_iter();
            Written::Object(
                entries.map(|(key, it)| Some((key, written(it.get())?))).collect::<Option<_>>()?,
            )
        }
        b'"' => Written::Text(serde_json::from_str(json).ok()?),
        _ => Written::Word(json.to_owned()),
    })
}

/// The entries of an object with all its keys, also those that occur again.
struct Entries<T>(Vec<(String, T)>);

impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Entries<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: serde::Deserialize<'de>> serde::de::Visitor<'de> for Visitor<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Entries<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Visitor(std::marker::PhantomData))
    }
}

/// The significant digits and the exponent of a number, by another way than the library's.
fn digits(word: &str) -> Option<(bool, String, i64)> {
    let (mantissa, exponent) = word.split_once(['e', 'E']).unwrap_or((word, "0"));
    let mut exponent: i64 = exponent.parse().ok()?;
    let mut all: Vec<char> = mantissa.chars().filter(|it| *it != '-').collect();
    if let Some(at) = all.iter().position(|it| *it == '.') {
        exponent -= i64::try_from(all.len() - at - 1).ok()?;
        all.remove(at);
    }
    while all.last() == Some(&'0') {
        all.pop();
        exponent += 1;
    }
    let digits: String = all.into_iter().skip_while(|it| *it == '0').collect();
    let exponent = if digits.is_empty() { 0 } else { exponent };
    Some((word.starts_with('-') && !digits.is_empty(), digits, exponent))
}

/// Whether a value is what was written: digit for digit, and character for character. `null` for
/// a property that may be missing is as good as none.
fn is_as_written(value: &Value, written: &Written) -> bool {
    match (value, written) {
        (Value::String(text), Written::Text(written)) => **text == **written,
        (Value::Null, Written::Word(word)) => word == "null",
        (Value::Bool(truth), Written::Word(word)) => *word == truth.to_string(),
        (Value::Integer(number), Written::Word(word)) => {
            digits(&number.to_string()) == digits(word)
        }
        (Value::Float(number), Written::Word(word)) => {
            digits(&format!("{number:e}")) == digits(word)
        }
        (Value::Array(items), Written::List(written)) => {
            items.len() == written.len()
                && items.iter().zip(written).all(|(item, written)| is_as_written(item, written))
        }
        (Value::Object(map), Written::Object(entries)) => {
            let is_null = |it: &Written| *it == Written::Word("null".to_owned());
            map.iter().all(|(key, _)| entries.iter().any(|(known, _)| known == key))
                && entries.iter().all(|(key, written)| match map.get(key) {
                    Some(value) => is_as_written(value, written),
                    None => is_null(written),
                })
        }
        _ => false,
    }
}

/// Words and strings that are easily confused with others.
fn scalar() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "0",
        "-0",
        "1",
        "1.0",
        "1.10",
        "-1",
        "10",
        "1e2",
        "1E-3",
        "12e",
        "+5",
        ".5",
        "5.",
        "0x1F",
        "007",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993.0",
        "9007199254740992.5",
        "0.99999999999999999999",
        "123456789012345678901234567890123456789012345",
        "1e999",
        "1e-999",
        "4503599627370497.5",
        "true",
        "false",
        "null",
        "True",
        "None",
        "NaN",
        "-Infinity",
        "-",
        "A-",
        "no",
        r#""A-""#,
        r#""a+""#,
        r#""C++""#,
        r#""c#""#,
        r#""C""#,
        r#""10""#,
        r#""1.0""#,
        r#""1.10""#,
        r#""-1""#,
        r#""+1""#,
        r#""yes""#,
        r#""true""#,
        r#""null""#,
        r#""<5""#,
        r#""a b""#,
        r#""A_B""#,
        r#""é""#,
        r#""e""#,
        r#""\ud83d""#,
        r#""\ud83d\ude00""#,
        r#""\u00e9\n""#,
        r#""{\"a\": 1.0}""#,
        r#""1,5""#,
        r#""1/5""#,
        r#""""#,
    ];
    prop_oneof![
        prop::sample::select(WORDS).prop_map(str::to_owned),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?(e-?[0-9]{1,2})?",
        "\"[a-zA-Z0-9+#<>=_ .*-]{0,6}\"",
    ]
}

fn key_text() -> impl Strategy<Value = String> {
    const KEYS: &[&str] = &[
        "a", "A", "b", "c++", "C", "c#", "a b", "a_b", "A-B", "ab", "+1", "-1", "1", "1.0", "é",
        "e",
    ];
    prop::sample::select(KEYS).prop_map(|key| format!("{key:?}"))
}

fn json_text() -> impl Strategy<Value = String> {
    scalar().prop_recursive(3, 16, 4, |inner| {
        let entries = prop::collection::vec((key_text(), inner.clone()), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            entries.prop_map(|entries| {
                let entries: Vec<_> =
                    entries.iter().map(|(key, it)| format!("{key}: {it}")).collect();
                format!("{{{}}}", entries.join(", "))
            }),
        ]
    })
}

/// Schemas whose values can be confused. Defaults are left out: nobody wrote them.
fn schema() -> impl Strategy<Value = String> {
    const LEAVES: &[&str] = &[
        "true",
        r#"{"type": "string"}"#,
        r#"{"type": "integer"}"#,
        r#"{"type": "number"}"#,
        r#"{"type": "number", "maximum": 5}"#,
        r#"{"type": "boolean"}"#,
        r#"{"type": ["integer", "null"]}"#,
        r#"{"type": ["string", "number"]}"#,
        r#"{"enum": ["A+", "A-", "A", "C++", "C", "1.0", "10"]}"#,
        r#"{"enum": [9007199254740992, 9007199254740993, 1, true, null]}"#,
        r#"{"const": 1}"#,
        r#"{"anyOf": [{"type": "integer"}, {"type": "string"}]}"#,
        r#"{"type": "array"}"#,
        r#"{"type": "object"}"#,
    ];
    prop::sample::select(LEAVES).prop_map(str::to_owned).prop_recursive(3, 12, 4, |inner| {
        let properties = prop::collection::btree_map(key_text(), inner.clone(), 0..4);
        prop_oneof![
            inner.clone().prop_map(|items| format!(r#"{{"type": "array", "items": {items}}}"#)),
            inner.prop_map(|part| format!(
                r#"{{"type": "object", "additionalProperties": {part}}}"#
            )),
            properties.prop_map(|properties| {
                let properties: Vec<_> =
                    properties.iter().map(|(key, it)| format!("{key}: {it}")).collect();
                format!(r#"{{"type": "object", "properties": {{{}}}}}"#, properties.join(", "))
            }),
        ]
    })
}

/// Whether any JSON value in a text is the one that was read.
fn is_written_in(text: &str, value: &Value) -> bool {
    let starts = text.char_indices().filter(|(_, it)| !it.is_whitespace());
    starts.map(|(at, _)| &text[at..]).any(|rest| {
        let mut values = serde_json::Deserializer::from_str(rest)
            .into_iter::<Box<serde_json::value::RawValue>>();
        let found = values.next().and_then(Result::ok).and_then(|it| written(it.get()));
        found.is_some_and(|it| is_as_written(value, &it))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_value_without_a_repair_is_what_was_written(
        schema in schema(), text in json_text(), damage in prop::collection::vec((any::<usize>(), "[-+.,:\"{}\\[\\] eA1]"), 0..3),
    ) {
        let mut text = text;
        for (place, inserted) in damage {
            let at = text.floor_char_boundary(place / 2 % (text.len() + 1));
            match place % 2 {
                0 => text.insert_str(at, &inserted),
                _ if at < text.len() => drop(text.remove(at)),
                _ => {}
            }
        }
        for leniency in LENIENCIES {
            let Ok(parsed) = parse(&schema, &text, leniency) else { continue };
            if parsed.repairs.is_empty() && !parsed.truncated {
                let is_reply = parsed.value.as_str() == Some(text.trim());
                prop_assert!(is_reply || is_written_in(&text, &parsed.value), "{} -> {} by {} ({:?})", text, parsed.value.to_json(), schema, leniency);
            }
        }
    }
}
