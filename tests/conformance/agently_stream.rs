//! Values while their reply comes: what is told of them, in which order, and what they are in the end.
//!
//! The reference reads all that has come at each piece, and tells what differs. So it tells first all that
//! has grown, then all that is whole; and a text in quotes that it cannot read yet is told later. Compared
//! are therefore the order in which values begin, the order in which they are whole, and what is told of
//! each, with no delta behind its end.

use serde_json::Value as Json;
use typed_prompty::output::{Output, OutputEvent};

use crate::agently_replies::{keys_of, same, to_json};
use crate::frame::{Case, Outcome};

/// Recorded faults are no target, where ours is not the same.
const QUIRK: &str = "quirk: a recorded fault is no target";

/// What a reply told.
#[derive(Debug, Default)]
struct Told {
    /// The values in the order in which they began, each with what its deltas give together.
    begun: Vec<(String, Json)>,
    /// The whole values, in their order.
    done: Vec<(String, Json)>,
    /// Whether it stopped to tell deltas, since the text was too long for it. What ours reads is bounded
    /// for each piece, so it does not.
    is_deferred: bool,
}

/// A reply that comes in pieces.
pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let input = &case.json["input"];
    let expected = &case.json["expect"]["ok"];
    let mut stream = Output::from_schema(keys_of(&input["schema"])).stream();
    let mut events = Vec::new();
    for chunk in input["chunks"].as_array().unwrap() {
        events.extend(stream.push(chunk.as_str().unwrap()));
    }
    events.extend(stream.end());
    let value = stream.value_so_far().map(|it| to_json(&it));
    let truncated = stream.finish().is_ok_and(|it| it.truncated);
    let is_same = of_reference(expected, truncated).and_then(|wanted| {
        let found = ours(events)?;
        if !is_same_told(&wanted, &found) {
            return Err(format!("expected {wanted:?}, got {found:?}"));
        }
        let data = &expected["final_data"];
        let empty = serde_json::json!({});
        match same(data, value.as_ref().unwrap_or(&empty)) {
            true => Ok(()),
            false => Err(format!("expected {data}, got {value:?}")),
        }
    });
    match is_same {
        Ok(()) => Outcome::Passed,
        Err(_) if case.json.get("quirk").is_some() => Outcome::SetAside(QUIRK),
        Err(why) => Outcome::Failed(why),
    }
}

fn is_same_told(wanted: &Told, found: &Told) -> bool {
    let is_same = |one: &[(String, Json)], other: &[(String, Json)]| {
        let is_same = |((path, value), (other, found)): (&(String, Json), &(String, Json))| {
            path == other && same(value, found)
        };
        one.len() == other.len() && one.iter().zip(other).all(is_same)
    };
    let is_told = is_same(&wanted.done, &found.done);
    if wanted.is_deferred {
        return is_told && wanted.begun.iter().all(|(path, _)| has_begun(found, path));
    }
    is_told && is_same(&wanted.begun, &found.begun)
}

fn has_begun(told: &Told, path: &str) -> bool {
    told.begun.iter().any(|(it, _)| it == path)
}

/// What the reference told. A value that it made whole where the reply ended inside of it is none that
/// is done.
fn of_reference(expected: &Json, truncated: bool) -> Result<Told, String> {
    let steps = expected["steps"].as_array().unwrap().iter().chain([&expected["finalize"]]);
    let mut told = Told::default();
    for event in steps.flat_map(|it| it.as_array().unwrap()) {
        let path = event["path"].as_str().unwrap().to_owned();
        let value = event["value"].clone();
        match event["event"].as_str().unwrap() {
            _ if path == "$status" => told.is_deferred = true,
            "delta" => put(&mut told.begun, path, value),
            _ if event["completion_source"] == "synthetic_repair" => {
                if !truncated {
                    return Err("the end inside of a value is not told".to_owned());
                }
            }
            _ => told.done.push((path, value)),
        }
    }
    Ok(told)
}

/// What our stream told.
fn ours(events: Vec<OutputEvent>) -> Result<Told, String> {
    let mut told = Told::default();
    for event in events {
        let is_done = |told: &Told, path: &str| told.done.iter().any(|(it, _)| it == path);
        match event {
            OutputEvent::Text { path, delta } => {
                let path = path.to_string();
                if is_done(&told, &path) {
                    return Err(format!("`{path}` grows behind its end"));
                }
                let before = told.begun.iter().find(|(it, _)| *it == path);
                let before = before.and_then(|(_, it)| it.as_str()).unwrap_or_default();
                let value = Json::from(format!("{before}{delta}"));
                put(&mut told.begun, path, value);
            }
            OutputEvent::Scalar { path, value } => {
                put(&mut told.begun, path.to_string(), to_json(&value));
            }
            // The reference tells nothing of the whole.
            OutputEvent::Done { path, .. } if path.steps().is_empty() => {}
            OutputEvent::Done { path, value } => {
                told.done.push((path.to_string(), to_json(&value)));
            }
            other => return Err(format!("{other:?} is not expected")),
        }
    }
    Ok(told)
}

fn put(begun: &mut Vec<(String, Json)>, path: String, value: Json) {
    match begun.iter_mut().find(|(it, _)| *it == path) {
        Some((_, before)) => *before = value,
        None => begun.push((path, value)),
    }
}
