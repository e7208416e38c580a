//! Replies: which JSON in a text is used, what a truncated or damaged reply contains, and how it is
//! converted to its type. All are compared as values.

use serde_json::Value as Json;
use typed_prompty::Value;
use typed_prompty::output::{Leniency, Output, Parsed};
use typed_prompty::shape::{OutputFormat, Requirement};

use crate::agently_shapes::{lenient, shape};
use crate::frame::{Case, Outcome, Rule};

/// The result differs, and the case is marked as a fault of the reference.
const QUIRK: Rule = Rule::named("quirk: a fault of the reference is not reproduced");
/// The case uses a format of the newer release.
const NEWER_FORMAT: Rule = Rule::named("a format of the newer release is an error that names it");
/// The newer release uses the last of several equally good values.
const FIRST_OF_EQUALS: Rule =
    Rule::named("of equally good values the first is used, as in the older release");
/// The reference rejects `null` for an optional value.
const NULL_IS_MISSING: Rule = Rule::named("`null` for an optional value counts as missing");
/// The reference rejects what only `Leniency::Generous` accepts.
const GENEROUS: Rule =
    Rule::named("generous parsing accepts a number for a string, and a list for its first item");
/// The reference puts a list into a record.
const LIST_RECORD: Rule = Rule::named("a list is requested as a list, not as a record with a list");
/// The reference drops the backslash of an unknown escape.
const KEPT_BACKSLASH: Rule =
    Rule::named("a backslash before a letter that needs no escape is kept");

/// Finds the JSON in a text.
pub(crate) fn locate(case: &Case<'_>) -> Outcome {
    let input = &case.json["input"];
    let text = input["text"].as_str().unwrap();
    let found = read_as_written(text, &input["schema"]).map(|it| to_json(&it.value));
    let chosen = |of: &Json| of["ok"]["chosen"].as_str().and_then(parse_json);
    let expected = chosen(&case.json["expect"]).or_else(|| chosen(&case.json["older"]));
    check_result(case.json, expected.as_ref(), &found)
}

/// Reads a truncated text.
pub(crate) fn complete(case: &Case<'_>) -> Outcome {
    let text = case.json["input"]["text"].as_str().unwrap();
    let expected = case.json["expect"]["ok"].as_str().unwrap();
    let found = read_as_written(text, &Json::Null);
    let is_longer = expected.len() > text.len();
    if let Ok(found) = &found
        && found.truncated != is_longer
    {
        return Outcome::Failed(format!("expected truncated: {is_longer}, got {found:?}"));
    }
    let found = found.map(|it| to_json(&it.value));
    check_result(case.json, parse_json(expected).as_ref(), &found)
}

/// Reads a damaged text.
pub(crate) fn repair(case: &Case<'_>) -> Outcome {
    let text = case.json["input"]["text"].as_str().unwrap();
    let expected = case.json["expect"]["ok"].as_str().unwrap();
    let found = read_as_written(text, &Json::Null).map(|it| to_json(&it.value));
    check_result(case.json, parse_json(expected).as_ref(), &found)
}

/// Reads a reply: the value as it is written, and the value in its type.
pub(crate) fn parse(case: &Case<'_>) -> Outcome {
    let input = &case.json["input"];
    let (text, schema) = (input["text"].as_str().unwrap(), &input["schema"]);
    let named = input.get("output_format").and_then(Json::as_str);
    let format = match named.map(OutputFormat::from_name) {
        Some(Err(error)) if error.to_string().contains(named.unwrap()) => {
            return Outcome::Skipped(NEWER_FORMAT);
        }
        Some(Err(error)) => return Outcome::Failed(error.to_string()),
        Some(Ok(format)) => format,
        None => Requirement::of(shape(schema)).format().clone(),
    };
    let expected = &case.json["expect"]["ok"];
    if format != OutputFormat::Json {
        // A string is the unchanged reply.
        let read = Output::<String>::new().parse(text).unwrap().value;
        return match expected["parsed"] == read.as_str() {
            true => Outcome::Passed,
            false => Outcome::Failed(format!("expected {expected}, got {read:?}")),
        };
    }
    if schema.is_array() && expected["parsed"].is_object() {
        return Outcome::Skipped(LIST_RECORD);
    }
    let written = read_as_written(text, schema).map(|it| to_json(&it.value));
    let is_of_type = !expected["typed"].is_null();
    if written.is_err() && !is_of_type {
        return Outcome::Passed;
    }
    let older = case.json["older"]["ok"].get("parsed").filter(|it| !it.is_null());
    let parsed = Some(&expected["parsed"]).filter(|it| !it.is_null());
    if let (Some(_), Some(older), Ok(written)) = (parsed, older, &written)
        && same(older, written)
        && parsed != Some(older)
    {
        return Outcome::Skipped(FIRST_OF_EQUALS);
    }
    match check_result(case.json, parsed.or(older), &written) {
        Outcome::Passed if parsed.is_some() => compare_typed(case.json, text, schema),
        outcome => outcome,
    }
}

