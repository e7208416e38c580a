//! Generated code does not lean on the names, the lints or the facade's name in the user's crate.
//!
//! Each crate of `tests/fixtures` uses every form of a prompt; it stands outside of the workspace,
//! since there the facade has another name or all lints are errors.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "in a test, a panic is a failure and what is printed is read"
)]

use std::path::Path;
use std::process::Command;
use std::{env, fs};

#[test]
fn a_renamed_facade_and_no_prelude() {
    cargo("check", "renamed");
}

#[test]
fn strict_lints_and_shadowed_names() {
    cargo("check", "strict");
}

#[test]
fn clippy_finds_nothing_in_generated_code() {
    let there = Command::new(program()).args(["clippy", "--version"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no clippy here");
        return;
    }
    cargo("clippy", "strict");
}

/// Runs cargo on a fixture, without a network and with the workspace's versions.
fn cargo(command: &str, fixture: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests/fixtures").join(fixture);
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let output = Command::new(program())
        .args([command, "--offline", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target().join("tests/fixtures"))
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {command} on {fixture}:\n{said}");
}

fn program() -> std::ffi::OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The workspace's target folder: this test lies in `<target>/<profile>/deps`.
fn target() -> std::path::PathBuf {
    let test = env::current_exe().unwrap();
    test.ancestors().nth(3).unwrap().to_path_buf()
}
