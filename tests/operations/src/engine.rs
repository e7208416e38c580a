//! The two engines: what they can do, and a render by each.

use prompty_chat::ChatTemplate;
use prompty_core::Error;
use prompty_core::value::Map;
use prompty_runtime::render::{Inputs, Pipeline, PipelineBuilder};
use prompty_template::RenderLimits;

use crate::operation::{Operation, expand};
use crate::{both, chat, prompts};

/// An engine of templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// That of models' chat templates.
    Chat,
    /// That of prompts.
    Prompts,
}

impl Engine {
    /// All that its templates can do.
    pub fn operations(self) -> Vec<Operation> {
        let shared = [
            both::FILTERS,
            both::TESTS,
            both::OPERATORS,
            both::FUNCTIONS,
            both::METHODS,
            both::STATEMENTS,
        ];
        let own: &[_] = match self {
            Self::Chat => &[
                chat::FILTERS,
                chat::TESTS,
                chat::OPERATORS,
                chat::FUNCTIONS,
                chat::METHODS,
                chat::STATEMENTS,
            ],
            Self::Prompts => &[prompts::FILTERS, prompts::TESTS, prompts::FUNCTIONS],
        };
        expand(&[&shared, own].concat())
    }

    /// Compiles a template.
    ///
    /// # Errors
    ///
    /// Where its syntax is wrong.
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
    /// Renders it, and drops what it wrote.
    ///
    /// # Errors
    ///
    /// What the engine says.
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
