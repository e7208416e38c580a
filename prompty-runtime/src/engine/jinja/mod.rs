//! Runs Jinja2 templates (§5.5) with minijinja.
//!
//! Where the portable subset and stock Jinja2 differ, the portable subset wins: truth values print
//! in lower case, `null` as nothing, `1.0` as `1`; maps keep their order; a missing attribute at any
//! depth is nothing. Nothing in a template reaches files or the network.

mod bridge;
mod budget;
mod costs;
mod engine;
mod environment;
mod filters;
mod format;
mod given;
mod instrument;
mod messages;
mod methods;
mod operators;
mod prices;
mod size;

use prompty_template::SyntaxError;

use super::{CompiledTemplate, Engine, EngineOptions, ParsedTemplate};

/// The engine of Jinja2.
#[derive(Debug, Clone, Copy, Default)]
pub struct JinjaEngine;

impl Engine for JinjaEngine {
    fn compile(
        &self,
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
    ) -> Result<Box<dyn CompiledTemplate>, SyntaxError> {
        engine::JinjaTemplate::compile(template, options)
            .map(|compiled| Box::new(compiled) as Box<dyn CompiledTemplate>)
    }
}
