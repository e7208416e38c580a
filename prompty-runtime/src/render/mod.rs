//! From inputs to text, and on to messages (§5).
//!
//! A [`Pipeline`] is a prompt whose template is compiled; make it once and use it from any thread.
//! [`load`], [`render`], [`parse`] and [`prepare`] are the specification's four steps for callers
//! that need each only once.
//!
//! What is no text (threads, images, files, sounds) travels through the template as a placeholder
//! that carries the render's nonce, and so do the template's role markers. Nothing in an input can
//! imitate either, because the nonce is drawn when the render begins.

mod blueprint;
mod engine;
#[cfg(feature = "definition")]
mod functions;
mod inputs;
mod pipeline;
mod rich;
mod segments;
mod sources;
mod validate;

#[cfg(feature = "typed")]
pub(crate) use blueprint::{Blueprint, BlueprintInput};
#[cfg(feature = "definition")]
pub use functions::{load, parse, prepare, render, validate_inputs};
pub use inputs::Inputs;
pub use pipeline::{Pipeline, PipelineBuilder};
pub use segments::{Origin, Segment};

pub use crate::template::{RenderLimits, Undefined};
