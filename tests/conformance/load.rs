//! Loads a prompt with variables, files in its folder, and trusted endpoints.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use prompty_check::definition::{Definition, LoadOptions};
use prompty_core::Error;
use serde_json::Value;

use crate::compare::listed_keys;
use crate::frame::{Case, Outcome};

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let result = load(case);
    if let Some(outcome) = case.expected_error(&result) {
        return outcome;
    }
    let definition = match result {
        Ok(definition) => definition,
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    let found: Value = serde_json::to_value(definition.to_value()).unwrap();
    match listed_keys(&found, &case.json["expect"]["agent"], "agent") {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why),
    }
}

fn load(case: &Case<'_>) -> Result<Definition, Error> {
    let options = options(case);
    if let Some(fixture) = case.given("fixture").as_str() {
        return Definition::from_path_with(case.folder.join("fixtures").join(fixture), &options);
    }
    let folder = Folder::new();
    let home = folder.0.join(case.given("agent_subdir").as_str().unwrap_or_default());
    let files = case.given("files").as_object();
    for (path, content) in files.into_iter().flatten() {
        write(&home.join(path), &content.to_string());
    }
    let path = home.join("case.prompty");
    write(&path, &source(case));
    Definition::from_path_with(path, &options)
}

/// The text of the prompt. The front matter of the case is JSON, which is a subset of YAML.
pub(crate) fn source(case: &Case<'_>) -> String {
    match case.given("text").as_str() {
        Some(text) => text.to_owned(),
        None => format!("---\n{}\n---\n", case.given("frontmatter")),
    }
}

fn options(case: &Case<'_>) -> LoadOptions {
    let variables = case.given("env").as_object().into_iter().flatten();
    let variables = variables.map(|(name, value)| (name, value.as_str().unwrap()));
    let origins = case.given("trusted_endpoints").as_array().into_iter().flatten();
    origins
        .map(|origin| origin.as_str().unwrap())
        .fold(LoadOptions::new().with_environment(variables), LoadOptions::with_trusted_endpoint)
}

pub(crate) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A folder for one case, which is deleted at the end of the case.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("prompty-conformance-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
