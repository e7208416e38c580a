//! A model's chat template: from messages to the prompt's text.

mod engine;
mod source;

pub use source::ChatTemplate;
