//! Any text is a Handlebars template, or an error with a place. A compiled template ends early with
//! a bounded output.

use prompty_runtime::registry::Registry;
use prompty_template::handlebars::parse;

use crate::assertions::{assert_renders, assert_span};
use crate::inputs::read_data;

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    let text = text.replace('\r', "");
    let parsed = parse(&text);
    if let Err(error) = &parsed {
        assert_span(error.span.text_in(&text));
    }
    assert_renders("handlebars", &Registry::new(), &text, parsed.is_ok())
}
