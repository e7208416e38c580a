//! The export of slots as JSON and YAML.
//!
//! The exported texts are parsed and compared as values. The cases write `$ensure` for required
//! keys. Our export writes it for optional keys, and omits `$type` if a type has no other
//! properties.

use serde_json::Value as Json;
use typed_prompty::shape::Shape;
use typed_prompty::slots::{Exported, Slots};
use typed_prompty::{Error, Map, Value};

use crate::agently_shapes::notation;
use crate::agently_slots::{python_value, read_yaml};
use crate::frame::{Case, Outcome, Rule};

const INNER_LIST: Rule =
    Rule::named("a described type inside another is written like the outer one");

/// Exports slots, and loads the export.
pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let input = &case.json["input"];
    let parents = input["parents"].as_array().cloned().unwrap_or_default();
    let parent = parents.iter().try_fold(Slots::new(), add_level).unwrap();
    let slots = add_level(parent.child(), &input["slots"]).unwrap();
    let exported = match input["inherit"] == true {
        true => slots.export_with_parents(),
        false => slots.export(),
    };
    let expected = &case.json["expect"]["ok"];
    let expected_json: Json = serde_json::from_str(expected["json"].as_str().unwrap()).unwrap();
    if let Err(why) = check_export(&exported, &expected_json) {
        return match has_list_in_type(&expected_json) {
            true => Outcome::Skipped(INNER_LIST),
            false => Outcome::Failed(why),
        };
    }
    let expected_yaml = read_yaml(expected["yaml"].as_str().unwrap()).unwrap();
    let expected_yaml: Json = serde_json::from_str(&expected_yaml.to_json()).unwrap();
    match check_export(&exported, &expected_yaml).and_then(|()| check_loading(&exported)) {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why),
    }
}

/// Adds the slots of a level.
fn add_level<'p>(slots: Slots<'p>, level: &Json) -> Result<Slots<'p>, Error> {
    level.as_object().unwrap().iter().try_fold(slots, |slots, (name, json)| {
        Ok(match name.as_str() {
            "output" => slots.with_output(Shape::from_notation(&to_value(&notation(json)))?),
            name => slots.with(name, python_value(json)),
        })
    })
}

fn to_value(json: &Json) -> Value {
    Value::from_json(&json.to_string()).unwrap()
}

/// Checks that the JSON and the YAML contain the expected values in the expected order.
fn check_export(exported: &Exported, expected: &Json) -> Result<(), String> {
    let wanted = to_value(&normalized(expected));
    let json: Json = serde_json::from_str(&exported.to_json()).unwrap();
    let yaml = read_yaml(&exported.to_yaml()).ok_or("the exported text is not YAML")?;
    let found = [
        to_value(&normalized(&json)),
        to_value(&normalized(&serde_json::from_str(&yaml.to_json()).unwrap())),
    ];
    let is_same = |found: &Value| found.to_json() == wanted.to_json();
    match found.iter().all(is_same) {
        true => Ok(()),
        false => Err(format!("expected {}, got {found:?}", wanted.to_json())),
    }
}

/// Checks that an export, once loaded, gives the same export.
fn check_loading(exported: &Exported) -> Result<(), String> {
    let values: Map = exported.values().clone();
    let again = Slots::load(&values).map_err(|error| error.to_string())?.export();
    match again == *exported {
        true => Ok(()),
        false => Err(format!("loaded: {again:?}")),
    }
}

/// Removes the parts of a notation that only one of the two sides writes.
fn normalized(json: &Json) -> Json {
    match json {
        Json::Array(items) => items.iter().map(normalized).collect(),
        Json::Object(map) => {
            let is_kept = |(word, it): &(&String, &Json)| *word != "$ensure" || **it == false;
            let kept: serde_json::Map<String, Json> = map
                .iter()
                .filter(is_kept)
                .map(|(name, it)| (name.clone(), normalized(it)))
                .collect();
            match (kept.get("$type"), kept.len()) {
                (Some(only), 1) => only.clone(),
                _ => Json::Object(kept),
            }
        }
        other => other.clone(),
    }
}

/// Whether a described structure contains arrays of two items in place of described types.
fn has_list_in_type(json: &Json) -> bool {
    match json {
        Json::Object(map) => {
            map.get("$type").is_some_and(Json::is_object) || map.values().any(has_list_in_type)
        }
        Json::Array(items) => items.iter().any(has_list_in_type),
        _ => false,
    }
}
