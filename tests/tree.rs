//! What a program links if its prompts are compiled or its chat template is known, and the error if
//! that is not enough.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "in a test, a panic is a failure and what is printed is read"
)]

use std::path::{Path, PathBuf};
use std::process::Output;
use std::{env, fs};

use packages::Package;

/// The crates that compiled prompts do not need: template engines, serde, JSON, YAML, randomness.
const NOT_LINKED: [&str; 9] = [
    "aho-corasick",
    "granit-parser",
    "inventory",
    "minijinja",
    "rand",
    "serde_core",
    "serde_json",
    "strsim",
    "tracing",
];

#[test]
fn compiled_prompts_link_no_template_engine() {
    let output =
        cargo("compiled", "tree", &["tree", "-e", "normal,no-proc-macro", "--prefix", "none"]);
    let Some(output) = or_skipped(output) else { return };
    let tree = String::from_utf8(output.stdout).unwrap();
    let linked: Vec<&str> =
        tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(linked.contains(&"prompty-runtime"), "this is no tree:\n{tree}");
    for name in NOT_LINKED {
        assert!(!linked.contains(&name), "`{name}` is linked:\n{tree}");
    }
}

#[test]
fn compiled_prompts_work_without_a_template_engine() {
    let Some(output) = or_skipped(cargo("compiled", "run", &["run", "--quiet"])) else { return };
    let said = String::from_utf8(output.stdout).unwrap();
    let expected = "system: You answer customers of CONTOSO.\n\
                    Answer from these passages only:\n\n\
                    [1] Returns: Within 30 days.\n\
                    user: When?\nuser: Really?\nuser: Why?\n\
                    system: Summarise Returns. Use at most 20 words.\n\
                    user: 0 Returns: Within 30 days.\n";
    assert_eq!(said, expected);
}

#[test]
fn a_prompt_that_needs_the_engine_names_the_feature() {
    let output = cargo("engineless", "check", &["check", "--quiet"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        panic!("a prompt that needs the engine compiled without it");
    }
    if is_offline(&said) {
        println!("skipped: {said}");
        return;
    }
    let message =
        "this prompt needs the template engine, because of a macro, and it is not compiled in";
    assert!(said.contains(message), "{said}");
    assert!(said.contains("turn on the feature `render` of `typed-prompty`"), "{said}");
    assert_eq!(
        said.matches("error: ").count() - said.matches("error: could not compile").count(),
        1,
        "{said}"
    );
}

#[test]
fn replies_of_a_known_template_link_no_template_engine() {
    let kinds = "normal,features,no-proc-macro";
    let output = cargo("replies", "tree", &["tree", "-e", kinds, "--prefix", "none"]);
    let Some(output) = or_skipped(output) else { return };
    let tree = String::from_utf8(output.stdout).unwrap();
    let names = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let linked: Vec<String> = tree.lines().filter_map(names).collect();
    let without = ["granit-parser", "inventory", "minijinja", "prompty-check", "rand"];
    for name in without {
        assert!(!linked.iter().any(|it| it == name), "`{name}` is linked:\n{tree}");
    }
    let has =
        |package: &str, feature: &str| tree.contains(&format!("{package} feature \"{feature}\""));
    assert!(has("prompty-reply", "parser"), "this is not a tree:\n{tree}");
}

#[test]
fn replies_of_a_known_template_are_read_without_a_template_engine() {
    let Some(output) = or_skipped(cargo("replies", "run", &["run", "--quiet"])) else { return };
    let said = String::from_utf8(output.stdout).unwrap();
    let expected = "reasoning: I need the weather.\ncontent: One moment.\n\
                    call: weather {\"city\": \"Bonn\"}\n\
                    thinks: Easy.\nsays: 4\nsays: 2\n";
    assert_eq!(said, expected);
    // The program contains the names of functions: those of the parser, and none of the chat
    // engine.
    let program = fs::read(target().join("debug/replies")).unwrap();
    let program = String::from_utf8_lossy(&program);
    assert!(program.contains("13prompty_reply"), "there are no names in the program");
    assert!(!program.contains("12prompty_chat"), "the chat engine is linked");
}

/// Runs cargo on a copy of a fixture, which `test` alone uses, without a network.
fn cargo(fixture: &str, test: &str, arguments: &[&str]) -> Output {
    let package = Package::copy(Path::new(env!("CARGO_TARGET_TMPDIR")), fixture, test);
    let mut cargo = package.cargo(&target());
    cargo.args(arguments).arg("--offline").output().unwrap()
}

/// The output of cargo; `None` with a note if cargo needs a network.
fn or_skipped(output: Output) -> Option<Output> {
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return Some(output);
    }
    assert!(is_offline(&said), "{said}");
    println!("skipped: {said}");
    None
}

/// Whether cargo failed because it has no network.
fn is_offline(said: &str) -> bool {
    said.contains("--offline") || said.contains("attempting to make an HTTP request")
}

/// The target folder of the workspace. This test is in `<target>/<profile>/deps`.
fn target() -> PathBuf {
    let test = env::current_exe().unwrap();
    test.ancestors().nth(3).unwrap().to_path_buf()
}
