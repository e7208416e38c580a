//! A model's chat template: from messages to the prompt's text.

mod engine;
