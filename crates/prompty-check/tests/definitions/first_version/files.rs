//! Files with the samples of a prompt of the first version.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use prompty_core::value::Map;
use prompty_runtime::render::validate_inputs;

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("prompty-samples-{}-{number}", std::process::id()));
        fs::create_dir_all(folder.join("app")).unwrap();
        fs::write(folder.join("outside.json"), r#"{"stolen": "secret"}"#).unwrap();
        fs::write(folder.join("app/sample.json"), r#"{"q": "secret", "n": 2}"#).unwrap();
        fs::write(folder.join("app/list.json"), "[1]").unwrap();
        Self(folder)
    }

    fn app(&self) -> PathBuf {
        self.0.join("app")
    }

    fn load(&self, front_matter: &str) -> Result<Definition, Error> {
        let path = self.app().join("t.prompty");
        fs::write(&path, file(front_matter)).unwrap();
        Definition::from_path(path)
    }

    fn inspect(&self, front_matter: &str) -> Inspection {
        inspect(SourceText::new("t.prompty", file(front_matter)), Some(&self.app()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_sample_may_be_in_a_json_file() {
    let folder = Folder::new();
    for name in ["sample.json", "${file:sample.json}"] {
        let definition =
            folder.load(&format!("sample: {name}\ninputs: {{q: {{type: string}}}}")).unwrap();
        let inputs: Vec<_> =
            definition.inputs.iter().map(|it| (&*it.name, it.value_type.name())).collect();
        assert_eq!(inputs, [("q", "string"), ("n", "integer")], "{name}");
        assert!(!format!("{definition:?}").contains("secret"), "{definition:?}");
    }
}

#[test]
fn the_macros_and_the_loader_read_the_same_inputs() {
    let folder = Folder::new();
    let inspection = folder.inspect("sample: sample.json");
    assert_eq!(inspection.diagnostics.len(), 1);
    assert!(!inspection.open_inputs);
    assert_eq!(inspection.files, [folder.app().join("sample.json")]);
    let loaded = folder.load("sample: sample.json").unwrap();
    assert_eq!(inspection.definition.unwrap().inputs, loaded.inputs);
}

#[test]
fn without_a_folder_the_inputs_are_open() {
    assert!(inspected("sample: sample.json").open_inputs);
}

#[test]
fn a_file_outside_of_the_folder_and_a_missing_one_give_the_same_error() {
    let folder = Folder::new();
    for name in ["../outside.json", "missing.json"] {
        let error = folder.load(&format!("sample: {name}")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileReference);
        assert!(error.to_string().contains("outside allowed roots, or missing"), "{error}");
        let inspection = folder.inspect(&format!("sample: {name}"));
        let finding = &inspection.diagnostics[1];
        assert_eq!(finding.code, Code::MissingFile);
        assert!(finding.message.contains("outside"), "{}", finding.message);
    }
}

#[test]
fn a_file_without_samples_is_reported() {
    let folder = Folder::new();
    let inspection = folder.inspect("sample: list.json");
    assert_eq!(inspection.diagnostics[1].message, "`list.json` does not contain samples of inputs");
}

#[test]
fn migration_writes_the_samples_of_a_file_as_examples() {
    let folder = Folder::new();
    let options = LoadOptions::new().with_base_directory(folder.app());
    let text = file("inputs:\n  q:\n    type: string\nsample: sample.json");
    let migrated = migrate(&SourceText::new("t", text), &options).unwrap().unwrap();
    assert!(migrated.contains("example: secret"), "{migrated}");
    let definition = Definition::from_text(migrated).unwrap();
    assert_eq!(definition.inputs[1].example, Some(2.into()));
}
#[test]
fn an_input_of_a_file_is_shown_if_the_template_uses_it() {
    let folder = Folder::new();
    fs::write(folder.app().join("named.json"), r#"{"question": "hidden text"}"#).unwrap();
    let path = folder.app().join("named.prompty");
    let missing = |body: &str| {
        fs::write(&path, format!("---\nsample: named.json\n---\nuser:\n{body}")).unwrap();
        let definition = Definition::from_path(&path).unwrap();
        validate_inputs(&definition, &Map::new()).unwrap_err().to_string()
    };
    assert!(missing("{{ question }}").contains("missing required input `question`"));
    // The author did not write the name, but a word that contains it.
    assert!(missing("{{ questions }}").contains("missing required input `[REDACTED]`"));
}
