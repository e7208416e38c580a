//! Any text is a Handlebars template, or an error with a place. A compiled template ends early with
//! a bounded output.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prompty_runtime::registry::Registry;
use prompty_template::handlebars::parse;
use typed_prompty_fuzz::{assert_renders, assert_span};

fuzz_target!(|text: &str| {
    let text = text.replace('\r', "");
    let parsed = parse(&text);
    if let Err(error) = &parsed {
        assert_span(error.span.text_in(&text));
    }
    assert_renders("handlebars", &Registry::new(), &text, parsed.is_ok());
});
