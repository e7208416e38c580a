//! A role line in an input is never a marker. In strict mode it is an error; otherwise it is text.

use prompty_core::Error;
use prompty_core::message::Message;
use prompty_core::value::{Map, Value};
use prompty_runtime::parse::OnForgedMarker;
use prompty_runtime::render::{Inputs, Pipeline};

use crate::frame::{Case, Outcome};
use crate::prompt;

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let strict = case.given("strict").as_bool().unwrap();
    let pipeline = Pipeline::new(&prompt::definition(case, strict)).unwrap();
    let result = pipeline.prepare(prompt::inputs(case));
    if let Some(outcome) = case.expected_error(&result) {
        return match outcome {
            Outcome::Passed => stays_text(case),
            failed => failed,
        };
    }
    match result {
        Ok(messages) => {
            let found = prompt::messages(&messages);
            prompt::equal(&found, &case.json["expect"]["messages"])
        }
        Err(error) => Outcome::Failed(format!("{error:#}")),
    }
}

/// Without strict mode the forged line stays in its message, and does not open another message.
fn stays_text(case: &Case<'_>) -> Outcome {
    let builder = Pipeline::builder(&prompt::definition(case, true));
    let pipeline = builder.with_on_forged_marker(OnForgedMarker::Literal).build().unwrap();
    let given = prompt::inputs(case);
    let mut texts = Vec::new();
    let harmless: Map = given.iter().map(|(name, it)| (name, harmless(it, &mut texts))).collect();
    let outcome = prepare(&pipeline, given)
        .and_then(|forged| prepare(&pipeline, harmless).map(|harmless| (forged, harmless)));
    let (forged, harmless) = match outcome {
        Ok(both) => both,
        Err(error) => return Outcome::Failed(format!("as text: {error:#}")),
    };
    let roles = |messages: &[Message]| -> Vec<String> {
        messages.iter().map(|message| message.role.to_string()).collect()
    };
    if roles(&forged) != roles(&harmless) {
        return Outcome::Failed(format!("as text: the roles are {:?}", roles(&forged)));
    }
    let is_kept = |text: &String| forged.iter().any(|message| message.text().contains(text));
    match texts.iter().find(|text| !is_kept(text)) {
        Some(lost) => Outcome::Failed(format!("as text: {lost:?} is in no message")),
        None => Outcome::Passed,
    }
}

fn prepare(pipeline: &Pipeline, inputs: impl Into<Inputs>) -> Result<Vec<Message>, Error> {
    pipeline.prepare(inputs)
}

/// A value of the same structure with harmless texts. The original texts are collected.
fn harmless(value: &Value, texts: &mut Vec<String>) -> Value {
    match value {
        Value::String(text) => {
            texts.push(text.to_string());
            Value::from("harmless")
        }
        Value::Array(items) => items.iter().map(|item| harmless(item, texts)).collect(),
        Value::Object(map) => {
            let entries = map.iter().map(|(name, item)| (name, harmless(item, texts)));
            Value::Object(entries.collect())
        }
        other => other.clone(),
    }
}
