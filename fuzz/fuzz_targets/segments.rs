//! Joined segments are the text of a render to messages, without its nonces.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prompty_runtime::render::{Origin, PipelineBuilder};
use typed_prompty_fuzz::{assert_render_error, inputs, limits};

fuzz_target!(|case: (bool, &str)| {
    let (is_mustache, text) = case;
    let format = if is_mustache { "mustache" } else { "jinja2" };
    let builder = PipelineBuilder::from_text("t", text).with_format(format).with_limits(limits());
    let Ok(pipeline) = builder.build() else { return };
    match (pipeline.render_segments(inputs()), pipeline.render(inputs())) {
        (Ok(segments), Ok(rendered)) => {
            let joined: String = segments.iter().map(|segment| segment.text.as_str()).collect();
            let has_rich = rendered.text().contains("__PROMPTY_THREAD_");
            if !has_rich {
                assert_eq!(joined, rendered.plain_text());
            }
            for pair in segments.windows(2) {
                let literal = |index: usize| pair[index].origin == Origin::Literal;
                assert!(!(literal(0) && literal(1)), "consecutive literals are not joined");
            }
        }
        (Err(error), _) | (_, Err(error)) => assert_render_error(error.kind()),
    }
});
