//! Any text is a Jinja template, or an error with a place. A compiled template ends early with a
//! bounded output.

use prompty_core::ErrorKind;
use prompty_runtime::parse::OnForgedMarker;
use prompty_runtime::render::PipelineBuilder;
use prompty_template::Template;
use prompty_template::jinja::role_lines::{RolePlace, role_lines};
use prompty_template::jinja::syntax::{parse, parse_accepted};

use crate::assertions::{assert_render_error, assert_span};
use crate::inputs::{inputs, limits, read_data};

fn engine_compiles(text: &str) -> bool {
    minijinja::Environment::empty().template_from_str(text).is_ok()
}

/// Whether lines in loops look like role markers. They open no message, so such a template is refused.
fn writes_roles_in_loops(text: &str, template: &Template) -> bool {
    let lines = role_lines(text, template, &|_, _| false);
    lines.iter().any(|line| line.place != RolePlace::Template)
}

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    let text = text.replace('\r', "");
    let parsed = parse(&text);
    if let Err(error) = &parsed {
        assert_span(error.span.text_in(&text));
    }
    let builder = PipelineBuilder::from_text("t", &text)
        .with_limits(limits())
        .with_on_forged_marker(OnForgedMarker::Literal);
    let pipeline = match builder.build() {
        Ok(pipeline) => pipeline,
        Err(error) => {
            let Ok(template) = parse_accepted(&text) else { return false };
            assert_eq!(error.kind(), ErrorKind::TemplateSyntax);
            // The insertions into a template for limits and nonces must not break it.
            let is_refused = writes_roles_in_loops(&text, &template);
            assert!(is_refused || !engine_compiles(&text), "{error:?}");
            return false;
        }
    };
    assert!(parsed.is_ok());
    match pipeline.render(inputs()) {
        Ok(rendered) => {
            assert!(rendered.text().len() <= limits().max_output);
            let _ = rendered.plain_text();
            pipeline.parse(&rendered).unwrap();
            true
        }
        Err(error) => {
            assert_render_error(error.kind());
            assert!(!error.to_string().contains("__prompty_"), "{error:?}");
            false
        }
    }
}
