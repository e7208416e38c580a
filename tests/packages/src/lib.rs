//! For tests: packages outside of the workspace, built with the versions of its lock file.
//!
//! Tests run in parallel, and cargo rewrites the lock file of each package that it builds.
//! Therefore each test has its own folder: tests that shared one would read half-written files.
//!
//! All packages build into the target folder of trybuild and with its settings, because the
//! procedural macros and their dependencies take longer to build than the packages. With the same
//! features, they are built once.
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "in a test, a panic is a failure"
)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The features of the facade for a manifest: all features that the procedural macros know, and
/// more.
pub const ALL_FEATURES: &str =
    r#""inventory", "languages", "local", "output", "slots", "tools", "wire""#;

/// The flags that trybuild passes to rustc. With other flags, a package does not share its build.
const FLAGS: [&str; 6] =
    ["--cfg", "trybuild", "--verbose", "-A", "dead_code", "--diagnostic-width=140"];

/// A package in a folder that only one test uses.
#[derive(Debug)]
pub struct Package {
    folder: PathBuf,
    target: PathBuf,
}

impl Package {
    /// Creates a package without files in the folder `name` of `scratch`, which is the folder
    /// `CARGO_TARGET_TMPDIR` of the test. Files of an earlier run stay, so that an unchanged
    /// package is not built again.
    #[must_use]
    pub fn new(scratch: &Path, name: &str) -> Self {
        let target = scratch.parent().unwrap().join("tests/trybuild");
        let package = Self { folder: scratch.join(name), target };
        let (versions, lock) = (workspace().join("Cargo.lock"), package.folder.join("Cargo.lock"));
        // Cargo adds dependencies of only this package, which stay until the versions change.
        let is_new = |lock: &Path| Some(modified(lock)? >= modified(&versions)?);
        if is_new(&lock) != Some(true) {
            package.write("Cargo.lock", fs::read(versions).unwrap());
        }
        package
    }

    /// Creates a copy of `tests/fixtures/<fixture>`, which only the test named `test` uses.
    #[must_use]
    pub fn copy(scratch: &Path, fixture: &str, test: &str) -> Self {
        let package = Self::new(scratch, &format!("{fixture}-{test}"));
        let source = workspace().join("tests/fixtures").join(fixture);
        for file in files(&source) {
            let name = file.strip_prefix(&source).unwrap();
            match name.extension().and_then(|it| it.to_str()) {
                Some("rs" | "toml") => {
                    let text = fs::read_to_string(&file).unwrap();
                    package.write(name, package.redirect_paths(name, &source, &text));
                }
                Some("lock") => {}
                _ => package.write(name, fs::read(&file).unwrap()),
            }
        }
        package
    }

    /// The folder of the package.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Changes the relative paths to the workspace in a text of the fixture, so that they are valid
    /// in the copy. `name` is the file of the text.
    fn redirect_paths(&self, name: &Path, source: &Path, text: &str) -> String {
        let steps = |file: PathBuf| file.parent().unwrap().components().count();
        let from_source = steps(source.join(name)) - workspace().components().count();
        let to_the_top = steps(self.folder.canonicalize().unwrap().join(name)) - 1;
        let inside = workspace().strip_prefix("/").unwrap().display();
        let from_copy = format!("{}{inside}", "../".repeat(to_the_top));
        text.replace("../".repeat(from_source).trim_end_matches('/'), &from_copy)
    }

    /// Writes a file if its text has changed, so that an unchanged package is not built again.
    pub fn write(&self, name: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let file = self.folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        if fs::read(&file).ok().as_deref() != Some(text.as_ref()) {
            fs::write(file, text).unwrap();
        }
    }

    /// A cargo command in the folder of the package, offline and with the flags of trybuild.
    #[must_use]
    pub fn cargo(&self, command: &str) -> Command {
        let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut cargo = Command::new(program);
        cargo.current_dir(&self.folder).args([command, "--offline", "--quiet"]);
        cargo.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}")).env("CARGO_INCREMENTAL", "0");
        cargo.env("CARGO_TARGET_DIR", &self.target).env("CARGO_BUILD_TARGET", host());
        cargo
    }

    /// The path of a program that cargo built.
    #[must_use]
    pub fn program(&self, name: &str) -> PathBuf {
        let file = format!("{name}{}", env::consts::EXE_SUFFIX);
        self.target.join(host()).join("debug").join(file)
    }
}

/// The platform of this machine.
fn host() -> String {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).args(["--print", "host-tuple"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The folder of the workspace.
#[must_use]
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

fn modified(file: &Path) -> Option<impl PartialOrd> {
    fs::metadata(file).ok()?.modified().ok()
}

/// The files of a folder, without those that cargo built there.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let written = entries.filter(|path| !path.ends_with("target"));
    written.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
