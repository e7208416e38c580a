//! What a tool's schema has at the place where arguments did not fit.

use super::misfit;
use super::part::{ALTERNATIVES, inside, required, resolve};
use prompty_core::value::Value;
use prompty_core::value::internal::{Failure, Step};

/// A longer schema is no help.
const LONGEST: usize = 600;

/// The failure with its place as exact as the schema can tell, and what would have fitted there.
pub(super) fn explain(root: &Value, value: &Value, failure: Failure) -> (Failure, Option<String>) {
    let mut parts = vec![root];
    for step in failure.steps() {
        parts = inside(root, &parts, step);
    }
    let held = failure.steps().try_fold(value, held);
    let further = held.and_then(|held| misfit::find(root, &parts, held, failure.message()));
    let failure = match further {
        Some(misfit) => {
            parts = vec![misfit.part];
            failure.further_inside(misfit.steps)
        }
        None => failure,
    };
    let help = help(root, &failure.place(), &parts);
    (failure, help)
}

fn held<'v>(value: &'v Value, step: &Step) -> Option<&'v Value> {
    match step {
        Step::Name(name) => value.get(name),
        Step::Index(index) => value.as_array()?.get(*index),
    }
}

/// What would have fitted.
fn help(root: &Value, place: &str, parts: &[&Value]) -> Option<String> {
    let place = match place {
        "" => "the tool".to_owned(),
        place => format!("`{place}`"),
    };
    let schema = match parts {
        [] => return None,
        [part] => {
            let part = resolve(root, part);
            if let Some(names) = names(part) {
                return Some(format!("{place} takes {names}"));
            }
            serde_json::to_string(part).ok()?
        }
        parts => {
            let parts: Vec<&Value> = parts.iter().map(|part| resolve(root, part)).collect();
            format!("one of {}", serde_json::to_string(&parts).ok()?)
        }
    };
    (schema.len() <= LONGEST).then(|| format!("{place} takes {schema}"))
}

/// The names that an object has, those first that must be given.
fn names(part: &Value) -> Option<String> {
    // Which names those of one alternative are would not be told.
    if ALTERNATIVES.into_iter().any(|key| part.get(key).is_some()) {
        return None;
    }
    let properties = part.get("properties")?.as_object()?;
    let is_required = |name: &str| required(part).any(|it| it == name);
    let (must, may): (Vec<&str>, Vec<&str>) =
        properties.keys().partition(|name: &&str| is_required(name));
    let list = |names: &[&str]| format!("`{}`", names.join("`, `"));
    let names = match (must.as_slice(), may.as_slice()) {
        ([], []) => "no arguments".to_owned(),
        (must, []) => list(must),
        ([], may) => format!("{}, all optional", list(may)),
        (must, may) => format!("{}, and optionally {}", list(must), list(may)),
    };
    let others = part.get("additionalProperties").filter(|it| it.as_object().is_some());
    let Some(others) = others else { return Some(names) };
    let others = serde_json::to_string(others).ok()?;
    Some(match properties.is_empty() {
        true => format!("any names, each with {others}"),
        false => format!("{names}, and any others with {others}"),
    })
}
