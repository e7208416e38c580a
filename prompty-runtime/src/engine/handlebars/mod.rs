//! Runs Handlebars templates with the `handlebars` crate.

mod calculate;
mod compile;
mod engine;
mod evaluate;

use prompty_template::SyntaxError;

use super::{CompiledTemplate, Engine, EngineOptions, ParsedTemplate};

/// The engine of Handlebars.
#[derive(Debug, Clone, Copy, Default)]
pub struct HandlebarsEngine;

impl Engine for HandlebarsEngine {
    fn compile(
        &self,
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
    ) -> Result<Box<dyn CompiledTemplate>, SyntaxError> {
        engine::HandlebarsTemplate::compile(template, options)
            .map(|compiled| Box::new(compiled) as Box<dyn CompiledTemplate>)
    }
}
