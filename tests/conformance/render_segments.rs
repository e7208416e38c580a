//! Renders a template with inputs to segments with their origins.

use prompty_runtime::render::{Origin, Pipeline, Segment};
use serde_json::{Value, json};

use crate::frame::{Case, Outcome};
use crate::prompt;

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let pipeline = Pipeline::new(&prompt::definition(case, false)).unwrap();
    let result = pipeline.render_segments(prompt::inputs(case));
    if let Some(outcome) = case.expected_error(&result) {
        return outcome;
    }
    match result {
        Ok(segments) => {
            let found: Value = segments.iter().map(segment).collect();
            prompt::equal(&found, &case.json["expect"]["segments"])
        }
        Err(error) => Outcome::Failed(format!("{error:#}")),
    }
}

/// Converts a segment into the form of the cases.
fn segment(segment: &Segment) -> Value {
    match &segment.origin {
        Origin::Interpolated { source, strict } => {
            json!({"kind": "interp", "text": segment.text, "source": source, "strict": strict})
        }
        _ => json!({"kind": "literal", "text": segment.text, "strict": false}),
    }
}
