//! Shapes of outputs: the requirement in the prompt, the default formats, and values that are
//! converted to a shape.

use serde_json::Value as Json;
use typed_prompty::Value;
use typed_prompty::output::{Leniency, Output};
use typed_prompty::shape::{OutputFormat, Requirement, Shape};

use crate::agently_shapes::{lenient, shape};
use crate::frame::{Case, Outcome, Rule};

/// The case is marked as a fault of the reference.
const QUIRK: Rule = Rule::named("quirk: a fault of the reference is not reproduced");
/// The texts differ only in a fault of the reference, with which the case is not marked.
const INDENTATION: Rule = Rule::named("quirk: a described structure is indented one level too far");
/// A description is an array or an object.
const PYTHON_REPR: Rule = Rule::named("python_repr: Python's text of a value is not reproduced");
/// The case uses a format of the newer release.
const NEWER_FORMAT: Rule = Rule::named("a format of the newer release is an error that names it");
/// The schema is a Python type that is not a `type`, or a set.
const PYTHON_TYPE: Rule =
    Rule::named("lists, sets, optionals and choices are types, so JSON is requested");
/// The complete output is a record.
const RECORD: Rule = Rule::named("a record is represented by its fields, as in the newer release");
/// The reference converts `null` to the string `None`.
const NONE_TEXT: Rule = Rule::named("quirk: `null` in a list of strings becomes the string `None`");
/// The reference puts a list into a record, which only Python models have.
const LIST_RECORD: Rule = Rule::named("a list is requested as a list, not as a record with a list");

/// The requirement of a schema.
pub(crate) fn requirement(case: &Case<'_>) -> Outcome {
    let input = &case.json["input"];
    let expected = case.json["expect"]["ok"].as_str().unwrap();
    let found = shape(&input["schema"]);
    let requirement = match input.get("output_format").and_then(Json::as_str) {
        None => Requirement::of(found),
        Some(name) => match OutputFormat::from_name(name) {
            Ok(format) => Requirement::new(found, format),
            Err(error) => return rejected_format(name, &error),
        },
    };
    let title = input["settings"]["prompt.prompt_title_mapping"]["output_requirement"].as_str();
    let requirement = requirement.with_title(title.unwrap_or("OUTPUT REQUIREMENT"));
    let requirement = match input["ensure_all_keys"].as_bool() {
        Some(true) => requirement.with_all_keys(),
        _ => requirement,
    };
    let written = requirement.to_string();
    // The reference writes a space after the marker of an empty comment.
    let without_ends =
        |text: &str| text.split('\n').map(str::trim_end).collect::<Vec<_>>().join("\n");
    if without_ends(&written) == without_ends(expected) {
        return Outcome::Passed;
    }
    let without_indents =
        |text: &str| text.lines().map(|it| it.trim().to_owned()).collect::<Vec<_>>();
    if without_indents(&written) == without_indents(expected) {
        return Outcome::Skipped(INDENTATION);
    }
    if is_quirk(case.json) {
        return Outcome::Skipped(QUIRK);
    }
    if has_structured_description(&input["schema"]) {
        return Outcome::Skipped(PYTHON_REPR);
    }
    if input["schema"]["$py"] == "generic" {
        return Outcome::Skipped(PYTHON_TYPE);
    }
    Outcome::Failed(format!("expected {expected:?}, got {written:?}"))
}

/// The format of an output, and the requested shape.
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
            Err(error) => rejected_format(&name, &error),
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
    let requested = match expected.get("output") {
        // A string is requested without a structure.
        None | Some(Json::Null) => own,
        Some(expected) => {
            let name = &expected["value"]["items"][0]["name"];
            match *name == output["name"] {
                true => shape(&with_type(expected, output)),
                false => shape(expected),
            }
        }
    };
    let is_same = requirement.shape().requirement() == requested.requirement();
    match requirement.format().name() == wanted && is_same {
        true => Outcome::Passed,
        false if output["$py"] == "model" => Outcome::Skipped(RECORD),
        false if output["$py"] == "generic" || output["$py"] == "set" => {
            Outcome::Skipped(PYTHON_TYPE)
        }
        false => Outcome::Failed(format!("expected {expected}, got {requirement:?}")),
    }
}

/// An output whose type is only named, with the given type in place of the name.
fn with_type(output: &Json, given: &Json) -> Json {
    let mut output = output.clone();
    output["value"]["items"][0] = given.clone();
    output
}

/// Converts a value to the shape of a schema.
pub(crate) fn validate(case: &Case<'_>) -> Outcome {
    let input = &case.json["input"];
    let shape = lenient(&input["schema"]);
    let data = Value::from_json(&input["data"].to_string()).unwrap();
    if input["ensure_all_keys"] == true {
        let closed = closed(&input["schema"]);
        if let Some(violation) = closed.violations(&data).first() {
            return check_result(case, Err(format!("{} {}", violation.pointer, violation.message)));
        }
    }
    let output = Output::from_shape(shape).with_leniency(Leniency::Generous);
    let converted = output.fit(&data).map_err(|error| error.to_string());
    check_result(case, converted.map(|it| serde_json::from_str(&it.value.to_json()).unwrap()))
}

/// Passes if a value is the expected one, or is rejected as expected.
fn check_result(case: &Case<'_>, found: Result<Json, String>) -> Outcome {
    let input = &case.json["input"];
    let expect = &case.json["expect"];
    let expected = expect.get("ok").map(|ok| {
        let ok = without_members(ok, &input["schema"]);
        match &input["schema"] {
            // Python models are records, so a list and a single value are fields of one.
            Json::Array(_) => ok["list"].clone(),
            Json::Object(schema) if schema.get("$py").is_some() => ok["value"].clone(),
            _ => ok,
        }
    });
    match (expected, found) {
        (Some(expected), Ok(found)) if expected == found => Outcome::Passed,
        (None, Err(_)) => Outcome::Passed,
        _ if is_quirk(case.json) => Outcome::Skipped(QUIRK),
        (Some(expected), _) if expected.to_string().contains("\"None\"") => {
            Outcome::Skipped(NONE_TEXT)
        }
        _ if input["schema"].is_array() && input["data"].is_object() => {
            Outcome::Skipped(LIST_RECORD)
        }
        (expected, found) => Outcome::Failed(format!("expected {expected:?}, got {found:?}")),
    }
}

/// Replaces the members of enumerations by their values.
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

fn rejected_format(name: &str, error: &prompty_core::Error) -> Outcome {
    match error.to_string().contains(&format!("`{name}`")) {
        true => Outcome::Skipped(NEWER_FORMAT),
        false => Outcome::Failed(format!("{error} does not name {name}")),
    }
}

fn is_quirk(case: &Json) -> bool {
    case.get("quirk").is_some()
}

/// Whether a description is an array or an object, which Python prints in its own notation.
fn has_structured_description(schema: &Json) -> bool {
    match schema {
        Json::Object(map) if map.get("$py").is_some_and(|it| it == "tuple") => {
            let description = &map["items"][1];
            description.is_array() || description.is_object()
        }
        Json::Object(map) => map.values().any(has_structured_description),
        _ => false,
    }
}

/// The shape in which all keys of objects are declared and no other keys are accepted.
fn closed(schema: &Json) -> Shape {
    match schema {
        Json::Object(map) if !map.contains_key("$py") => Shape::object(
            map.iter().map(|(name, schema)| (name.as_str(), shape(schema).optional())),
        )
        .closed(),
        _ => shape(schema),
    }
}
