//! Joined segments are the text of a render to messages, without its nonces.

use prompty_runtime::render::{Origin, PipelineBuilder};

use crate::assertions::assert_render_error;
use crate::inputs::{inputs, limits, read_data};

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(case) = read_data::<(bool, &str)>(data) else { return false };
    let (is_mustache, text) = case;
    let format = if is_mustache { "mustache" } else { "jinja2" };
    let builder = PipelineBuilder::from_text("t", text).with_format(format).with_limits(limits());
    let Ok(pipeline) = builder.build() else { return false };
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
            true
        }
        (Err(error), _) | (_, Err(error)) => {
            assert_render_error(error.kind());
            false
        }
    }
}
