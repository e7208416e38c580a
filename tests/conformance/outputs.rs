//! Values from replies: in prose, damaged, truncated, converted to a schema, streamed, and
//! rejected.

use serde_json::Value as Json;
use typed_prompty::Value;
use typed_prompty::output::{Leniency, Output, Repair, RepairKind};

use crate::frame::{Case, Outcome, Rule};
use crate::outputs_policy;

const PARTIAL_TIME: Rule = Rule::named("policy: when a partial value appears");

/// The case is a matter of opinion, and our answer is the stated one.
const POLICY_AS_STATED: Rule = Rule::named("policy: the best supported answer");
/// The case is a matter of opinion, and another parser gives our answer.
const POLICY_OTHER: Rule = Rule::named("policy: the answer of another parser");
/// A case of a complete text.
pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let is_same = |leniency| check_result(case.json, leniency);
    if case.json["class"] == "agreed" {
        return match is_same(Leniency::Plain) {
            Ok(()) => Outcome::Passed,
            Err(_) if is_number_in_words(case.json) => Outcome::Skipped(NUMBER_IN_WORDS),
            Err(_) if has_incomplete_exponent(case.json) => Outcome::Skipped(INCOMPLETE_EXPONENT),
            Err(_) if has_text_after_quote(case.json) => Outcome::Skipped(TEXT_AFTER_QUOTE),
            Err(why) => Outcome::Failed(why),
        };
    }
    if is_same(Leniency::Plain).is_ok() {
        return Outcome::Skipped(POLICY_AS_STATED);
    }
    if is_same(Leniency::Generous).is_ok() {
        return match outputs_policy::rule_for_repairs(&repairs(case.json)) {
            Some(rule) => Outcome::Skipped(rule),
            None => Outcome::Failed("no rule covers the generous repair".to_owned()),
        };
    }
    let ours = read(case.json, Leniency::Plain);
    let is_known = case.json["answers"].as_array().into_iter().flatten().any(|answer| {
        match (&ours, answer.get("value")) {
            (Ok(ours), Some(value)) => same(value, ours),
            (Err(_), None) => true,
            _ => false,
        }
    });
    match is_known {
        true => Outcome::Skipped(POLICY_OTHER),
        false => own_answer(case.json),
    }
}

/// A case in which no other parser gives our answer.
fn own_answer(case: &Json) -> Outcome {
    match outputs_policy::rule_for_own_answer(case["id"].as_str().unwrap()) {
        Some(rule) => Outcome::Skipped(rule),
        None => Outcome::Failed("no parser gives our answer, and no rule covers it".to_owned()),
    }
}

/// The repairs of generous parsing in a case.
fn repairs(case: &Json) -> Vec<RepairKind> {
    let parsed =
        output_for(case).with_leniency(Leniency::Generous).parse(case["text"].as_str().unwrap());
    parsed.unwrap().repairs.iter().map(Repair::kind).collect()
}

fn output_for(case: &Json) -> Output<Value> {
    let schema = case.get("schema").map(|it| Value::from_json(&it.to_string()).unwrap());
    Output::from_schema(schema.unwrap_or(Value::Bool(true))).with_truncated()
}

/// The words say what the number counts. Plain parsing accepts nothing that loses a part of the
/// text.
const NUMBER_IN_WORDS: Rule = Rule::named("a number followed by words is not a number");

fn is_number_in_words(case: &Json) -> bool {
    let text = case["text"].as_str().unwrap();
    case["schema"]["type"] == "number" && text.split(' ').count() > 1
}

/// In the middle of a text, the digits of an exponent are not cut off: the word is not a number.
const INCOMPLETE_EXPONENT: Rule =
    Rule::named("a number without the digits of its exponent is text");

fn has_incomplete_exponent(case: &Json) -> bool {
    let text = case["text"].as_str().unwrap();
    text.split(|it: char| !matches!(it, '0'..='9' | '.' | '+' | '-' | 'e' | 'E')).any(|word| {
        let number = word.trim_end_matches(['+', '-']).strip_suffix(['e', 'E']);
        number.is_some_and(|it| it.parse::<f64>().is_ok())
    })
}

/// A quote inside a string is a part of it, so nothing of the string is dropped.
const TEXT_AFTER_QUOTE: Rule =
    Rule::named("a quote inside a string, and what follows it, belong to the string");

fn has_text_after_quote(case: &Json) -> bool {
    case["text"].as_str().unwrap().ends_with("}\" tail")
}

/// Checks that the value of a case is the expected one, or is rejected as expected.
fn check_result(case: &Json, leniency: Leniency) -> Result<(), String> {
    let found = read(case, leniency);
    match (case.get("expected"), found) {
        (Some(expected), Ok(found)) if same(expected, &found) => Ok(()),
        (None, Err(_)) => Ok(()),
        (Some(expected), Ok(found)) => Err(format!("expected {expected}, got {found}")),
        (Some(expected), Err(why)) => Err(format!("expected {expected}, got the error: {why}")),
        (None, Ok(found)) => Err(format!("expected an error, got {found}")),
    }
}

fn read(case: &Json, leniency: Leniency) -> Result<Json, String> {
    let parsed = output_for(case).with_leniency(leniency).parse(case["text"].as_str().unwrap());
    let value = parsed.map_err(|error| error.to_string())?.value;
    let json = to_json(&value);
    Ok(match case.get("schema") {
        Some(schema) => with_nulls(json, schema, schema),
        None => json,
    })
}

