//! Shapes of outputs: the text that a model is shown, the formats without another word, and values that are
//! brought into a shape.

use serde_json::Value as Json;
use typed_prompty::Value;
use typed_prompty::output::{Leniency, Output};
use typed_prompty::shape::{OutputFormat, Requirement, Shape};

use crate::agently_shapes::{lenient, shape};
use crate::frame::{Case, Outcome};

/// The rule for what the guide calls a fault of the reference.
const QUIRK: &str = "quirk: no target";
/// The rule where the text is ours but for a quirk that the case is not marked with.
const INDENTATION: &str =
    "quirk: a structure with a description is indented too deep; the same but for that";
/// The rule for descriptions that are lists or maps.
const PYTHON_REPR: &str = "python_repr: no target";
/// The rule for formats of the newer release.
const NEWER_FORMAT: &str = "a format of the newer release: an error that names it";
/// The rule for Python's types that are no `type`, and for sets.
const PYTHON_TYPE: &str =
    "in Rust a list, a set, an optional and a choice are types: asked for as JSON";
/// The rule for records as the whole output.
const RECORD: &str = "a record is its fields, as the newer release has it";
/// The rule for `null` that becomes the text `None`.
const NONE_TEXT: &str = "quirk: `null` in a list of texts becomes the text `None`";
/// The rule for a list inside of a record that only Python's models have.
const LIST_RECORD: &str = "a list is asked for as a list, not as a record with a list";

/// The requirement of a schema.
pub(crate) fn requirement(case: &Case<'_>) -> Outcome {
    let input = &case.json["input"];
    let expected = case.json["expect"]["ok"].as_str().unwrap();
    let found = shape(&input["schema"]);
    let requirement = match input.get("output_format").and_then(Json::as_str) {
        None => Requirement::of(found),
        Some(name) => match OutputFormat::from_name(name) {
            Ok(format) => Requirement::new(found, format),
            Err(error) => return refused_format(name, &error),
        },
    };
    let title = input["settings"]["prompt.prompt_title_mapping"]["output_requirement"].as_str();
    let requirement = requirement.with_title(title.unwrap_or("OUTPUT REQUIREMENT"));
    let requirement = match input["ensure_all_keys"].as_bool() {
        Some(true) => requirement.with_all_keys(),
        _ => requirement,
    };
    let written = requirement.to_string();
    // The reference leaves a space behind the mark of a comment without words.
    let without_ends =
        |text: &str| text.split('\n').map(str::trim_end).collect::<Vec<_>>().join("\n");
    if without_ends(&written) == without_ends(expected) {
        return Outcome::Passed;
    }
    let without_indents =
        |text: &str| text.lines().map(|it| it.trim().to_owned()).collect::<Vec<_>>();
    if without_indents(&written) == without_indents(expected) {
        return Outcome::SetAside(INDENTATION);
    }
    if is_quirk(case.json) {
        return Outcome::SetAside(QUIRK);
    }
    if has_odd_description(&input["schema"]) {
        return Outcome::SetAside(PYTHON_REPR);
    }
    if input["schema"]["$py"] == "generic" {
        return Outcome::SetAside(PYTHON_TYPE);
    }
    Outcome::Failed(format!("expected {expected:?}, got {written:?}"))
}

/// The format of an output, and what is asked for.
pub(crate) fn format(case: &Case<'_>) -> Outcome {
    let slots = &case.json["input"]["slots"];
    let expected = &case.json["expect"]["ok"];
    let wanted = expected["output_format"].as_str().unwrap();
    let given = match &slots["output_format"] {
        Json::Null => None,
        Json::String(name) => Some(name.clone()),
        other => Some(other.to_string()),
    };
    if let Some(name) = given {
        return match OutputFormat::from_name(&name) {
            Ok(format) if format.name() == wanted => Outcome::Passed,
            Ok(format) => Outcome::Failed(format!("expected {wanted}, got {format}")),
            Err(error) => refused_format(&name, &error),
        };
    }
    let output = &slots["output"];
    if output.is_null() {
        return match OutputFormat::default().name() == wanted {
            true => Outcome::Passed,
            false => Outcome::Failed(format!("expected {wanted}")),
        };
    }
    let own = shape(output);
    let requirement = Requirement::of(own.clone());
    let asked = match expected.get("output") {
        // A text is asked for without a structure.
        None | Some(Json::Null) => own,
        Some(expected) => {
            let name = &expected["value"]["items"][0]["name"];
            match *name == output["name"] {
                true => shape(&with_type(expected, output)),
                false => shape(expected),
            }
        }
    };
    let is_same = requirement.shape().requirement() == asked.requirement();
    match requirement.format().name() == wanted && is_same {
        true => Outcome::Passed,
        false if output["$py"] == "model" => Outcome::SetAside(RECORD),
        false if output["$py"] == "generic" || output["$py"] == "set" => {
            Outcome::SetAside(PYTHON_TYPE)
        }
        false => Outcome::Failed(format!("expected {expected}, got {requirement:?}")),
    }
}

