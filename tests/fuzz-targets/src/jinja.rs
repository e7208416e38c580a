//! Any text is a Jinja template, or an error with a place. A compiled template ends early with a
//! bounded output.

use prompty_core::ErrorKind;
use prompty_runtime::parse::OnForgedMarker;
use prompty_runtime::render::PipelineBuilder;
use prompty_template::jinja::syntax::parse;
use prompty_template::walk::first_unsupported;

use crate::assertions::{assert_render_error, assert_span};
use crate::inputs::{inputs, limits, read_data};

fn engine_compiles(text: &str) -> bool {
    minijinja::Environment::empty().template_from_str(text).is_ok()
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
            // The other files of a template are missing here.
            let has_files = parsed.as_ref().is_ok_and(|it| first_unsupported(&it.nodes).is_some());
            if has_files {
                return false;
            }
            assert_eq!(error.kind(), ErrorKind::TemplateSyntax);
            let refused = ["not available", "are reserved", "slice's step", "`cycle` takes"];
            let is_refused = refused.iter().any(|it| error.to_string().contains(it));
            // The insertions into a template for limits and nonces must not break it.
            assert!(parsed.is_err() || is_refused || !engine_compiles(&text), "{error:?}");
            return false;
        }
    };
    assert!(parsed.is_ok());
    match pipeline.render(inputs()) {
        Ok(rendered) => {
            assert!(rendered.text().len() <= limits().max_output);
            let _ = rendered.plain_text();
            pipeline.parse(&rendered).unwrap();
        }
        Err(error) => {
            assert_render_error(error.kind());
            assert!(!error.to_string().contains("__prompty_"), "{error:?}");
        }
    }
    true
}
