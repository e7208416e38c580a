//! Prompts in files, and the files that they refer to.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use prompty_check::definition::{Definition, LoadOptions};
use prompty_core::{Error, ErrorKind};

/// A temporary folder with `app/` for the prompt and `outside/` next to it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "prompty-files-{}-{}",
            std::process::id(),
            NUMBER.fetch_add(1, Ordering::Relaxed)
        );
        let folder = Self(std::env::temp_dir().join(name));
        fs::create_dir_all(folder.0.join("app/sub")).unwrap();
        fs::create_dir_all(folder.0.join("outside")).unwrap();
        fs::write(folder.0.join("outside/secret.txt"), "secret").unwrap();
        folder
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(path), text).unwrap();
    }

    /// Loads a prompt whose description is a reference.
    fn describe(&self, reference: &str, options: &LoadOptions) -> Result<Definition, Error> {
        self.write("app/p.prompty", format!("---\nmetadata: {{x: '{reference}'}}\n---\nHi"));
        Definition::from_path_with(self.path("app/p.prompty"), options)
    }

    fn value(&self, reference: &str) -> String {
        let definition = self.describe(reference, &LoadOptions::new()).unwrap();
        definition.metadata.get("x").unwrap().to_string()
    }

    fn error(&self, reference: &str) -> Error {
        self.describe(reference, &LoadOptions::new()).unwrap_err()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_prompt_is_loaded_from_its_path() {
    let folder = Folder::new();
    folder.write("app/p.prompty", "---\r\nname: p\r\n---\r\nHi\r\n");
    let definition = Definition::from_path(folder.path("app/p.prompty")).unwrap();
    assert_eq!(definition.instructions, "Hi");
    assert!(definition.source.name().ends_with("p.prompty"));
}

#[test]
fn a_prompt_file_that_is_missing_a_folder_or_not_text_is_an_error() {
    let folder = Folder::new();
    folder.write("app/bytes.prompty", [0xff, 0xfe]);
    for path in ["app/none.prompty", "app", "app/bytes.prompty"] {
        let error = Definition::from_path(folder.path(path)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileNotFound, "{error}");
    }
}

#[test]
fn a_prompt_may_be_named_by_its_bare_file_name() {
    // The tests run in the package's folder, which contains this file.
    let definition = Definition::from_path(Path::new("Cargo.toml")).unwrap();
    assert!(definition.instructions.contains("prompty-runtime"));
}

#[test]
fn a_file_is_read_according_to_its_extension() {
    let folder = Folder::new();
    folder.write("app/sub/a.json", r#"{"smile": "\ud83d\ude00", "n": [1.5, null]}"#);
    folder.write("app/sub/b.YML", "- 1\n- yes\n");
    folder.write("app/sub/c.txt", "one\r\ntwo");
    assert_eq!(
        folder.value("${file:sub/a.json}"),
        "{\"smile\": \"\u{1F600}\", \"n\": [1.5, null]}"
    );
    assert_eq!(folder.value("${file:sub/b.YML}"), r#"[1, "yes"]"#);
    assert_eq!(folder.value("${file:./sub/../sub/c.txt}"), "one\r\ntwo");
}

#[test]
fn values_of_a_file_are_never_resolved() {
    let folder = Folder::new();
    folder.write("app/a.json", r#"["${env:PATH}"]"#);
    assert_eq!(folder.value("${file:a.json}"), r#"["${env:PATH}"]"#);
}

#[test]
fn no_path_leads_out_of_the_prompts_folder() {
    let folder = Folder::new();
    let absolute = folder.path("outside/secret.txt").display().to_string();
    for path in [
        absolute.as_str(),
        "../outside/secret.txt",
        "sub/../../outside/secret.txt",
        "../none.txt",
        "/none",
    ] {
        let error = folder.error(&format!("${{file:{path}}}"));
        assert_eq!(error.kind(), ErrorKind::FileReference);
        assert!(error.to_string().contains("outside allowed roots"), "{error}");
        assert!(error.place().is_some());
    }
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_prompts_folder() {
    let folder = Folder::new();
    std::os::unix::fs::symlink(folder.path("outside"), folder.path("app/link")).unwrap();
    assert!(folder.error("${file:link/secret.txt}").to_string().contains("outside allowed roots"));
    std::os::unix::fs::symlink(folder.path("app/sub"), folder.path("app/inner")).unwrap();
    folder.write("app/sub/c.txt", "fine");
    assert_eq!(folder.value("${file:inner/c.txt}"), "fine");
}

/// All texts of an error and its causes.
fn all_of(error: &Error) -> String {
    use std::error::Error as _;

    format!("{error:?} {:?} {:?}", error.help(), error.source().map(ToString::to_string))
}

#[test]
fn an_error_does_not_tell_whether_a_file_outside_exists() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("outside/folder")).unwrap();
    #[cfg(unix)]
    {
        let outside = folder.path("outside");
        std::os::unix::fs::symlink(&outside, folder.path("app/link")).unwrap();
        std::os::unix::fs::symlink(outside.join("secret.txt"), folder.path("app/file")).unwrap();
        std::os::unix::fs::symlink(outside.join("none.txt"), folder.path("app/none")).unwrap();
        folder.write("outside/bytes.txt", [0xff]);
        folder.write("outside/long.txt", "x".repeat((1 << 20) + 1));
        let pipe = folder.path("outside/pipe");
        assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    }
    let message = |path: &str| {
        let error = folder.error(&format!("${{file:{path}}}"));
        assert_eq!(error.kind(), ErrorKind::FileReference);
        all_of(&error).replace(&format!("`{path}`"), "PATH")
    };
    let missing = message("none.txt");
    for base in ["../outside", "link"] {
        for name in
            ["secret.txt", "none.txt", "folder", "secret.txt/x", "bytes.txt", "long.txt", "pipe"]
        {
            let path = format!("{base}/{name}");
            assert_eq!(message(&path), missing, "{path}");
        }
    }
    for path in ["file", "none", "link", "/dev/zero", "/none", ".."] {
        assert_eq!(message(path), missing, "{path}");
    }
}

/// A prompt and a reference that are not regular files. Neither may block the program. If one does,
/// the test hangs and fails.
#[cfg(unix)]
#[test]
fn neither_a_prompt_nor_a_reference_may_be_a_pipe_or_a_device() {
    let folder = Folder::new();
    let pipe = folder.path("app/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", folder.path("app/zero")).unwrap();
    folder.write("app/a.prompty", "---\nname: ${file:pipe}\n---\n");
    folder.write("app/b.prompty", "---\nname: ${file:zero}\n---\n");
    for (path, kind) in [
        ("app/pipe", ErrorKind::FileNotFound),
        ("app/zero", ErrorKind::FileNotFound),
        ("app/a.prompty", ErrorKind::FileReference),
        ("app/b.prompty", ErrorKind::FileReference),
    ] {
        let error = Definition::from_path(folder.path(path)).unwrap_err();
        assert_eq!(error.kind(), kind);
    }
}

#[test]
fn the_host_may_allow_another_folder_or_none() {
    let folder = Folder::new();
    let allowed = LoadOptions::new().with_root(folder.path("outside"));
    let definition = folder.describe("${file:../outside/secret.txt}", &allowed).unwrap();
    assert_eq!(definition.metadata.get("x").unwrap().to_string(), "secret");
    folder.write("app/a.txt", "a");
    let error = folder.describe("${file:a.txt}", &LoadOptions::new().without_files()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FileReference);
}

#[test]
fn a_missing_too_large_or_malformed_file_is_an_error_with_its_path() {
    let folder = Folder::new();
    folder.write("app/bad.json", "{\"a\": \n x}");
    folder.write("app/bad.yaml", "a: [b");
    folder.write("app/bytes.txt", [0xff]);
    folder.write("app/long.txt", "x".repeat((1 << 20) + 1));
    for (path, expected) in [
        ("none.txt", "the file reference `none.txt` is outside allowed roots, or missing"),
        ("sub", "`sub` is not a file"),
        ("bad.json", "`bad.json` is not valid JSON: expected a value at bad.json:2:2"),
        ("bad.yaml", "`bad.yaml` is not valid YAML: "),
        ("bytes.txt", "the referenced file `bytes.txt` is not UTF-8 text"),
        ("long.txt", "the referenced file `long.txt` is longer than 1048576 bytes"),
    ] {
        let error = folder.error(&format!("${{file:{path}}}"));
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

#[test]
fn files_cannot_exceed_the_limits_of_the_tree() {
    let folder = Folder::new();
    folder.write("app/a.json", format!("[{}0]", "0,".repeat(9_999)));
    let many = "    - ${file:a.json}\n".repeat(100);
    folder.write("app/p.prompty", format!("---\nmetadata:\n  x:\n{many}---\n"));
    let error = Definition::from_path(folder.path("app/p.prompty")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn a_long_file_cannot_be_copied_many_times() {
    let folder = Folder::new();
    folder.write("app/a.txt", "x".repeat(1_000_000));
    let many = "    - ${file:a.txt}\n".repeat(100);
    folder.write("app/p.prompty", format!("---\nmetadata:\n  x:\n{many}---\n"));
    let error = Definition::from_path(folder.path("app/p.prompty")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn a_prompt_from_text_needs_a_folder_to_refer_to_files() {
    let folder = Folder::new();
    folder.write("app/name.txt", "Jane");
    let text = "---\nname: ${file:name.txt}\n---\n";
    let error = Definition::from_text(text).unwrap_err();
    assert!(error.to_string().contains("has no base folder"), "{error}");
    let options = LoadOptions::new().with_base_directory(folder.path("app"));
    let definition = Definition::from_text_with("t", text, &options).unwrap();
    assert_eq!(definition.name.as_deref(), Some("Jane"));
}

#[test]
fn a_key_from_a_file_is_not_sent_to_an_endpoint_of_the_prompt() {
    let folder = Folder::new();
    folder.write("app/secret.txt", "sk-verysecret");
    folder.write("app/headers.json", r#"{"x-key": "sk-verysecret"}"#);
    for connection in [
        "kind: key, endpoint: 'https://evil.example', apiKey: '${file:secret.txt}'",
        "kind: anonymous, endpoint: 'https://evil.example', headers: '${file:headers.json}'",
        "kind: mine, host: evil.example, password: '${file:secret.txt}'",
    ] {
        for owner in ["model: {", "tools: [{name: t, kind: mcp, "] {
            let end = if owner.contains('[') { "}]" } else { "}" };
            let text = format!("---\n{owner}connection: {{{connection}}}{end}\n---\n");
            folder.write("app/p.prompty", &text);
            let error = Definition::from_path(folder.path("app/p.prompty")).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UntrustedEndpoint, "{text}");
            let options = LoadOptions::new().with_trusted_endpoint("https://evil.example");
            let trusted = Definition::from_path_with(folder.path("app/p.prompty"), &options);
            assert_eq!(trusted.is_ok(), text.contains("https:"), "{text}");
        }
    }
}

#[test]
fn a_file_may_choose_the_endpoint_of_its_own_key() {
    let folder = Folder::new();
    let own = r#"{"kind": "key", "endpoint": "https://mine.example", "apiKey": "mine"}"#;
    folder.write("app/c.json", own);
    folder.write("app/p.prompty", "---\nmodel: {connection: '${file:c.json}'}\n---\n");
    Definition::from_path(folder.path("app/p.prompty")).unwrap();
    // A value of another file must not be sent there.
    folder.write("app/other.txt", "sk-verysecret");
    folder.write(
        "app/p.prompty",
        "---\nmodel: {id: '${file:other.txt}', connection: '${file:c.json}'}\n---\n",
    );
    let error = Definition::from_path(folder.path("app/p.prompty")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UntrustedEndpoint);
    assert!(!error.to_string().contains("mine.example"), "{error}");
}

#[test]
fn an_endpoint_from_a_file_is_the_prompts_own_choice() {
    let folder = Folder::new();
    folder.write("app/c.json", r#"{"kind": "foundry", "endpoint": "https://evil.example"}"#);
    folder.write("app/p.prompty", "---\nmodel: {connection: '${file:c.json}'}\n---\n");
    let error = Definition::from_path(folder.path("app/p.prompty")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UntrustedEndpoint);
    assert_eq!(error.place().unwrap().column, 21);
}
