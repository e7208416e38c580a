//! Programs with only the features that their prompts need. No other test builds the procedural
//! macros with these features, so only CI runs this test, and a bare `cargo test` does not.
#![allow(clippy::unwrap_used, reason = "in a test, a panic is a failure")]

use std::fs;
use std::path::Path;

use packages::Package;

#[test]
fn compiled_prompts_work_without_a_template_engine() {
    let expected = "system: You answer customers of CONTOSO.\n\
                    Answer from these passages only:\n\n\
                    [1] Returns: Within 30 days.\n\
                    user: When?\nuser: Really?\nuser: Why?\n\
                    system: Summarise Returns. Use at most 20 words.\n\
                    user: 0 Returns: Within 30 days.\n";
    assert_eq!(run(&package("compiled")), expected);
}

#[test]
fn the_error_of_a_prompt_that_needs_the_engine_names_the_feature() {
    let stderr = only_error("engineless");
    let message =
        "this prompt needs the template engine because of a macro, but the engine is not enabled";
    assert!(stderr.contains(message), "{stderr}");
    assert!(stderr.contains("enable the feature `render` of `typed-prompty`"), "{stderr}");
}

#[test]
fn the_error_of_a_prompt_whose_output_is_read_names_the_feature() {
    let stderr = only_error("outputless");
    assert!(stderr.contains("the methods that read replies are not enabled"), "{stderr}");
    assert!(stderr.contains("enable the feature `output` of `typed-prompty`"), "{stderr}");
}

/// What rustc reports for a package with one error.
fn only_error(fixture: &str) -> String {
    let output = package(fixture).cargo("check").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "a package compiled without a feature that it needs");
    let errors = stderr.matches("error: ").count() + stderr.matches("error[").count();
    assert_eq!(errors - stderr.matches("error: could not compile").count(), 1, "{stderr}");
    stderr
}

#[test]
fn replies_of_a_known_template_are_read_without_a_template_engine() {
    let package = package("replies");
    let expected = "reasoning: I need the weather.\ncontent: One moment.\n\
                    call: weather {\"city\": \"Bonn\"}\n\
                    thinks: Easy.\nsays: 4\nsays: 2\n";
    assert_eq!(run(&package), expected);
    // The program contains the names of functions of the parser, but none of the chat engine.
    let program = fs::read(package.program("replies")).unwrap();
    let program = String::from_utf8_lossy(&program);
    assert!(program.contains("13prompty_reply"), "the program contains no names");
    assert!(!program.contains("12prompty_chat"), "the chat engine is linked");
}

fn package(fixture: &str) -> Package {
    Package::copy(Path::new(env!("CARGO_TARGET_TMPDIR")), fixture, "minimal")
}

/// The output of the program of a package.
fn run(package: &Package) -> String {
    let output = package.cargo("run").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
