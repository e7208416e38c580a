//! Model folders from strangers: the files that are read, and those that are refused.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use prompty_chat::ChatTemplates;
use prompty_core::ErrorKind;

/// A model's folder with a template in its configuration. It is deleted when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("prompty-chat-files-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("additional_chat_templates")).unwrap();
        fs::write(folder.join("tokenizer_config.json"), r#"{"chat_template": "x"}"#).unwrap();
        Self(folder)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    /// The kind of error for the folder.
    fn refused(&self) -> ErrorKind {
        ChatTemplates::from_path(&self.0).unwrap_err().kind()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const FILES: [&str; 4] = [
    "chat_template.jinja",
    "chat_template.json",
    "tokenizer_config.json",
    "additional_chat_templates/rag.jinja",
];

fn replace(path: &Path, make: impl FnOnce(&Path)) {
    let _ = fs::remove_file(path);
    make(path);
}

#[test]
fn no_file_of_a_model_may_be_a_pipe_or_a_device() {
    for file in FILES {
        let folder = Folder::new();
        replace(&folder.path(file), |path| {
            assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        });
        assert_eq!(folder.refused(), ErrorKind::FileNotFound, "{file}");
        replace(&folder.path(file), |path| {
            std::os::unix::fs::symlink("/dev/zero", path).unwrap();
        });
        assert_eq!(folder.refused(), ErrorKind::FileNotFound, "{file}");
    }
}

#[test]
fn no_file_of_a_model_may_have_gigabytes() {
    for file in FILES {
        let folder = Folder::new();
        replace(&folder.path(file), |path| File::create(path).unwrap().set_len(10 << 30).unwrap());
        assert_eq!(folder.refused(), ErrorKind::Limit, "{file}");
    }
}

#[test]
fn the_files_of_a_model_share_one_limit() {
    let folder = Folder::new();
    for number in 0..20 {
        let path = folder.path(&format!("additional_chat_templates/{number}.jinja"));
        fs::write(path, "x".repeat(1 << 20)).unwrap();
    }
    assert_eq!(folder.refused(), ErrorKind::Limit);
}

#[test]
fn a_model_may_not_have_any_number_of_templates() {
    let folder = Folder::new();
    for number in 0..1_001 {
        fs::write(folder.path(&format!("additional_chat_templates/{number}.jinja")), "x").unwrap();
    }
    assert_eq!(folder.refused(), ErrorKind::Limit);
}

#[test]
fn a_configuration_may_not_have_any_number_of_values() {
    let folder = Folder::new();
    let values = "0,".repeat(1_000_000);
    fs::write(folder.path("tokenizer_config.json"), format!("[{values}0]")).unwrap();
    assert_eq!(folder.refused(), ErrorKind::Conversion);
}

#[test]
fn a_folder_of_templates_that_cannot_be_read_is_an_error() {
    let templates = "additional_chat_templates";
    let folder = Folder::new();
    fs::remove_dir(folder.path(templates)).unwrap();
    assert!(ChatTemplates::from_path(&folder.0).is_ok());
    fs::write(folder.path(templates), "x").unwrap();
    assert_eq!(folder.refused(), ErrorKind::FileNotFound);
    replace(&folder.path(templates), |path| std::os::unix::fs::symlink(path, path).unwrap());
    assert_eq!(folder.refused(), ErrorKind::FileNotFound);
}

#[test]
fn a_file_of_a_template_that_cannot_be_read_is_an_error() {
    let folder = Folder::new();
    let path = folder.path("additional_chat_templates/rag.jinja");
    std::os::unix::fs::symlink("nothing", &path).unwrap();
    assert_eq!(folder.refused(), ErrorKind::FileNotFound);
    replace(&path, |path| fs::write(path, b"\xff").unwrap());
    assert_eq!(folder.refused(), ErrorKind::FileNotFound);
}

#[test]
fn a_file_name_of_a_template_that_is_not_utf_8_is_an_error() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let name = std::ffi::OsStr::from_bytes(b"additional_chat_templates/a\xff.jinja");
    fs::write(folder.0.join(name), "x").unwrap();
    assert_eq!(folder.refused(), ErrorKind::Conversion);
}

/// The kind of error of a `tokenizer_config.json` with these chat templates.
fn config_error(templates: &str) -> Option<ErrorKind> {
    let config = format!(r#"{{"chat_template": {templates}}}"#);
    ChatTemplates::from_tokenizer_config(&config).err().map(|error| error.kind())
}

#[test]
fn two_templates_with_one_name_are_an_error() {
    let named = |name| format!(r#"{{"name": "{name}", "template": "x"}}"#);
    assert_eq!(config_error(&format!("[{}, {}]", named("a"), named("b"))), None);
    let twice = config_error(&format!("[{}, {}]", named("a"), named("a")));
    assert_eq!(twice, Some(ErrorKind::Conversion));
}

#[test]
fn a_template_without_a_name_or_a_text_is_an_error() {
    for item in [r#"{"name": "a"}"#, r#"{"template": "x"}"#, r#"{"name": "a", "template": 1}"#, "1"]
    {
        let templates = format!(r#"[{{"name": "b", "template": "x"}}, {item}]"#);
        assert_eq!(config_error(&templates), Some(ErrorKind::Conversion), "{item}");
    }
    assert_eq!(config_error(r#"{"a": "x", "b": 1}"#), Some(ErrorKind::Conversion));
    assert_eq!(config_error("5"), Some(ErrorKind::Conversion));
}

#[test]
fn a_response_schema_counts_if_the_response_template_is_null() {
    let load = |template: &str| {
        let schema = r#"{"type": "object", "properties": {"content": {"x-regex": "(.*)<end>"}}}"#;
        let config = format!(
            r#"{{"chat_template": "x", "response_template": {template}, "response_schema": {schema}}}"#
        );
        let templates = ChatTemplates::from_tokenizer_config(&config).unwrap();
        format!("{:?}", templates.choose(None, false).unwrap())
    };
    assert!(load("null").contains("x-regex"));
    assert!(!load("{}").contains("x-regex"));
}
