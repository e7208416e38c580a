//! What slots hold, as JSON and YAML.
//!
//! The texts are read back and compared as values. The cases write `$ensure` where a key must be there;
//! ours writes it where it may be missing, and writes a type that nothing else is said of without `$type`.

use serde_json::Value as Json;
use typed_prompty::shape::Shape;
use typed_prompty::slots::{Exported, Slots};
use typed_prompty::{Error, Map, Value};

use crate::agently_shapes::notation;
use crate::agently_slots::{plain, read_yaml};
use crate::frame::{Case, Outcome};

/// DESIGN.md, "Slots hold values until they are laid out".
const INNER_LIST: &str = "a described type inside of another is written as the outer one is";

/// The export of slots, and what is loaded from it.
pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let input = &case.json["input"];
    let parents = input["parents"].as_array().cloned().unwrap_or_default();
    let parent = parents.iter().try_fold(Slots::new(), filled).unwrap();
    let slots = filled(parent.child(), &input["slots"]).unwrap();
    let exported = match input["inherit"] == true {
        true => slots.export_with_parents(),
        false => slots.export(),
    };
    let expected = &case.json["expect"]["ok"];
    let of_json: Json = serde_json::from_str(expected["json"].as_str().unwrap()).unwrap();
    if let Err(why) = is_exported(&exported, &of_json) {
        return match has_list_in_type(&of_json) {
            true => Outcome::SetAside(INNER_LIST),
            false => Outcome::Failed(why),
        };
    }
    let of_yaml = read_yaml(expected["yaml"].as_str().unwrap()).unwrap();
    let of_yaml: Json = serde_json::from_str(&of_yaml.to_json()).unwrap();
    match is_exported(&exported, &of_yaml).and_then(|()| is_loaded(&exported)) {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why),
    }
}

/// Slots with those of a level.
fn filled<'p>(slots: Slots<'p>, level: &Json) -> Result<Slots<'p>, Error> {
    level.as_object().unwrap().iter().try_fold(slots, |slots, (name, json)| {
        Ok(match name.as_str() {
            "output" => slots.with_output(Shape::from_notation(&to_value(&notation(json)))?),
            name => slots.with(name, plain(json)),
        })
    })
}

fn to_value(json: &Json) -> Value {
    Value::from_json(&json.to_string()).unwrap()
}

/// Whether both texts hold the expected values, and in their order.
fn is_exported(exported: &Exported, expected: &Json) -> Result<(), String> {
    let wanted = to_value(&normal(expected));
    let json: Json = serde_json::from_str(&exported.to_json()).unwrap();
    let yaml = read_yaml(&exported.to_yaml()).ok_or("it is no YAML")?;
    let found = [
        to_value(&normal(&json)),
        to_value(&normal(&serde_json::from_str(&yaml.to_json()).unwrap())),
    ];
    let is_same = |found: &Value| found.to_json() == wanted.to_json();
    match found.iter().all(is_same) {
        true => Ok(()),
        false => Err(format!("expected {}, got {found:?}", wanted.to_json())),
    }
}

/// Whether what was exported is the same again once it is loaded.
fn is_loaded(exported: &Exported) -> Result<(), String> {
    let values: Map = exported.values().clone();
    let again = Slots::load(&values).map_err(|error| error.to_string())?.export();
    match again == *exported {
        true => Ok(()),
        false => Err(format!("loaded: {again:?}")),
    }
}

/// The notation without what only one of the two writes.
fn normal(json: &Json) -> Json {
    match json {
        Json::Array(items) => items.iter().map(normal).collect(),
        Json::Object(map) => {
            let is_said = |(word, it): &(&String, &Json)| *word != "$ensure" || **it == false;
            let kept: serde_json::Map<String, Json> =
                map.iter().filter(is_said).map(|(name, it)| (name.clone(), normal(it))).collect();
            match (kept.get("$type"), kept.len()) {
                (Some(only), 1) => only.clone(),
                _ => Json::Object(kept),
            }
        }
        other => other.clone(),
    }
}

/// Whether a described structure has lists of two in the place of described types.
fn has_list_in_type(json: &Json) -> bool {
    match json {
        Json::Object(map) => {
            map.get("$type").is_some_and(Json::is_object) || map.values().any(has_list_in_type)
        }
        Json::Array(items) => items.iter().any(has_list_in_type),
        _ => false,
    }
}
