//! Prompt files that people wrote: they load, check without an error, and give the messages of the
//! library for which they were written. Where no library could read a file, it loads, or a finding
//! names the cause.

use std::path::{Path, PathBuf};

use prompty_core::Error;
use prompty_core::diagnostic::{Severity, SourceText};
use prompty_core::message::Message;
use prompty_core::value::Map;
use prompty_runtime::check::{Allowed, Extensions, check_source};
use prompty_runtime::definition::{Definition, LoadOptions};
use prompty_runtime::render::Pipeline;
use serde_json::Value;

use crate::frame::{Case, Outcome};
use crate::load::{Folder, write};

/// A prompt file with the files that it refers to, in a folder of its own.
struct Wild {
    _folder: Folder,
    path: PathBuf,
    text: String,
    options: LoadOptions,
}

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let wild = Wild::new(case);
    let checked = check_source(
        SourceText::new("wild.prompty", wild.text.as_str()),
        &Extensions::default(),
        &Allowed::default(),
    );
    let mut findings = checked.report.diagnostics.iter();
    let error = findings.find(|finding| finding.severity == Severity::Error);
    let definition = Definition::from_path_with(&wild.path, &wild.options);
    let Some(expected) = expected(case) else {
        return match definition {
            Ok(_) => Outcome::Passed,
            Err(_) if error.is_some() => Outcome::Passed,
            Err(error) if error.place().is_some() => Outcome::Passed,
            Err(error) => Outcome::Failed(format!("no place is named: {error:#}")),
        };
    };
    let definition = match definition {
        Ok(definition) => definition,
        Err(error) => return Outcome::Failed(format!("it does not load: {error:#}")),
    };
    if let Some(error) = error {
        let line = error.span.map_or(0, |span| checked.source.place(span.start).line);
        return Outcome::Failed(format!("[{}] line {line}: {}", error.code, error.message));
    }
    match prepare(&definition, case) {
        Ok(found) => same_messages(&found, expected),
        Err(error) => Outcome::Failed(format!("it does not render: {error:#}")),
    }
}

/// The messages of the first version's library if it gave any, and otherwise those of the second's.
fn expected<'c>(case: &'c Case<'_>) -> Option<&'c Vec<Value>> {
    let first = case.json["prompty_0_1_50"].as_array();
    first.or_else(|| case.json["prompty_2_1_0_python"].as_array())
}

fn prepare(definition: &Definition, case: &Case<'_>) -> Result<Vec<Message>, Error> {
    let inputs: Map = serde_json::from_value(case.json["inputs"].clone()).unwrap();
    Pipeline::new(definition)?.prepare(inputs)
}

fn same_messages(found: &[Message], expected: &[Value]) -> Outcome {
    let expected: Vec<(&str, &str)> = expected
        .iter()
        .map(|message| (message[0].as_str().unwrap(), message[1].as_str().unwrap()))
        .collect();
    let texts: Vec<(String, String)> =
        found.iter().map(|message| (message.role.to_string(), message.text().to_string())).collect();
    let roles = |messages: &mut dyn Iterator<Item = &str>| messages.collect::<Vec<_>>().join(", ");
    let found_roles = roles(&mut texts.iter().map(|(role, _)| role.as_str()));
    let expected_roles = roles(&mut expected.iter().map(|(role, _)| *role));
    if found_roles != expected_roles {
        return Outcome::Failed(format!("expected the roles {expected_roles}; got {found_roles}"));
    }
    let mut pairs = texts.iter().zip(&expected);
    match pairs.find(|((_, found), (_, expected))| found != expected) {
        None => Outcome::Passed,
        Some(((_, found), (_, expected))) => {
            let same = found.chars().zip(expected.chars()).take_while(|(a, b)| a == b).count();
            let piece = |text: &str| -> String {
                text.chars().skip(same.saturating_sub(30)).take(80).collect()
            };
            let (wanted, got) = (piece(expected), piece(found));
            Outcome::Failed(format!("expected {wanted:?}; got {got:?}"))
        }
    }
}

impl Wild {
    fn new(case: &Case<'_>) -> Self {
        let home = case.folder.join("");
        let file = case.json["file"].as_str().unwrap();
        let text = std::fs::read_to_string(home.join(file)).unwrap();
        let folder = Folder::new();
        let prompts = folder.path().join("prompts");
        let (project, name) = file.split_once("__").unwrap();
        for entry in std::fs::read_dir(home.join("refs")).unwrap() {
            let entry = entry.unwrap();
            let referenced = entry.file_name().into_string().unwrap();
            let Some(rest) = referenced.strip_prefix(&format!("{project}__")) else { continue };
            let content = std::fs::read_to_string(entry.path()).unwrap();
            // The name of a file lists the folders above it. A prompt refers to the last, at most.
            let mut parts = rest.rsplit("__");
            let own = parts.next().unwrap();
            write(&prompts.join(own), &content);
            if let Some(above) = parts.next() {
                write(&folder.path().join(above).join(own), &content);
            }
        }
        let path = prompts.join(name);
        write(&path, &text);
        let environment = environment(&home.join("env.json"));
        let options = LoadOptions::new().environment(environment).allow_root(folder.path());
        Self { _folder: folder, path, text, options }
    }
}

fn environment(file: &Path) -> Vec<(String, String)> {
    let variables: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let variables = variables.as_object().unwrap().iter();
    variables.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect()
}
