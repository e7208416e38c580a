//! Renders a template with inputs. The result is a text, or an error about the syntax of the
//! template.

use prompty_core::Error;
use prompty_runtime::render::{Pipeline, PipelineBuilder};
use serde_json::Value;

use crate::frame::{Case, Outcome};
use crate::prompt;

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let result = render(case);
    let outcome = case.expected_error(&result).unwrap_or_else(|| match &result {
        Ok(text) => check_text(text, &case.json["expect"]),
        Err(error) => Outcome::Failed(format!("{error:#}")),
    });
    // If the test vector and the text of the specification disagree, either result passes.
    match (outcome, case.json.get("rule_expect"), &result) {
        (Outcome::Failed(why), Some(by_rule), Ok(text)) => match check_text(text, by_rule) {
            Outcome::Failed(other) => {
                Outcome::Failed(format!("{why}; by the specification: {other}"))
            }
            passed => passed,
        },
        (outcome, _, _) => outcome,
    }
}

/// Compares a text with the expected text, or with the pattern that it must match.
fn check_text(text: &str, expected: &Value) -> Outcome {
    let Some(pattern) = expected["rendered_pattern"].as_str() else {
        return prompt::equal(&text.into(), &expected["rendered"]);
    };
    match regex::Regex::new(&format!("^(?:{pattern})$")).unwrap().is_match(text) {
        true => Outcome::Passed,
        false => Outcome::Failed(format!("expected a match of {pattern}, got {text:?}")),
    }
}

/// Renders the template of a case. If the case gives the kinds of the inputs, the prompt declares
/// them, and the text contains placeholders for threads and media.
fn render(case: &Case<'_>) -> Result<String, Error> {
    let inputs = prompt::inputs(case);
    if case.given("input_kinds").is_object() {
        let template = case.given("template").as_str().unwrap();
        let pipeline = Pipeline::new(&prompt::definition(case, false))?;
        // Line breaks at the end of a file do not belong to its template, so they are added again.
        let end = "\n".repeat(template.len() - template.trim_end_matches('\n').len());
        return Ok(pipeline.render(inputs)?.plain_text() + &end);
    }
    let template = case.given("template").as_str().unwrap();
    let engine = case.given("engine").as_str().unwrap();
    let pipeline = PipelineBuilder::from_text("case", template).with_format(engine).build()?;
    Ok(pipeline.render(inputs)?.plain_text())
}

#[test]
fn case_with_kinds_pattern_and_rule_result() {
    let run = |json: Value| run(&Case { json: &json, folder: std::path::Path::new("") });
    let thread = serde_json::json!({
        "given": {
            "template": "user:\n{{ h }}\n", "engine": "jinja2", "input_kinds": {"h": "thread"},
            "inputs": {"h": [{"role": "user", "content": [{"kind": "text", "value": "hi"}]}]},
        },
        "expect": {"rendered_pattern": "user:\n__PROMPTY_THREAD_[0-9a-f]{16}_h__\n"},
    });
    assert!(matches!(run(thread.clone()), Outcome::Passed));
    let mut disputed = thread;
    disputed["rule_expect"] = disputed["expect"].take();
    disputed["expect"] = serde_json::json!({"rendered": "user:\n\n"});
    assert!(matches!(run(disputed.clone()), Outcome::Passed));
    disputed["rule_expect"]["rendered_pattern"] = "assistant:.*".into();
    assert!(matches!(run(disputed), Outcome::Failed(_)));
}