/// A case of a stream: the values while the text arrives.
pub(crate) fn stream(case: &Case<'_>) -> Outcome {
    let case = case.json;
    let mut stream = output_for(case).stream();
    let single_chunk = vec![case["text"].clone()];
    let chunks = case["chunks"].as_array().unwrap_or(&single_chunk);
    let is_modulo = case["compare"] == "modulo-missing";
    let mut seen = Vec::new();
    for chunk in chunks {
        stream.push(chunk.as_str().unwrap());
        let so_far = match stream.value_so_far() {
            Some(so_far) => so_far,
            // An object that has not begun counts as missing, like an empty one.
            None if is_modulo => Value::Object(typed_prompty::Map::new()),
            None => continue,
        };
        let so_far = if is_modulo { without_missing(&to_json(&so_far)) } else { to_json(&so_far) };
        if seen.last() != Some(&so_far) {
            seen.push(so_far);
        }
    }
    let Some(expected) = case["expected_partial"].as_array() else {
        return Outcome::Skipped(PARTIAL_TIME);
    };
    let wanted = expected.iter().map(|it| &it["value"]);
    let wanted: Vec<Json> = match is_modulo {
        true => wanted.map(without_missing).collect(),
        false => wanted.cloned().collect(),
    };
    let prefixes: Vec<Json> = match case["mode"] == "prefix" {
        true => {
            expected.iter().map(|it| value_after(case, it["chars"].as_u64().unwrap())).collect()
        }
        false => Vec::new(),
    };
    let found: Vec<&Json> = match case.get("mode").and_then(Json::as_str) {
        Some("distinct") => seen.iter().collect(),
        Some("prefix") => prefixes.iter().collect(),
        _ => seen.last().into_iter().collect(),
    };
    let is_same = wanted.len() == found.len()
        && wanted
            .iter()
            .zip(&found)
            .all(|(one, other)| same(&without_missing(one), &without_missing(other)));
    match (is_same, case["class"] == "agreed") {
        (true, true) => Outcome::Passed,
        (true, false) => Outcome::Skipped(POLICY_AS_STATED),
        (false, false) => own_answer(case),
        (false, true) => {
            let first = wanted.iter().zip(&found).find(|(one, other)| !same(one, other));
            let counts = (wanted.len(), found.len());
            Outcome::Failed(format!("{counts:?} values; expected and found first: {first:?}"))
        }
    }
}

/// The value after a number of characters.
fn value_after(case: &Json, characters: u64) -> Json {
    let mut stream = output_for(case).stream();
    let text = case["text"].as_str().unwrap().chars();
    stream.push(&text.take(usize::try_from(characters).unwrap()).collect::<String>());
    stream.value_so_far().map_or(Json::Null, |it| to_json(&it))
}

/// A value without `null`, empty arrays and empty objects inside it.
fn without_missing(value: &Json) -> Json {
    let is_missing = |it: &Json| {
        it.is_null()
            || it.as_array().is_some_and(Vec::is_empty)
            || it.as_object().is_some_and(serde_json::Map::is_empty)
    };
    match value {
        Json::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), without_missing(value)))
            .filter(|(_, value)| !is_missing(value))
            .collect(),
        Json::Array(items) => items.iter().map(without_missing).collect(),
        other => other.clone(),
    }
}

/// Adds missing optional properties as `null`, as the cases have them.
fn with_nulls(value: Json, schema: &Json, root: &Json) -> Json {
    let schema = resolve_reference(schema, root);
    let alternatives = schema["anyOf"].as_array().into_iter().flatten();
    let alternatives: Vec<&Json> = alternatives.map(|it| resolve_reference(it, root)).collect();
    match value {
        Json::Object(map) if !alternatives.is_empty() => {
            let fits = |schema: &&&Json| {
                let required = schema["required"].as_array().into_iter().flatten();
                schema["properties"]
                    .as_object()
                    .is_some_and(|properties| map.keys().all(|key| properties.contains_key(key)))
                    && required.into_iter().all(|name| map.contains_key(name.as_str().unwrap()))
            };
            match alternatives.iter().find(fits) {
                Some(schema) => with_nulls(Json::Object(map), schema, root),
                None => Json::Object(map),
            }
        }
        Json::Object(map) => {
            let part = |key: &str| {
                schema["properties"].get(key).unwrap_or(&schema["additionalProperties"])
            };
            let mut filled: serde_json::Map<String, Json> = map
                .into_iter()
                .map(|(key, value)| {
                    let value = with_nulls(value, part(&key), root);
                    (key, value)
                })
                .collect();
            for name in schema["properties"].as_object().into_iter().flat_map(|it| it.keys()) {
                filled.entry(name.clone()).or_insert(Json::Null);
            }
            Json::Object(filled)
        }
        Json::Array(items) => {
            items.into_iter().map(|it| with_nulls(it, &schema["items"], root)).collect()
        }
        other => other,
    }
}

fn resolve_reference<'json>(schema: &'json Json, root: &'json Json) -> &'json Json {
    match schema["$ref"].as_str().and_then(|it| it.strip_prefix('#')) {
        Some(pointer) => root.pointer(pointer).unwrap_or(schema),
        None => schema,
    }
}

fn to_json(value: &Value) -> Json {
    match value {
        Value::Float(number) if !number.is_finite() => {
            let name = match number {
                it if it.is_nan() => "nan",
                it if *it > 0.0 => "inf",
                _ => "-inf",
            };
            serde_json::json!({ "$float": name })
        }
        Value::Array(items) => items.iter().map(to_json).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.to_owned(), to_json(value))).collect()
        }
        other => serde_json::from_str(&other.to_json()).unwrap(),
    }
}

/// Whether two values are the same. Numbers are compared by value.
fn same(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => one.as_f64() == other.as_f64(),
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, it)| other.get(key).is_some_and(|other| same(it, other)))
        }
        _ => one == other,
    }
}