/// Compares the value of a reply in its type.
fn compare_typed(case: &Json, text: &str, schema: &Json) -> Outcome {
    let output = Output::from_shape(lenient(schema)).with_leniency(Leniency::Generous);
    let found = output.parse(text).map(|it| to_json(&it.value)).map_err(|it| it.to_string());
    let typed = &case["expect"]["ok"]["typed"];
    let typed = match schema {
        // The reference uses a record with a list in place of a list, and a record for a single
        // value.
        Json::Array(_) => typed.get("list").unwrap_or(typed),
        Json::Object(schema) if schema.get("$py").is_some() => typed.get("value").unwrap_or(typed),
        _ => typed,
    };
    match (&found, typed) {
        (Ok(Json::Object(map)), Json::Null) if map.values().any(Json::is_null) => {
            Outcome::Skipped(NULL_IS_MISSING)
        }
        (Ok(_), Json::Null) if output.with_leniency(Leniency::Plain).parse(text).is_err() => {
            Outcome::Skipped(GENEROUS)
        }
        (Err(_), Json::Null) => Outcome::Passed,
        _ => check_result(case, Some(typed), &found),
    }
}

/// Reads the value of a text as it is written. The schema only names the keys to look for.
fn read_as_written(text: &str, schema: &Json) -> Result<Parsed<Value>, String> {
    let output = Output::from_schema(schema_with_keys(schema)).with_truncated();
    output.parse(text).map_err(|error| error.to_string())
}

/// A schema with the keys of another schema, which accepts any values.
pub(crate) fn schema_with_keys(schema: &Json) -> Value {
    let with_keys = |keys: &[&str]| {
        let properties: serde_json::Map<String, Json> =
            keys.iter().map(|key| ((*key).to_owned(), Json::Bool(true))).collect();
        serde_json::json!({
            "type": "object", "properties": properties, "additionalProperties": true
        })
    };
    let schema = match schema {
        Json::Null => Json::Bool(true),
        Json::Array(_) => serde_json::json!({"type": "array"}),
        Json::Object(map) => match map.get("$py").and_then(Json::as_str) {
            None => with_keys(&map.keys().map(String::as_str).collect::<Vec<_>>()),
            Some("model") => {
                let fields = map["fields"].as_array().unwrap().iter();
                with_keys(&fields.map(|it| it["name"].as_str().unwrap()).collect::<Vec<_>>())
            }
            Some(_) => with_keys(&["value", "reply"]),
        },
        other => panic!("{other} does not request JSON"),
    };
    Value::from_json(&schema.to_string()).unwrap()
}

/// Compares a value with the expected one. If the reference has none, `RIGHT` has the right value.
fn check_result(case: &Json, expected: Option<&Json>, found: &Result<Json, String>) -> Outcome {
    let id = case["id"].as_str().unwrap();
    let operation = case["operation"].as_str().unwrap();
    let right = RIGHT.iter().find(|(file, it, _)| (*file, *it) == (operation, id));
    let right = right.map(|(.., value)| parse_json(value).unwrap());
    match (expected.or(right.as_ref()), found) {
        (Some(expected), Ok(found)) if same(expected, found) => Outcome::Passed,
        (None, Err(_)) => Outcome::Passed,
        _ if case["quirk"].as_str().is_some_and(|it| it.contains("unknown escapes")) => {
            Outcome::Skipped(KEPT_BACKSLASH)
        }
        _ if case.get("quirk").is_some() => Outcome::Skipped(QUIRK),
        (expected, _) => Outcome::Failed(format!("expected {expected:?}, got {found:?}")),
    }
}

