//! Runs the checks of the compiler on prompts that no macro reads.
//!
//! `cargo run --example check -- FILE...` prints the diagnostics of each prompt, and exits with 1
//! if one of them is an error.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it does")]

use std::process::ExitCode;

use typed_prompty::check::{Allowed, Extensions, check_source};
use typed_prompty::diagnostic::{Severity, SourceText};

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        eprintln!("usage: check FILE...");
        return ExitCode::from(2);
    }
    let mut errors = 0;
    let mut warnings = 0;
    for file in &files {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("error: cannot read `{file}`: {error}");
                errors += 1;
                continue;
            }
        };
        let source = SourceText::new(file.as_str(), text);
        let checked = check_source(source, &Extensions::default(), &Allowed::default());
        for finding in &checked.report.diagnostics {
            eprintln!("{}", finding.render(&checked.source));
            match finding.severity {
                Severity::Error => errors += 1,
                _ => warnings += 1,
            }
        }
    }
    eprintln!("{} files: {errors} errors, {warnings} warnings", files.len());
    if errors > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
