//! Any text can be checked. A text that is accepted without errors loads, compiles and renders.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prompty_check::check::{CheckOptions, check};
use prompty_check::definition::{Definition, LoadOptions};
use prompty_core::ErrorKind;
use prompty_core::diagnostic::{Severity, SourceText};
use prompty_runtime::render::Pipeline;
use typed_prompty_fuzz::{assert_diagnostic, assert_span, inputs_of, limits};

fuzz_target!(|text: &str| {
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
        return;
    }
    let options = LoadOptions::new().without_environment().without_files();
    let definition = match Definition::from_text_with("t", text, &options) {
        Ok(definition) => definition,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::UntrustedEndpoint, "{error:?}");
            return;
        }
    };
    let pipeline = Pipeline::builder(&definition).with_limits(limits()).build().unwrap();
    for has_optional in [true, false] {
        if let Err(error) = pipeline.prepare(inputs_of(&definition.inputs, has_optional)) {
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
});
