//! Values of a reply that is still arriving: the reported events, their order, and the final
//! values.
//!
//! For each chunk the reference reads all the text so far, and reports what changed. It reports
//! first all values that have grown, then all complete values. It reports a quoted string later if
//! it cannot read the string yet. Compared are therefore the order in which values begin, the order
//! in which they are completed, and the reported content of each. No delta may follow the end of
//! its value.

use serde_json::Value as Json;
use typed_prompty::output::{Output, OutputEvent};

use crate::agently_replies::{same, schema_with_keys, to_json};
use crate::frame::{Case, Outcome, Rule};

/// The result differs, and the case is marked as a fault of the reference.
const QUIRK: Rule = Rule::named("quirk: a fault of the reference is not reproduced");

/// The values that a stream reported.
#[derive(Debug, Default)]
struct ReportedValues {
    /// The values in the order in which they began, each with its joined deltas.
    begun: Vec<(String, Json)>,
    /// The complete values in the order in which they were completed.
    done: Vec<(String, Json)>,
    /// Whether the reference stopped reporting deltas, because the text was too long for it. Our
    /// stream reads a bounded amount for each chunk, so it never stops.
    is_deferred: bool,
}

/// A reply that arrives in chunks.
pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let input = &case.json["input"];
    let expected = &case.json["expect"]["ok"];
    let mut stream =
        Output::from_schema(schema_with_keys(&input["schema"])).with_truncated().stream();
    let mut events = Vec::new();
    for chunk in input["chunks"].as_array().unwrap() {
        events.extend(stream.push(chunk.as_str().unwrap()));
    }
    events.extend(stream.end());
    let value = stream.value_so_far().map(|it| to_json(&it));
    let truncated = stream.finish().is_ok_and(|it| it.truncated);
    let is_same = reference_values(expected, truncated).and_then(|wanted| {
        let found = our_values(events)?;
        if !is_same_report(&wanted, &found) {
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
        Err(_) if case.json.get("quirk").is_some() => Outcome::Skipped(QUIRK),
        Err(why) => Outcome::Failed(why),
    }
}

fn is_same_report(wanted: &ReportedValues, found: &ReportedValues) -> bool {
    let is_same = |one: &[(String, Json)], other: &[(String, Json)]| {
        let is_same = |((path, value), (other, found)): (&(String, Json), &(String, Json))| {
            path == other && same(value, found)
        };
        one.len() == other.len() && one.iter().zip(other).all(is_same)
    };
    let completes_same = is_same(&wanted.done, &found.done);
    if wanted.is_deferred {
        return completes_same && wanted.begun.iter().all(|(path, _)| has_begun(found, path));
    }
    completes_same && is_same(&wanted.begun, &found.begun)
}

fn has_begun(reported: &ReportedValues, path: &str) -> bool {
    reported.begun.iter().any(|(it, _)| it == path)
}

/// The values that the reference reported. A value in which the reply ended does not count as
/// complete, even if the reference completed it.
fn reference_values(expected: &Json, truncated: bool) -> Result<ReportedValues, String> {
    let steps = expected["steps"].as_array().unwrap().iter().chain([&expected["finalize"]]);
    let mut reported = ReportedValues::default();
    for event in steps.flat_map(|it| it.as_array().unwrap()) {
        let path = event["path"].as_str().unwrap().to_owned();
        let value = event["value"].clone();
        match event["event"].as_str().unwrap() {
            _ if path == "$status" => reported.is_deferred = true,
            "delta" => put(&mut reported.begun, path, value),
            _ if event["completion_source"] == "synthetic_repair" => {
                if !truncated {
                    return Err("the reply ends inside a value, but is not truncated".to_owned());
                }
            }
            _ => reported.done.push((path, value)),
        }
    }
    Ok(reported)
}

/// The values that our stream reported.
fn our_values(events: Vec<OutputEvent>) -> Result<ReportedValues, String> {
    let mut reported = ReportedValues::default();
    for event in events {
        let is_done =
            |reported: &ReportedValues, path: &str| reported.done.iter().any(|(it, _)| it == path);
        match event {
            OutputEvent::Text { path, delta } => {
                let path = path.to_string();
                if is_done(&reported, &path) {
                    return Err(format!("`{path}` grows after its end"));
                }
                let before = reported.begun.iter().find(|(it, _)| *it == path);
                let before = before.and_then(|(_, it)| it.as_str()).unwrap_or_default();
                let value = Json::from(format!("{before}{delta}"));
                put(&mut reported.begun, path, value);
            }
            OutputEvent::Scalar { path, value } => {
                put(&mut reported.begun, path.to_string(), to_json(&value));
            }
            // The reference does not report the complete value of the reply.
            OutputEvent::Done { path, .. } if path.steps().is_empty() => {}
            OutputEvent::Done { path, value } => {
                reported.done.push((path.to_string(), to_json(&value)));
            }
            other => return Err(format!("{other:?} is not expected")),
        }
    }
    Ok(reported)
}

fn put(begun: &mut Vec<(String, Json)>, path: String, value: Json) {
    match begun.iter_mut().find(|(it, _)| *it == path) {
        Some((_, before)) => *before = value,
        None => begun.push((path, value)),
    }
}
