//! The two engines: their operations, and rendering.

use prompty_chat::ChatTemplate;
use prompty_core::Error;
use prompty_core::value::Map;
use prompty_runtime::render::{Inputs, Pipeline, PipelineBuilder};
use prompty_template::RenderLimits;

use crate::operation::{Operation, expand};
use crate::{chat_only, prompts_only, shared};

/// A template engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// The engine of chat templates.
    Chat,
    /// The engine of prompts.
    Prompts,
}

impl Engine {
    /// All operations of its templates.
    pub fn operations(self) -> Vec<Operation> {
        let shared = [
            shared::FILTERS,
            shared::TESTS,
            shared::OPERATORS,
            shared::FUNCTIONS,
            shared::METHODS,
            shared::STATEMENTS,
        ];
        let own: &[_] = match self {
            Self::Chat => &[
                chat_only::FILTERS,
                chat_only::TESTS,
                chat_only::OPERATORS,
                chat_only::FUNCTIONS,
                chat_only::METHODS,
                chat_only::STATEMENTS,
            ],
            Self::Prompts => &[prompts_only::FILTERS, prompts_only::TESTS, prompts_only::FUNCTIONS],
        };
        expand(&[&shared, own].concat())
    }

    /// Compiles a template.
    ///
    /// # Errors
    ///
    /// Returns an error if the syntax is wrong.
    pub fn compile(self, text: &str, limits: RenderLimits) -> Result<Template, Error> {
        Ok(match self {
            Self::Chat => Template::Chat(ChatTemplate::from_text_within(text, limits)?),
            Self::Prompts => {
                let builder = PipelineBuilder::from_text("operations", text).with_limits(limits);
                Template::Prompt(Box::new(builder.build()?))
            }
        })
    }
}

/// A compiled template of an engine.
#[derive(Debug)]
pub enum Template {
    /// A chat template.
    Chat(ChatTemplate),
    /// A prompt.
    Prompt(Box<Pipeline>),
}

impl Template {
    /// Renders it, and returns the length of the output.
    ///
    /// # Errors
    ///
    /// Returns the error of the engine.
    pub fn render(&self, inputs: &Map) -> Result<usize, Error> {
        match self {
            Self::Chat(template) => Ok(template.render(inputs, Some(0))?.len()),
            Self::Prompt(pipeline) => {
                let inputs = inputs
                    .iter()
                    .fold(Inputs::new(), |inputs, (name, value)| inputs.with(name, value.clone()));
                Ok(pipeline.render(inputs)?.text().len())
            }
        }
    }
}
