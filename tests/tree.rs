//! The dependencies of a program whose prompts are compiled, or whose chat template is known.
//!
//! `tests/packages` builds and runs such programs.
#![allow(clippy::unwrap_used, reason = "in a test, a panic is a failure")]

use std::path::Path;

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
    let tree = tree("compiled", "normal,no-proc-macro");
    let linked: Vec<&str> =
        tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(linked.contains(&"prompty-runtime"), "unexpected output of `cargo tree`:\n{tree}");
    for name in NOT_LINKED {
        assert!(!linked.contains(&name), "`{name}` is linked:\n{tree}");
    }
}

#[test]
fn replies_of_a_known_template_link_no_template_engine() {
    let tree = tree("replies", "normal,features,no-proc-macro");
    let names = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let linked: Vec<String> = tree.lines().filter_map(names).collect();
    let without = ["granit-parser", "inventory", "minijinja", "prompty-check", "rand"];
    for name in without {
        assert!(!linked.iter().any(|it| it == name), "`{name}` is linked:\n{tree}");
    }
    let has =
        |package: &str, feature: &str| tree.contains(&format!("{package} feature \"{feature}\""));
    assert!(has("prompty-reply", "parser"), "unexpected output of `cargo tree`:\n{tree}");
}

/// The output of `cargo tree` for a fixture.
fn tree(fixture: &str, kinds: &str) -> String {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut cargo = Package::copy(scratch, fixture, "tree").cargo("tree");
    let output = cargo.args(["-e", kinds, "--prefix", "none"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
