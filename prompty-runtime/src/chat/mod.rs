//! A model's chat template: from messages to the prompt's text.

pub mod analysis;
mod engine;
mod source;

pub use analysis::Analysis;
pub use source::ChatTemplate;
