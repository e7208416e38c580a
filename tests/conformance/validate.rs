//! Checks declared inputs: defaults are added, and missing inputs are an error.

use prompty_check::definition::Definition;
use prompty_core::ErrorKind;
use prompty_runtime::render::validate_inputs;
use serde_json::Value;

use crate::frame::{Case, Outcome};
use crate::{load, prompt};

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let definition = Definition::from_text(load::source(case)).unwrap();
    let result = validate_inputs(&definition, &prompt::inputs(case));
    if let Some(outcome) = case.expected_error(&result) {
        return match result {
            Err(error) => names_the_input(case, &error).unwrap_or(outcome),
            Ok(_) => outcome,
        };
    }
    match result {
        Ok(inputs) => {
            let found: Value = serde_json::to_value(inputs).unwrap();
            prompt::equal(&found, &case.json["expect"]["inputs"])
        }
        Err(error) => Outcome::Failed(format!("{error:#}")),
    }
}

/// Fails if the error does not name the missing input.
fn names_the_input(case: &Case<'_>, error: &prompty_core::Error) -> Option<Outcome> {
    let name = case.json["expect_error"]["names"].as_str()?;
    let is_named = error.kind() == ErrorKind::MissingInput && error.to_string().contains(name);
    (!is_named).then(|| Outcome::Failed(format!("`{error}` does not name `{name}`")))
}
