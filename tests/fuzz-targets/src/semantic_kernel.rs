//! Any text is a template of Semantic Kernel's basic language, or an error with a place. Its nodes
//! cover the text, and a compiled template ends early with a bounded output.

use prompty_core::value::Value;
use prompty_runtime::engine::Arguments;
use prompty_runtime::registry::Registry;
use prompty_template::Language;
use prompty_template::semantic_kernel::{SemanticKernel, parse};

use crate::assertions::{assert_renders, assert_span};
use crate::inputs::read_data;

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    let text = text.replace('\r', "");
    let parsed = parse(&text);
    match &parsed {
        Err(error) => assert_span(error.span.text_in(&text)),
        Ok(template) => {
            let mut ends = template.nodes.iter().map(|node| node.span.end);
            let starts = template.nodes.iter().map(|node| node.span.start).skip(1);
            assert!(ends.clone().zip(starts).all(|(end, start)| end == start));
            assert_eq!(ends.next_back().unwrap_or_default(), text.len());
            for finding in SemanticKernel.findings(&text, template) {
                assert_span(finding.span.unwrap().text_in(&text));
            }
        }
    }
    let echo = |first: Option<Value>, all: Arguments| {
        Ok(first.or_else(|| all.get("name").cloned()).unwrap_or_default())
    };
    let registry = Registry::new().with_typed_function("f", ["a"], echo).with_typed_function(
        "p.g",
        [],
        || Ok(true),
    );
    assert_renders("semantic-kernel", &registry, &text, parsed.is_ok())
}
