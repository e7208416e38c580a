//! Templates that people wrote for Jinja2. If Jinja2 renders a template, ours must check it without
//! an error and give the same text. If Jinja2 rejects a template, the case is skipped. If Jinja2
//! only lacks the files that the template names, ours must report a missing file.

use prompty_check::check::{AllowedCodes, HostSignatures, Signature, check_template};
use prompty_core::diagnostic::{Code, Severity, SourceSpan, SourceText};
use prompty_core::{Error, ErrorKind};
use prompty_runtime::render::PipelineBuilder;
use prompty_template::jinja::Jinja2;
use serde_json::Value;

use crate::frame::{Case, Outcome, Rule};
use crate::load::Folder;

const NOT_RENDERED: Rule = Rule::named("Jinja2 does not render the template");
const MISSING_FILE: Rule =
    Rule::named("a file that the template names must exist, even if it is not rendered");
const UNREACHED_FILTER: Rule =
    Rule::named("an unknown filter in a branch that these inputs do not reach");
const PYTHON_NOTATION: Rule = Rule::named("Jinja2 prints lists and maps in Python's notation");

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let file = case.json["file"].as_str().unwrap();
    let text = std::fs::read_to_string(case.folder.join(file)).unwrap();
    let source = SourceText::new(file, text).normalised();
    let text = source.text();
    let Some(expected) = case.json["python"].as_str() else {
        let error = case.json["python_error"].as_str().unwrap_or_default();
        return match error.starts_with("TypeError: no loader") {
            true => names_missing_file(text),
            false => Outcome::Skipped(NOT_RENDERED),
        };
    };
    if let Outcome::Passed = names_missing_file(text) {
        return Outcome::Skipped(MISSING_FILE);
    }
    let inputs = &case.json["inputs"];
    let found = match render(text, inputs) {
        Err(error) => return Outcome::Failed(format!("render: {error:#}")),
        Ok(found) => found,
    };
    match first_error(&source) {
        None => {}
        Some((Code::UnknownFilter, _)) if found == expected => {
            return Outcome::Skipped(UNREACHED_FILTER);
        }
        Some((_, message)) => return Outcome::Failed(format!("check: {message}")),
    }
    match found == expected {
        true => Outcome::Passed,
        false if as_python(&found, inputs) == expected => Outcome::Skipped(PYTHON_NOTATION),
        false => Outcome::Failed(difference(expected, &found)),
    }
}

/// Replaces the arrays and objects of the inputs in a text by Python's notation.
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

/// A value in the notation of Python's `repr`.
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

/// Passes if a template cannot be built because a file is missing, and the error names that file.
fn names_missing_file(text: &str) -> Outcome {
    let folder = Folder::new();
    let built = PipelineBuilder::from_text("case", text).with_templates(folder.path()).build();
    match built {
        Ok(_) => Outcome::Failed("the template is built without its files".to_owned()),
        Err(error) if error.kind() == ErrorKind::FileReference => {
            let shown = folder.path().display().to_string();
            let message = error.to_string();
            let name = message.split('`').nth(1).unwrap_or_default();
            let name = name.strip_prefix(&shown).unwrap_or(name).trim_start_matches('/');
            match text.contains(name) && !name.is_empty() {
                true => Outcome::Passed,
                false => Outcome::Failed(format!("the error does not name a file: {error:#}")),
            }
        }
        Err(error) => Outcome::Failed(format!("build: {error:#}")),
    }
}

/// The first error of the checker, which knows nothing about the inputs.
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

/// Describes the first difference.
fn difference(expected: &str, found: &str) -> String {
    let mut lines = expected.split('\n').zip(found.split('\n')).enumerate();
    match lines.find(|(_, (expected, found))| expected != found) {
        Some((index, (expected, found))) => {
            format!("line {}: expected {expected:?}, got {found:?}", index + 1)
        }
        None => format!("expected {} bytes, got {}", expected.len(), found.len()),
    }
}
