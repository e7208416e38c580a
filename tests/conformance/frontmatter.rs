//! Splits the text of a file into front matter and body.

use prompty_check::definition::Definition;
use serde_json::Value;

use crate::compare::listed_keys;
use crate::frame::{Case, Outcome};

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let result = Definition::from_text(case.given("text").as_str().unwrap());
    if let Some(outcome) = case.expected_error(&result) {
        return outcome;
    }
    let definition = match result {
        Ok(definition) => definition,
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    let expect = &case.json["expect"];
    if expect["body"] != definition.instructions.as_str() {
        return Outcome::Failed(format!("the body is {:?}", definition.instructions));
    }
    // A body begins after the start of the source only if there is a front matter.
    if expect["frontmatter"].is_null() != (definition.body.start == 0) {
        return Outcome::Failed(format!("the body begins at {}", definition.body.start));
    }
    let found: Value = serde_json::to_value(definition.to_value()).unwrap();
    if expect["frontmatter"].is_null() {
        return Outcome::Passed;
    }
    match listed_keys(&found, &expect["frontmatter"], "frontmatter") {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why),
    }
}
