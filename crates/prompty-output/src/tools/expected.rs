//! The expected schema at the place of arguments that do not fit. `mismatch` says why serde does
//! not always report the exact place.

use prompty_core::schema::{Combination, Schema, Step};
use prompty_core::value::Value;
use prompty_core::value::internal::json::{JsonStyle, to_string};
use prompty_core::value::internal::{self, Failure};

use super::mismatch;

/// A longer schema is not helpful.
const MAX_SCHEMA_LENGTH: usize = 600;

/// Makes the place of a failure as exact as the schema allows, and returns what was expected there.
pub(super) fn explain(
    schema: Schema<'_>,
    value: &Value,
    failure: Failure,
) -> (Failure, Option<String>) {
    // The schemas at the place that serde has reported: several, if alternatives lead to it.
    let steps: Vec<Step<'_>> = failure.steps().map(Step::from).collect();
    let mut parts = distinct(schema.parts_at(&steps));
    let inner = failure.steps().try_fold(value, value_inside);
    // The place may be further inside of the value there.
    let mismatch = inner.and_then(|inner| mismatch::find(&parts, inner, failure.message()));
    let failure = match mismatch {
        Some(mismatch) => {
            parts = vec![mismatch.schema];
            failure.with_inner_steps(mismatch.steps)
        }
        None => failure,
    };
    let help = help(&failure.place(), &parts);
    (failure, help)
}

/// Removes duplicate schemas, which are common among alternatives.
fn distinct(schemas: Vec<Schema<'_>>) -> Vec<Schema<'_>> {
    let mut distinct: Vec<Schema<'_>> = Vec::new();
    for schema in schemas {
        if !distinct.iter().any(|known| known.value() == schema.value()) {
            distinct.push(schema);
        }
    }
    distinct
}

fn value_inside<'v>(value: &'v Value, step: &internal::PathStep) -> Option<&'v Value> {
    match step {
        internal::PathStep::Name(name) => value.get(name),
        internal::PathStep::Index(index) => value.as_array()?.get(*index),
    }
}

/// The help: what was expected at a place.
fn help(place: &str, schemas: &[Schema<'_>]) -> Option<String> {
    let place = match place {
        "" => "the tool".to_owned(),
        place => format!("`{place}`"),
    };
    let json = |schema: Schema<'_>| Some(to_string(schema.resolved().value()?, JsonStyle::COMPACT));
    let expected = match schemas {
        [] => return None,
        [schema] => match names(*schema) {
            Some(names) => return Some(format!("{place} accepts {names}")),
            None => json(*schema)?,
        },
        schemas => {
            let schemas: Option<Vec<String>> = schemas.iter().map(|it| json(*it)).collect();
            format!("one of [{}]", schemas?.join(","))
        }
    };
    (expected.len() <= MAX_SCHEMA_LENGTH).then(|| format!("{place} must match {expected}"))
}

/// The names of an object's properties, the required ones first.
fn names(schema: Schema<'_>) -> Option<String> {
    let keywords = schema.resolved().keywords()?;
    // A list cannot show which names belong to which alternative.
    let has = |combination: Combination| keywords.map().contains_key(combination.keyword());
    if Combination::ALL.into_iter().any(has) {
        return None;
    }
    let properties = keywords.properties()?;
    let (required, optional): (Vec<&str>, Vec<&str>) =
        properties.keys().partition(|name| keywords.requires(name));
    let list = |names: &[&str]| format!("`{}`", names.join("`, `"));
    let names = match (required.as_slice(), optional.as_slice()) {
        ([], []) => "no arguments".to_owned(),
        (required, []) => list(required),
        ([], optional) => format!("{}, all optional", list(optional)),
        (required, optional) => format!("{}, and optionally {}", list(required), list(optional)),
    };
    let others = keywords.additional_properties().filter(|it| it.as_object().is_some());
    let Some(others) = others else { return Some(names) };
    let others = to_string(others, JsonStyle::COMPACT);
    Some(match properties.is_empty() {
        true => format!("any names, each with {others}"),
        false => format!("{names}, and any others with {others}"),
    })
}
