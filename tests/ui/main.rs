//! What the compiler says to each mistake in a prompt, and that it accepts prompts without one.
//!
//! Each folder here is a topic. `fail_*.rs` has one mistake. What rustc reports is next to it in
//! `.stderr`, and what the macros alone report is in `.snap`: a test of `prompty-expand` compares that,
//! without a compiler. A case has one of the two, or both. `pass_*.rs` has no mistake; it is a module of
//! this program (`passing.rs`). Set `TRYBUILD=overwrite` to write the files `.stderr` again.
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

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// The compiler that the `.stderr` files were made with. Another one may word its own part of a
/// message in another way, which is no fault of a prompt.
const COMPILER: &str = "rustc 1.95.";

/// Fewer cases than these mean that some were lost.
const FEWEST_FAILING: usize = 400;
const FEWEST_COMPILED: usize = 100;
const FEWEST_PASSING: usize = 60;

/// The modules of the cases that pass.
const MODULES: &str = include_str!("passing.rs");

mod passing;

#[test]
fn the_compiler_reports_what_each_case_expects() {
    let version = compiler_version();
    if !version.starts_with(COMPILER) {
        println!("skipped: the messages are those of {COMPILER}x, and this is {version}");
        return;
    }
    // If all cases fail, one run of cargo checks all of them.
    let harness = trybuild::TestCases::new();
    for case in compiled(&cases().failing) {
        harness.compile_fail(case);
    }
}

#[test]
fn every_case_has_its_messages_and_every_message_has_its_case() {
    let Cases { failing, passing } = cases();
    for case in &failing {
        let has_message = MESSAGES.iter().any(|ending| case.with_extension(ending).exists());
        assert!(has_message, "{} has no `.snap` and no `.stderr`", case.display());
    }
    for message in messages() {
        let case = message.with_extension("rs");
        assert!(case.exists(), "{} belongs to no case", message.display());
    }
    for case in &passing {
        let path = case.to_str().unwrap();
        assert!(MODULES.contains(&format!("\"{path}\"")), "{path} is not in `passing.rs`");
    }
    let compiled = compiled(&failing).count();
    assert!(failing.len() >= FEWEST_FAILING, "only {} failing cases", failing.len());
    assert!(compiled >= FEWEST_COMPILED, "only {compiled} cases for the compiler");
    assert!(passing.len() >= FEWEST_PASSING, "only {} passing cases", passing.len());
}

#[test]
fn every_message_of_ours_has_a_help_line() {
    for message in messages() {
        let text = fs::read_to_string(&message).unwrap();
        // rustc words its own errors, which have codes.
        let ours = message.extension().is_some_and(|it| it == "snap")
            || text.starts_with("error: ") && !text.contains("invalid format string");
        assert!(!ours || text.contains("= help: "), "{} does not help", message.display());
    }
}

#[test]
fn no_message_mentions_generated_code() {
    for message in messages() {
        let text = fs::read_to_string(&message).unwrap();
        for noise in ["__item", "the following other types", "PIPELINE", "StaticDefinition"] {
            assert!(!text.contains(noise), "{} speaks of `{noise}`", message.display());
        }
    }
}

/// The endings of files with messages: of the macros alone, and of rustc.
const MESSAGES: [&str; 2] = ["snap", "stderr"];

/// All files with messages.
fn messages() -> impl Iterator<Item = PathBuf> {
    MESSAGES.into_iter().flat_map(|ending| files(&topics(), ending))
}

/// The cases that need the compiler.
fn compiled(failing: &[PathBuf]) -> impl Iterator<Item = &PathBuf> {
    failing.iter().filter(|case| case.with_extension("stderr").exists())
}

struct Cases {
    failing: Vec<PathBuf>,
    passing: Vec<PathBuf>,
}

fn cases() -> Cases {
    let mut cases = Cases { failing: Vec::new(), passing: Vec::new() };
    for topic in topics() {
        let found = files(std::slice::from_ref(&topic), "rs");
        assert!(!found.is_empty(), "the topic {} has no cases", topic.display());
        for case in found {
            let name = case.file_name().unwrap().to_str().unwrap();
            match name.split('_').next() {
                Some("fail") => cases.failing.push(case),
                Some("pass") => cases.passing.push(case),
                _ => panic!("{} is neither `fail_*` nor `pass_*`", case.display()),
            }
        }
    }
    cases
}

/// The folders of the topics, relative to the package, sorted.
fn topics() -> Vec<PathBuf> {
    let entries = fs::read_dir(".").unwrap().map(|entry| entry.unwrap());
    // trybuild writes what it cannot compare into `wip`.
    let folders = entries.filter(|entry| entry.path().is_dir() && entry.file_name() != "wip");
    let mut topics: Vec<PathBuf> = folders.map(|folder| folder.file_name().into()).collect();
    topics.sort();
    assert!(!topics.is_empty(), "no folder has cases");
    topics
}

fn files(topics: &[PathBuf], extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for topic in topics {
        let entries = fs::read_dir(topic).unwrap().map(|entry| entry.unwrap().path());
        files.extend(entries.filter(|path| path.extension().is_some_and(|it| it == extension)));
    }
    files.sort();
    files
}

fn compiler_version() -> String {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).arg("--version").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
