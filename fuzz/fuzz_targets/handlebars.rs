//! Any text is a Handlebars template or an error with a place; what compiles ends soon, and its output
//! is bounded.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prompty_core::ErrorKind;
use prompty_runtime::render::PipelineBuilder;
use prompty_runtime::template::handlebars::parse;
use typed_prompty_fuzz::{assert_render_error, assert_span, inputs, limits};

fuzz_target!(|text: &str| {
    let text = text.replace('\r', "");
    let parsed = parse(&text);
    if let Err(error) = &parsed {
        assert_span(&text, error.span);
    }
    let builder = PipelineBuilder::from_text("t", &text).format("handlebars").limits(limits());
    let pipeline = match builder.build() {
        Ok(pipeline) => pipeline,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::TemplateSyntax);
            return;
        }
    };
    assert!(parsed.is_ok());
    match pipeline.render(inputs()) {
        Ok(rendered) => {
            assert!(rendered.text().len() <= limits().max_output);
            let _ = rendered.plain_text();
            pipeline.parse(&rendered).unwrap();
        }
        Err(error) => assert_render_error(error.kind()),
    }
});