/// The right values of texts that the reference cannot read, by the operation and the id of the
/// case.
const RIGHT: &[(&str, &str, &str)] = &[
    ("locate_json", "unclosed", r#"{"a": 1}"#),
    ("locate_json", "escaped-json", r#"{"a": 1}"#),
    ("locate_json", "quote-prose", r#"{"a": 1}"#),
    ("locate_json", "single-quote-brace", r#"{"a": "}"}"#),
    ("complete_json", "open-str-esc", r#"{"a": "x"}"#),
    ("complete_json", "single", r#"{"a": "x"}"#),
    ("complete_json", "line-comment", r#"{"a": 1}"#),
    ("complete_json", "block-comment", r#"{"a": 1}"#),
    ("complete_json", "comment-quote", r#"{"a": 1, "b": "x"}"#),
    ("complete_json", "extra-close", r#"{"a": 1}"#),
    ("complete_json", "prefix-apostrophe", r#"{"a": 1}"#),
    ("complete_json", "prefix", r#"{"a": 1}"#),
    ("complete_json", "after-colon", "{}"),
    ("complete_json", "after-comma", r#"{"a": 1}"#),
    ("complete_json", "key", r#"{"a": 1}"#),
    ("complete_json", "slash-outside", r#"{"a": 1}"#),
    ("repair_json", "inner-quote-end", r#"{"a": "say \"hi\"", "b": 1}"#),
    ("repair_json", "bare-key-cjk", r#"{"名": 1}"#),
    ("repair_json", "single", r#"{"a": "it's"}"#),
    ("repair_json", "single-smart", r#"{"a": "b"}"#),
    ("repair_json", "trailing-comma", "[1]"),
    ("repair_json", "missing-comma", r#"{"a": 1, "b": 2}"#),
    ("repair_json", "unclosed", r#"{"a": "x"}"#),
    ("repair_json", "unclosed-quote-end", r#"{"a": "x"}"#),
    ("repair_json", "python", r#"{"a": true}"#),
    ("repair_json", "colon-in-unquoted", r#"{"a": "b:c"}"#),
    ("parse_reply", "prose-with-quote-bracket", r#"{"answer": "yes", "score": 3}"#),
    ("parse_reply", "custom-title-array", r#"{"answer": "yes", "score": 3}"#),
    ("parse_reply", "hash-comment", r#"{"answer": "a", "score": 1}"#),
    ("parse_reply", "python-literals", r#"{"answer": null, "score": true}"#),
    ("parse_reply", "python-dict", r#"{"answer": "a", "score": null}"#),
    ("parse_reply", "js-undefined", r#"{"answer": null, "score": 1}"#),
    // A number with leading zeros may be a code, so its zeros are kept.
    ("parse_reply", "leading-zero", r#"{"answer": "a", "score": "007"}"#),
    ("parse_reply", "missing-comma", r#"{"answer": "a", "score": 1}"#),
    ("parse_reply", "missing-comma-newline", r#"{"answer": "a", "score": 1}"#),
    ("parse_reply", "missing-colon", r#"{"answer": "a", "score": 1}"#),
    ("parse_reply", "extra-open", r#"{"answer": "a", "score": 1}"#),
    ("parse_reply", "key-only", "{}"),
    ("parse_reply", "unclosed-after-colon", "{}"),
    ("parse_reply", "unclosed-key", r#"{"answer": "a"}"#),
    ("parse_reply", "unclosed-list", r#"["a", "b"]"#),
    ("parse_reply", "unclosed-literal", r#"{"answer": "a", "score": true}"#),
    ("parse_reply", "mismatched", r#"{"answer": ["a"], "score": 1}"#),
    ("parse_reply", "mismatched-close", r#"{"answer": "a", "score": [1]}"#),
    ("parse_reply", "bad-unicode-escape", r#"{"answer": "\\u12", "score": 1}"#),
    ("parse_reply", "inner-quotes", r#"{"answer": "he said \"hi\" ok", "score": 1}"#),
    ("parse_reply", "inner-quotes-chinese", r#"{"answer": "他说\"你好\"了", "score": 1}"#),
    ("parse_reply", "backslash-outside", r#"{"answer": "a", "score": 1}"#),
    ("parse_reply", "escaped-json", r#"{"answer": "a", "score": 1}"#),
    ("parse_reply", "json-in-string", r#"{"answer": "a", "score": 1}"#),
    ("parse_reply", "cjk-punct", r#"{"answer": "a", "score": 1}"#),
    ("parse_reply", "zwsp", r#"{"answer": "a", "score": 1}"#),
];

fn parse_json(text: &str) -> Option<Json> {
    serde_json::from_str(text).ok()
}

/// A value in the notation of the cases.
pub(crate) fn to_json(value: &Value) -> Json {
    match value {
        Value::Float(number) if number.is_nan() => {
            serde_json::json!({ "$py": "float", "value": "nan" })
        }
        Value::Array(items) => items.iter().map(to_json).collect(),
        Value::Object(map) => map.iter().map(|(key, it)| (key.to_owned(), to_json(it))).collect(),
        other => serde_json::from_str(&other.to_json()).unwrap(),
    }
}

/// Whether two values are the same. A list of UTF-16 units equals the string that they encode.
pub(crate) fn same(expected: &Json, found: &Json) -> bool {
    match (expected, found) {
        (Json::Object(map), Json::String(text)) if map.get("$py").is_some() => {
            let units = map["units"].as_array().unwrap().iter();
            let units: Vec<u16> =
                units.map(|it| u16::try_from(it.as_u64().unwrap()).unwrap()).collect();
            String::from_utf16_lossy(&units) == *text
        }
        (Json::Number(one), Json::Number(other)) => one.as_f64() == other.as_f64(),
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, it)| other.get(key).is_some_and(|other| same(it, other)))
        }
        _ => expected == found,
    }
}
