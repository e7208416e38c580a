//! Parses one line as a role marker.

use prompty_template::role_markers::syntax::{attributes, match_line};
use serde_json::{Map, Value, json};

use crate::frame::{Case, Outcome};
use crate::prompt;

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let line = case.given("line").as_str().unwrap();
    let found = match match_line(line) {
        None => json!({"match": false}),
        Some(marker) => {
            let inner =
                marker.attributes_range.and_then(|range| line.get(range)).unwrap_or_default();
            let pairs = attributes(inner).map(|it| (it.name.to_owned(), it.value.into()));
            let attributes: Map<String, Value> = pairs.collect();
            json!({"match": true, "role": marker.role.as_str(), "attributes": attributes})
        }
    };
    prompt::equal(&found, &case.json["expect"])
}
