//! Renders a template and inputs into a text, or into an error about the syntax of the template.

use prompty_core::Error;
use prompty_runtime::render::PipelineBuilder;

use crate::frame::{Case, Outcome};
use crate::prompt;

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let result = render(case);
    if let Some(outcome) = case.expected_error(&result) {
        return outcome;
    }
    match result {
        Ok(text) => prompt::equal(&text.into(), &case.json["expect"]["rendered"]),
        Err(error) => Outcome::Failed(format!("{error:#}")),
    }
}

fn render(case: &Case<'_>) -> Result<String, Error> {
    let template = case.given("template").as_str().unwrap();
    let engine = case.given("engine").as_str().unwrap();
    let pipeline = PipelineBuilder::from_text("case", template).format(engine).build()?;
    Ok(pipeline.render(prompt::inputs(case))?.plain_text())
}
