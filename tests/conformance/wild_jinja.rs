//! Templates that people wrote for Jinja2: they check without an error where Jinja2 renders them, and
//! give its text. What Jinja2 itself refuses says nothing of ours, unless it only lacks the files that the
//! template names: then the template is read, and the error names a file that is missing.

use prompty_check::check::{AllowedCodes, HostSignatures, Signature, check_template};
use prompty_core::diagnostic::{Code, Severity, SourceSpan, SourceText};
use prompty_core::{Error, ErrorKind};
use prompty_runtime::render::PipelineBuilder;
use prompty_template::jinja::Jinja2;
use serde_json::Value;

use crate::frame::{Case, Outcome};
use crate::load::Folder;

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let file = case.json["file"].as_str().unwrap();
    let text = std::fs::read_to_string(case.folder.join(file)).unwrap();
    let source = SourceText::new(file, text).normalised();
    let text = source.text();
    let Some(expected) = case.json["python"].as_str() else {
        let error = case.json["python_error"].as_str().unwrap_or_default();
        return match error.starts_with("TypeError: no loader") {
            true => names_what_is_missing(text),
            false => Outcome::SetAside("Jinja2 does not render it"),
        };
    };
    if let Outcome::Passed = names_what_is_missing(text) {
        return Outcome::SetAside(
            "a file that the template names must be there, also if it is not written",
        );
    }
    let inputs = &case.json["inputs"];
    let found = match render(text, inputs) {
        Err(error) => return Outcome::Failed(format!("render: {error:#}")),
        Ok(found) => found,
    };
    match first_error(&source) {
        None => {}
        Some((Code::UnknownFilter, _)) if found == expected => {
            return Outcome::SetAside(
                "a filter of the application's own, where these inputs do not lead",
            );
        }
        Some((_, message)) => return Outcome::Failed(format!("check: {message}")),
    }
    match found == expected {
        true => Outcome::Passed,
        false if as_python(&found, inputs) == expected => {
            Outcome::SetAside("Jinja2 prints a list or a map as Python writes it")
        }
        false => Outcome::Failed(difference(expected, &found)),
    }
}

/// A text in which the lists and maps among the inputs stand as Python writes them.
fn as_python(text: &str, inputs: &Value) -> String {
    let mut text = text.to_owned();
    for input in inputs.as_object().into_iter().flat_map(serde_json::Map::values) {
        if input.is_object() || input.is_array() {
            let json: prompty_core::value::Value = serde_json::from_value(input.clone()).unwrap();
            text = text.replace(&json.to_string(), &python(input));
        }
    }
    text
}

/// A value as Python's `repr` writes it.
fn python(value: &Value) -> String {
    let listed = |items: Vec<String>| items.join(", ");
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => {
            let text = text.replace('\\', "\\\\").replace('\n', "\\n");
            match text.contains('\'') && !text.contains('"') {
                true => format!("\"{text}\""),
                false => format!("'{}'", text.replace('\'', "\\'")),
            }
        }
        Value::Array(items) => format!("[{}]", listed(items.iter().map(python).collect())),
        Value::Object(map) => {
            let entry = |(name, value): (&String, &Value)| {
                format!("{}: {}", python(&Value::from(name.as_str())), python(value))
            };
            format!("{{{}}}", listed(map.iter().map(entry).collect()))
        }
    }
}

/// Whether a template cannot be built because a file is missing, and the error names that file.
fn names_what_is_missing(text: &str) -> Outcome {
    let folder = Folder::new();
    let built = PipelineBuilder::from_text("case", text).with_templates(folder.path()).build();
    match built {
        Ok(_) => Outcome::Failed("it is built without its files".to_owned()),
        Err(error) if error.kind() == ErrorKind::FileReference => {
            let shown = folder.path().display().to_string();
            let message = error.to_string();
            let name = message.split('`').nth(1).unwrap_or_default();
            let name = name.strip_prefix(&shown).unwrap_or(name).trim_start_matches('/');
            match text.contains(name) && !name.is_empty() {
                true => Outcome::Passed,
                false => Outcome::Failed(format!("no file is named: {error:#}")),
            }
        }
        Err(error) => Outcome::Failed(format!("build: {error:#}")),
    }
}

/// The first error that the checker finds, where nothing is known of the inputs.
fn first_error(source: &SourceText) -> Option<(Code, String)> {
    let mut signature = Signature::default();
    signature.open = true;
    let body = SourceSpan::new(0, source.text().len());
    let (extensions, allowed) = (HostSignatures::default(), AllowedCodes::default());
    let report = check_template(source, body, &Jinja2, &signature, &extensions, &allowed);
    let is_error = |severity| severity == Severity::Error;
    let error = report.diagnostics.iter().find(|finding| is_error(finding.severity))?;
    Some((error.code, error.render(source).replace('\n', "\n        ")))
}

fn render(text: &str, inputs: &Value) -> Result<String, Error> {
    let pipeline = PipelineBuilder::from_text("case", text).with_format("jinja2").build()?;
    let inputs: prompty_core::value::Map = serde_json::from_value(inputs.clone()).unwrap();
    Ok(pipeline.render(inputs)?.plain_text())
}

/// The first lines that differ.
fn difference(expected: &str, found: &str) -> String {
    let mut lines = expected.split('\n').zip(found.split('\n')).enumerate();
    match lines.find(|(_, (expected, found))| expected != found) {
        Some((index, (expected, found))) => {
            format!("line {}: expected {expected:?}, got {found:?}", index + 1)
        }
        None => format!("expected {} bytes, got {}", expected.len(), found.len()),
    }
}
