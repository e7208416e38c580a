//! Renders inputs into text, and parses the text into messages (§5).
//!
//! A [`Pipeline`] is a prompt with a compiled template. Build it once and use it from any thread.
//! The steps of the specification are
//! [`Definition::from_path`](prompty_check::definition::Definition::from_path) (load),
//! [`Pipeline::render`], [`Pipeline::parse`], and [`Pipeline::prepare`] for both.
//!
//! Placeholders represent threads, images, files and audio in the template. They carry the nonce of
//! the render, and so do the role markers of the template. An input cannot imitate either, because
//! the nonce is drawn when the render begins.
//!
//! ```
//! # mod typed_prompty { pub use prompty_core::message; pub use prompty_runtime::render; }
//! use typed_prompty::message::Media;
//! use typed_prompty::render::{Inputs, Origin, PipelineBuilder};
//!
//! let template = "user:\n{{ question }}\n{{ photo }}";
//! let pipeline = PipelineBuilder::from_text("ask", template).build()?;
//! let inputs = Inputs::new()
//!     .with("question", "What is this?")
//!     .with_image("photo", Media::new("https://example.com/cat.png"));
//! assert_eq!(pipeline.prepare(inputs)?[0].content.len(), 2);
//!
//! let segments = pipeline.render_segments([("question", "Why?")])?;
//! let origin = segments.iter().find(|it| it.text == "Why?").map(|it| &it.origin);
//! let Some(Origin::Interpolated { source, .. }) = origin else { panic!("an expression") };
//! assert_eq!(source.as_deref(), Some("question"));
//! # Ok::<(), prompty_core::Error>(())
//! ```

mod blueprint;
mod builder;
mod from_definition;
mod inputs;
mod pipeline;
mod role_loops;
mod segments;
mod sources;
mod template_renderer;
mod validate;

#[cfg(feature = "typed")]
pub(crate) use blueprint::Blueprint;
pub use builder::PipelineBuilder;
#[doc(hidden)]
pub use from_definition::validate_inputs;
pub use inputs::Inputs;
pub use pipeline::Pipeline;
pub use segments::{Origin, Segment};

pub use crate::engine::Undefined;
pub use prompty_template::RenderLimits;
