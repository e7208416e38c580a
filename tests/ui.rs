//! What the compiler says to each mistake in a prompt, and that it says nothing where there is none.
//!
//! Each folder of `tests/ui` is a topic; `fail_*.rs` holds one mistake and has its message beside
//! it, `pass_*.rs` holds none. Set `TRYBUILD=overwrite` to write the messages anew.
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

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The compiler that the `.stderr` files were made with. Another one may word its own part of a
/// message in another way, which is no fault of a prompt.
const COMPILER: &str = "rustc 1.95.";

/// Fewer cases than these mean that some were lost.
const FEWEST_FAILING: usize = 150;
const FEWEST_PASSING: usize = 25;

#[test]
fn every_case_says_what_it_should() {
    let cases = cases();
    let version = compiler_version();
    if !version.starts_with(COMPILER) {
        println!("skipped: the messages are those of {COMPILER}x, and this is {version}");
        return;
    }
    let harness = trybuild::TestCases::new();
    for case in &cases.passing {
        harness.pass(case);
    }
    for case in &cases.failing {
        harness.compile_fail(case);
    }
}

#[test]
fn no_topic_is_empty_and_no_message_is_missing_or_left_over() {
    let Cases { failing, passing } = cases();
    let updating = env::var_os("TRYBUILD").is_some();
    for case in &failing {
        let message = case.with_extension("stderr");
        assert!(updating || message.exists(), "{} has no message", case.display());
    }
    for message in files(&topics(), "stderr") {
        let case = message.with_extension("rs");
        assert!(case.exists(), "{} belongs to no case", message.display());
    }
    assert!(failing.len() >= FEWEST_FAILING, "only {} failing cases", failing.len());
    assert!(passing.len() >= FEWEST_PASSING, "only {} passing cases", passing.len());
}

#[test]
fn every_message_of_ours_has_a_help_line() {
    for message in files(&topics(), "stderr") {
        let text = fs::read_to_string(&message).unwrap();
        // rustc words its own errors, which have codes.
        let ours = text.starts_with("error: ") && !text.contains("invalid format string");
        assert!(!ours || text.contains("= help: "), "{} does not help", message.display());
    }
}

#[test]
fn no_message_mentions_generated_code() {
    for message in files(&topics(), "stderr") {
        let text = fs::read_to_string(&message).unwrap();
        for noise in ["__item", "the following other types", "PIPELINE", "StaticDefinition"] {
            assert!(!text.contains(noise), "{} speaks of `{noise}`", message.display());
        }
    }
}

struct Cases {
    failing: Vec<PathBuf>,
    passing: Vec<PathBuf>,
}

fn cases() -> Cases {
    let mut cases = Cases { failing: Vec::new(), passing: Vec::new() };
    for topic in topics() {
        let needed = [
            ("handlebars", cfg!(feature = "languages")),
            ("mustache", cfg!(feature = "languages")),
            ("semantic_kernel", cfg!(feature = "languages")),
            ("tools", cfg!(feature = "tools")),
        ];
        if needed.iter().any(|(name, there)| !there && topic.ends_with(name)) {
            println!("skipped: {} needs the feature of its name", topic.display());
            continue;
        }
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

/// The folders of `tests/ui`, relative to the package, sorted.
fn topics() -> Vec<PathBuf> {
    let folder = Path::new("tests/ui");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut topics: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    topics.sort();
    assert!(!topics.is_empty(), "no topics in {}", folder.display());
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
