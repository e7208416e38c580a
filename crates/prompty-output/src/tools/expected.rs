//! What a tool's schema has at the place where arguments did not fit.

use prompty_core::schema::{Combination, Schema, Step};
use prompty_core::value::Value;
use prompty_core::value::internal::json::{JsonStyle, to_string};
use prompty_core::value::internal::{self, Failure};

use super::misfit;

/// A longer schema is no help.
const LONGEST: usize = 600;

/// The failure with its place as exact as the schema can tell, and what would have fitted there.
pub(super) fn explain(
    schema: Schema<'_>,
    value: &Value,
    failure: Failure,
) -> (Failure, Option<String>) {
    let steps: Vec<Step<'_>> = failure.steps().map(Step::from).collect();
    let mut parts = distinct(schema.parts_at(&steps));
    let held = failure.steps().try_fold(value, value_inside);
    let misfit = held.and_then(|held| misfit::find(&parts, held, failure.message()));
    let failure = match misfit {
        Some(misfit) => {
            parts = vec![misfit.schema];
            failure.further_inside(misfit.steps)
        }
        None => failure,
    };
    let help = help(&failure.place(), &parts);
    (failure, help)
}

/// The schemas, each once: alternatives often say the same of a place.
fn distinct(schemas: Vec<Schema<'_>>) -> Vec<Schema<'_>> {
    let mut distinct: Vec<Schema<'_>> = Vec::new();
    for schema in schemas {
        if !distinct.iter().any(|known| known.value() == schema.value()) {
            distinct.push(schema);
        }
    }
    distinct
}

fn value_inside<'v>(value: &'v Value, step: &internal::Step) -> Option<&'v Value> {
    match step {
        internal::Step::Name(name) => value.get(name),
        internal::Step::Index(index) => value.as_array()?.get(*index),
    }
}

/// What would have fitted.
fn help(place: &str, schemas: &[Schema<'_>]) -> Option<String> {
    let place = match place {
        "" => "the tool".to_owned(),
        place => format!("`{place}`"),
    };
    let json = |schema: Schema<'_>| Some(to_string(schema.resolved().value()?, JsonStyle::COMPACT));
    let expected = match schemas {
        [] => return None,
        [schema] => match names(*schema) {
            Some(names) => return Some(format!("{place} takes {names}")),
            None => json(*schema)?,
        },
        schemas => {
            let schemas: Option<Vec<String>> = schemas.iter().map(|it| json(*it)).collect();
            format!("one of [{}]", schemas?.join(","))
        }
    };
    (expected.len() <= LONGEST).then(|| format!("{place} takes {expected}"))
}

/// The names that an object has, the required ones first.
fn names(schema: Schema<'_>) -> Option<String> {
    let keywords = schema.resolved().keywords()?;
    // The list could not tell which names belong to which alternative.
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
