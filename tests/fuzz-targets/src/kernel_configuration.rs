//! Any text is a prompt configuration, or an error with a place. Loading and inspection agree, and
//! all places are in the text.

use prompty_check::definition::{Definition, LoadOptions, inspect};
use prompty_core::diagnostic::SourceText;
use prompty_runtime::render::Pipeline;

use crate::assertions::{assert_diagnostic, assert_loading_error};
use crate::inputs::read_data;

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    let options = LoadOptions::new().without_environment().without_files();
    let loaded = Definition::from_text_with("t.yaml", text, &options);
    let inspection = inspect(SourceText::new("t.yaml", text), None);
    for diagnostic in &inspection.diagnostics {
        assert_diagnostic(&inspection.source, diagnostic);
    }
    match loaded {
        Ok(loaded) => {
            assert_eq!(loaded.template.parser, "message-tags");
            // A carriage return alone ends a line, too.
            let lines = SourceText::new("t", text).normalised().text().lines().count().max(1);
            assert!(loaded.source.place(loaded.body.start).line <= lines + 1);
            let is_compiled = Pipeline::new(&loaded).is_ok();
            assert_eq!(Some(loaded), inspection.definition);
            is_compiled
        }
        Err(error) => {
            assert_loading_error(&error, &inspection);
            false
        }
    }
}
