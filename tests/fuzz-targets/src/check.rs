//! Any text can be checked. A text that is accepted without errors loads, compiles and renders.

use prompty_check::check::{CheckOptions, check};
use prompty_check::definition::{Definition, LoadOptions};
use prompty_core::ErrorKind;
use prompty_core::diagnostic::{Severity, SourceText};
use prompty_runtime::render::Pipeline;

use crate::assertions::{assert_diagnostic, assert_span};
use crate::inputs::{inputs_of, limits, read_data};

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    let source = SourceText::new("t", text);
    let checked = check(source, &CheckOptions::new());
    for diagnostic in &checked.report.diagnostics {
        assert_diagnostic(&checked.source, diagnostic);
    }
    for (_, span) in &checked.report.variables {
        assert_span(span.text_in(checked.source.text()));
    }
    let diagnostics = &checked.report.diagnostics;
    let has_errors = diagnostics.iter().any(|it| it.severity == Severity::Error);
    if has_errors || text.contains("${") {
        return false;
    }
    let options = LoadOptions::new().without_environment().without_files();
    let definition = match Definition::from_text_with("t", text, &options) {
        Ok(definition) => definition,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::UntrustedEndpoint, "{error:?}");
            return false;
        }
    };
    let pipeline = Pipeline::builder(&definition).with_limits(limits()).build().unwrap();
    let mut is_rendered = false;
    for has_optional in [true, false] {
        let messages = pipeline.prepare(inputs_of(&definition.inputs, has_optional));
        is_rendered |= messages.is_ok();
        if let Err(error) = messages {
            // The checker cannot know errors that depend on a value and not on its type.
            let possible = [
                ErrorKind::Limit,
                ErrorKind::Render,
                ErrorKind::ForgedMarker,
                ErrorKind::WrongInput,
            ];
            assert!(possible.contains(&error.kind()), "{error:?}");
        }
    }
    is_rendered
}
