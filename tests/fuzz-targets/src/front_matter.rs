//! Any text can be loaded and inspected. The result is a definition, or errors with places.

use prompty_check::definition::{Definition, Input, LoadOptions, ValueType, inspect};
use prompty_core::diagnostic::SourceText;

use crate::assertions::{assert_diagnostic, assert_loading_error, assert_span};
use crate::inputs::read_data;

fn check_input(text: &str, input: &Input) {
    let spans = [input.name_span, input.kind_span, input.default_span];
    spans.into_iter().flatten().for_each(|span| assert_span(span.text_in(text)));
    match input.value_type.non_null() {
        ValueType::Array(Some(items)) => check_input(text, items),
        ValueType::Object(nested) | ValueType::Union(nested) => {
            nested.iter().for_each(|input| check_input(text, input));
        }
        _ => {}
    }
}

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    let options = LoadOptions::new().without_environment().without_files();
    let loaded = Definition::from_text_with("t", text, &options);
    let inspection = inspect(SourceText::new("t", text), None);
    let source = inspection.source.text();
    for diagnostic in &inspection.diagnostics {
        assert_diagnostic(&inspection.source, diagnostic);
    }
    if let Some(found) = &inspection.definition {
        assert_eq!(source.get(found.body.start..found.body.end), Some(&*found.instructions));
        found.inputs.iter().chain(&found.outputs).for_each(|it| check_input(source, it));
        let spans = found.tools.iter().map(|tool| tool.name_span);
        let spans = spans.chain([found.template.format_span, found.template.parser_span]);
        spans.flatten().for_each(|span| assert_span(span.text_in(source)));
    }
    if text.contains("${") {
        return false;
    }
    match loaded {
        Ok(loaded) => {
            assert_eq!(Some(loaded), inspection.definition);
            true
        }
        Err(error) => {
            assert_loading_error(&error, &inspection);
            false
        }
    }
}
