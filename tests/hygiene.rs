//! Rules for code. Generated code depends neither on names and lints of the user's crate nor on the
//! name of the facade. No test reads a clock. Only one module reads files.
//!
//! Each crate of `tests/fixtures` uses every form of a prompt. It is outside of the workspace,
//! because it renames the facade or denies all lints.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "in a test, a panic is a failure, and the output is for people"
)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use packages::Package;

#[test]
fn generated_code_compiles_with_a_renamed_facade_and_no_prelude() {
    cargo("check", "renamed");
}

#[test]
fn generated_code_compiles_with_strict_lints_and_shadowed_names() {
    cargo("check", "strict");
}

#[test]
fn clippy_finds_nothing_in_generated_code() {
    let version = Command::new(program()).args(["clippy", "--version"]).output();
    if !version.is_ok_and(|output| output.status.success()) {
        println!("skipped: clippy is not installed");
        return;
    }
    cargo("clippy", "strict");
}

/// A test that reads a clock fails on a busy machine and passes on a fast one. Tests count work
/// instead, with `tests/work-counting`. Only benchmarks measure time.
#[test]
fn no_test_reads_a_clock() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut checked, mut found) = (0, Vec::new());
    for file in rust_files(root) {
        let name = file.strip_prefix(root).unwrap().to_owned();
        if MAY_READ_A_CLOCK.iter().any(|known| name == Path::new(known)) {
            continue;
        }
        checked += 1;
        let text = fs::read_to_string(&file).unwrap();
        let lines = text.lines().enumerate();
        let code = lines.filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (number, line) in code.filter(|(_, line)| reads_a_clock(line)) {
            found.push(format!("{}:{}: {}", name.display(), number + 1, line.trim()));
        }
    }
    assert!(checked > 100, "checked only {checked} files");
    assert!(found.is_empty(), "these lines read a clock:\n{}", found.join("\n"));
}

#[test]
fn similar_words_are_not_mistaken_for_a_clock() {
    assert!(reads_a_clock("let start = std::time::Instant::now();"));
    assert!(reads_a_clock("start.elapsed()"));
    assert!(reads_a_clock("let now = SystemTime::now();"));
    assert!(!reads_a_clock("let later = SystemTime::UNIX_EPOCH + Duration::from_secs(3_600);"));
    assert!(!reads_a_clock("let instantaneous = Instantiated::new();"));
}

/// A path may lead to a pipe, a device, a file of any length or out of the allowed folders. Only
/// `prompty_core::files` knows how to read one.
#[test]
fn only_one_module_reads_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let module = Path::new("prompty-core/src/files");
    let (mut checked, mut found) = (0, Vec::new());
    for file in rust_files(root) {
        let name = file.strip_prefix(root).unwrap().to_owned();
        let is_in = |folder: &str| name.components().any(|part| part.as_os_str() == folder);
        let is_library = is_in("src") && !["tests", "fuzz", "examples"].into_iter().any(is_in);
        if !is_library || name.starts_with(module) {
            continue;
        }
        checked += 1;
        let text = fs::read_to_string(&file).unwrap();
        // Tests are at the end of a file.
        let lines = text.lines().take_while(|line| !line.starts_with("#[cfg(all(test"));
        let code = lines.enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (number, line) in code.filter(|(_, line)| opens_a_file(line)) {
            found.push(format!("{}:{}: {}", name.display(), number + 1, line.trim()));
        }
    }
    assert!(checked > 100, "checked only {checked} files");
    assert!(found.is_empty(), "these lines read files:\n{}", found.join("\n"));
}

#[test]
fn similar_words_are_not_mistaken_for_reading_a_file() {
    assert!(opens_a_file("let text = std::fs::read_to_string(path)?;"));
    assert!(opens_a_file("use std::fs::{self, File};"));
    assert!(opens_a_file("use std::{env, fs};"));
    assert!(opens_a_file("let file = File::open(path)?;"));
    assert!(opens_a_file("for entry in folder.read_dir()? {"));
    assert!(!opens_a_file("let text = read_text(path, Within::AnyFolder, limit)?;"));
    assert!(!opens_a_file("Self::File => Rich::File(Media::from_value(value)?),"));
    assert!(!opens_a_file("mod files;"));
}

/// Whether a line can open a file: it names the module `fs` of the standard library, or one of its
/// functions.
fn opens_a_file(line: &str) -> bool {
    let mut words = line.split(|it: char| !it.is_alphanumeric() && it != '_');
    let is_function = |word| matches!(word, "fs" | "OpenOptions" | "read_dir" | "read_to_end");
    words.any(is_function) || line.contains("File::open")
}

/// Files that may read a clock: the template function that returns the date, the examples that wait
/// until a date that the provider sends, and this test.
const MAY_READ_A_CLOCK: [&str; 4] = [
    "examples/chat/src/provider.rs",
    "examples/service/src/provider.rs",
    "crates/prompty-chat/src/engine/clock.rs",
    "tests/hygiene.rs",
];

/// Whether a line reads a clock. A constant time is not a clock.
fn reads_a_clock(line: &str) -> bool {
    let mut words = line.split(|it: char| !it.is_alphanumeric() && it != '_');
    words.any(|word| matches!(word, "Instant" | "elapsed")) || line.contains("SystemTime::now")
}

/// The Rust files of the workspace and of the fuzz targets, without the benchmarks.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            let is_other = name.starts_with('.') || name == "target" || name == "benches";
            files.extend(if is_other { Vec::new() } else { rust_files(&path) });
        } else if name.ends_with(".rs") {
            files.push(path);
        }
    }
    files
}

/// Runs cargo on a copy of a fixture. No other test uses this copy.
fn cargo(command: &str, fixture: &str) {
    let package = Package::copy(Path::new(env!("CARGO_TARGET_TMPDIR")), fixture, command);
    let output = package.cargo(command).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {command} on {fixture}:\n{stderr}");
}

fn program() -> std::ffi::OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}
