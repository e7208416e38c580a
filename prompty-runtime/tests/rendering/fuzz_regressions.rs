//! Texts on which a fuzz target once failed, each with the property that it must satisfy.

use prompty_check::check::{CheckOptions, check};
use prompty_check::definition::Definition;
use prompty_core::diagnostic::{Severity, SourceText};
use prompty_runtime::render::Pipeline;

/// Whether the checker finds errors in a prompt. If it finds none, the prompt must compile.
#[track_caller]
fn has_errors(text: &str) -> bool {
    let source = SourceText::new("t", text);
    let checked = check(source, &CheckOptions::new());
    let findings = checked.report.diagnostics;
    let has_errors = findings.iter().any(|finding| finding.severity == Severity::Error);
    let compiles = Definition::from_text(text).is_ok_and(|it| Pipeline::new(&it).is_ok());
    assert!(has_errors || compiles, "{text:?} is accepted and does not compile");
    has_errors
}

#[test]
fn a_reserved_name_in_a_text_is_also_an_error_of_the_checker() {
    assert!(has_errors("-m-\nnct\n  - {name: h, pro__prompty_boundeperties: { {k\n"));
    assert!(!has_errors("user:\n__PROMPTY_THREAD_ prompty_"));
}
