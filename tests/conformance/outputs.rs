//! Values out of replies: in prose, damaged, cut, to be brought into a schema, growing, and to be refused.

use serde_json::Value as Json;
use typed_prompty::Value;
use typed_prompty::output::{Leniency, Output, Repair, RepairKind};

use crate::frame::{Case, Outcome};
use crate::outputs_policy;

/// The rule for cases that are a matter of taste, where ours is the stated answer.
const POLICY_AS_STATED: &str = "policy: the answer that is best supported";
/// The rule where ours is an answer that another reader gives.
const POLICY_OTHER: &str = "policy: an answer of another reader";
/// A case of a whole text.
pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let is_same = |leniency| judged(case.json, leniency);
    if case.json["class"] == "agreed" {
        return match is_same(Leniency::Plain) {
            Ok(()) => Outcome::Passed,
            Err(_) if is_number_in_words(case.json) => Outcome::SetAside(NUMBER_IN_WORDS),
            Err(_) if is_stray_behind_quote(case.json) => Outcome::SetAside(STRAY_BEHIND_QUOTE),
            Err(why) => Outcome::Failed(why),
        };
    }
    if is_same(Leniency::Plain).is_ok() {
        return Outcome::SetAside(POLICY_AS_STATED);
    }
    if is_same(Leniency::Generous).is_ok() {
        return match outputs_policy::generous(&repairs(case.json)) {
            Some(rule) => Outcome::SetAside(rule),
            None => Outcome::Failed("no rule says what is read generously".to_owned()),
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
        true => Outcome::SetAside(POLICY_OTHER),
        false => own(case.json),
    }
}

/// A case in which ours is an answer that no reader gives.
fn own(case: &Json) -> Outcome {
    match outputs_policy::own(case["id"].as_str().unwrap()) {
        Some(why) => Outcome::SetAside(why),
        None => Outcome::Failed("no reader gives our answer, and no sentence says why".to_owned()),
    }
}

/// What generous reading mends in a case.
fn repairs(case: &Json) -> Vec<RepairKind> {
    let parsed =
        output(case).with_leniency(Leniency::Generous).parse(case["text"].as_str().unwrap());
    parsed.unwrap().repairs.iter().map(Repair::kind).collect()
}

fn output(case: &Json) -> Output<Value> {
    let schema = case.get("schema").map(|it| Value::from_json(&it.to_string()).unwrap());
    Output::from_schema(schema.unwrap_or(Value::Bool(true)))
}

/// Plain reading takes nothing that loses a part of what was written.
const NUMBER_IN_WORDS: &str =
    "a number with words behind it is no number, since they say what it counts";

fn is_number_in_words(case: &Json) -> bool {
    let text = case["text"].as_str().unwrap();
    case["schema"]["type"] == "number" && text.split(' ').count() > 1
}

/// A quote inside of a text is a part of it: nothing of the text is dropped.
const STRAY_BEHIND_QUOTE: &str =
    "a quote inside of a text, and what stands behind it, belong to the text";

fn is_stray_behind_quote(case: &Json) -> bool {
    case["text"].as_str().unwrap().ends_with("}\" tail")
}

/// Whether the value of a case is the expected one, or refused as expected.
fn judged(case: &Json, leniency: Leniency) -> Result<(), String> {
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
    let parsed = output(case).with_leniency(leniency).parse(case["text"].as_str().unwrap());
    let value = parsed.map_err(|error| error.to_string())?.value;
    let json = to_json(&value);
    Ok(match case.get("schema") {
        Some(schema) => with_nulls(json, schema, schema),
        None => json,
    })
}

/// A case of a text that grows: the value after all of it, while more may come.
pub(crate) fn stream(case: &Case<'_>) -> Outcome {
    let case = case.json;
    let mut stream = output(case).stream();
    let whole = vec![case["text"].clone()];
    let chunks = case["chunks"].as_array().unwrap_or(&whole);
    let is_modulo = case["compare"] == "modulo-missing";
    let mut seen = Vec::new();
    for chunk in chunks {
        stream.push(chunk.as_str().unwrap());
        let so_far = match stream.value_so_far() {
            Some(so_far) => so_far,
            // An object that has not begun is missing as well as an empty one.
            None if is_modulo => Value::Object(typed_prompty::Map::new()),
            None => continue,
        };
        let so_far = if is_modulo { without_missing(&to_json(&so_far)) } else { to_json(&so_far) };
        if seen.last() != Some(&so_far) {
            seen.push(so_far);
        }
    }
    let Some(expected) = case["expected_partial"].as_array() else {
        return Outcome::SetAside("policy: when a partial value appears");
    };
    let wanted = expected.iter().map(|it| &it["value"]);
    let wanted: Vec<Json> = match is_modulo {
        true => wanted.map(without_missing).collect(),
        false => wanted.cloned().collect(),
    };
    let prefixes: Vec<Json> = match case["mode"] == "prefix" {
        true => expected.iter().map(|it| after(case, it["chars"].as_u64().unwrap())).collect(),
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
        (true, false) => Outcome::SetAside(POLICY_AS_STATED),
        (false, false) => own(case),
        (false, true) => {
            let first = wanted.iter().zip(&found).find(|(one, other)| !same(one, other));
            let counts = (wanted.len(), found.len());
            Outcome::Failed(format!("{counts:?} values; expected and found first: {first:?}"))
        }
    }
}

/// The value after so many characters.
fn after(case: &Json, characters: u64) -> Json {
    let mut stream = output(case).stream();
    let text = case["text"].as_str().unwrap().chars();
    stream.push(&text.take(usize::try_from(characters).unwrap()).collect::<String>());
    stream.value_so_far().map_or(Json::Null, |it| to_json(&it))
}

/// A value without what stands for nothing.
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

/// In the cases, a property that is not required and not there is `null`.
fn with_nulls(value: Json, schema: &Json, root: &Json) -> Json {
    let schema = resolved(schema, root);
    let alternatives = schema["anyOf"].as_array().into_iter().flatten();
    let alternatives: Vec<&Json> = alternatives.map(|it| resolved(it, root)).collect();
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

fn resolved<'json>(schema: &'json Json, root: &'json Json) -> &'json Json {
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

/// Whether two values are the same, numbers by what they count.
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