/// An output with a type that the case names, where the type itself is given elsewhere.
fn with_type(output: &Json, given: &Json) -> Json {
    let mut output = output.clone();
    output["value"]["items"][0] = given.clone();
    output
}

/// A value that is brought into the shape of a schema.
pub(crate) fn validate(case: &Case<'_>) -> Outcome {
    let input = &case.json["input"];
    let shape = lenient(&input["schema"]);
    let data = Value::from_json(&input["data"].to_string()).unwrap();
    if input["ensure_all_keys"] == true {
        let closed = closed(&input["schema"]);
        if let Some(violation) = closed.violations(&data).first() {
            return judged(case, Err(format!("{} {}", violation.pointer, violation.message)));
        }
    }
    let output = Output::from_shape(shape).with_leniency(Leniency::Generous);
    let fitted = output.fit(&data).map_err(|error| error.to_string());
    judged(case, fitted.map(|it| serde_json::from_str(&it.value.to_json()).unwrap()))
}

/// Whether a value is the expected one, or refused as expected.
fn judged(case: &Case<'_>, found: Result<Json, String>) -> Outcome {
    let input = &case.json["input"];
    let expect = &case.json["expect"];
    let expected = expect.get("ok").map(|ok| {
        let ok = without_members(ok, &input["schema"]);
        match &input["schema"] {
            // Python's models are records: a list and a value alone stand in one.
            Json::Array(_) => ok["list"].clone(),
            Json::Object(schema) if schema.get("$py").is_some() => ok["value"].clone(),
            _ => ok,
        }
    });
    match (expected, found) {
        (Some(expected), Ok(found)) if expected == found => Outcome::Passed,
        (None, Err(_)) => Outcome::Passed,
        _ if is_quirk(case.json) => Outcome::SetAside(QUIRK),
        (Some(expected), _) if expected.to_string().contains("\"None\"") => {
            Outcome::SetAside(NONE_TEXT)
        }
        _ if input["schema"].is_array() && input["data"].is_object() => {
            Outcome::SetAside(LIST_RECORD)
        }
        (expected, found) => Outcome::Failed(format!("expected {expected:?}, got {found:?}")),
    }
}

/// A value whose members of enumerations are what they stand for.
fn without_members(value: &Json, schema: &Json) -> Json {
    match value {
        Json::Object(map) if map.contains_key("$py") => {
            let members = &schema["c"]["items"][0]["members"];
            let is_it = |member: &&Json| member[0] == map["name"];
            members.as_array().unwrap().iter().find(is_it).unwrap()[1].clone()
        }
        Json::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), without_members(value, schema))).collect()
        }
        other => other.clone(),
    }
}

fn refused_format(name: &str, error: &prompty_core::Error) -> Outcome {
    match error.to_string().contains(&format!("`{name}`")) {
        true => Outcome::SetAside(NEWER_FORMAT),
        false => Outcome::Failed(format!("{error} does not name {name}")),
    }
}

fn is_quirk(case: &Json) -> bool {
    case.get("quirk").is_some()
}

/// Whether some description is a list or a map, which Python prints in its own way.
fn has_odd_description(schema: &Json) -> bool {
    match schema {
        Json::Object(map) if map.get("$py").is_some_and(|it| it == "tuple") => {
            let description = &map["items"][1];
            description.is_array() || description.is_object()
        }
        Json::Object(map) => map.values().any(has_odd_description),
        _ => false,
    }
}

/// The shape with all keys of its objects and no others.
fn closed(schema: &Json) -> Shape {
    match schema {
        Json::Object(map) if !map.contains_key("$py") => Shape::object(
            map.iter().map(|(name, schema)| (name.as_str(), shape(schema).optional())),
        )
        .closed(),
        _ => shape(schema),
    }
}
