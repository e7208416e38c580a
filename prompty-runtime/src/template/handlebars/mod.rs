//! Handlebars: its parser, after handlebars.js 4.7, and the engine of the `handlebars` crate.
//!
//! A message's text is no HTML, so nothing is escaped: a value arrives byte for byte. Partials are put
//! together before a template is parsed; one that is left is refused.

#[cfg(feature = "handlebars")]
mod calculate;
mod calls;
#[cfg(feature = "handlebars")]
mod compile;
#[cfg(feature = "handlebars")]
mod engine;
#[cfg(feature = "handlebars")]
mod evaluate;
mod expressions;
mod helpers;
mod names;
mod syntax;

use std::borrow::Cow;

pub use helpers::{BLOCKS, HELPERS};
pub use syntax::parse;

use super::builtins::Builtin;
#[cfg(feature = "handlebars")]
use super::{CompiledTemplate, EngineOptions, ParsedTemplate};
use super::{Language, SyntaxError, Template};
use prompty_core::template::walk;

/// Handlebars, whose kind is `handlebars`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Handlebars;

impl Language for Handlebars {
    fn parse(&self, text: &str) -> Result<Template, SyntaxError> {
        parse(text)
    }

    fn output(&self, name: &str) -> String {
        format!("{{{{{name}}}}}")
    }

    fn guard(&self, value: &str, _: &str, _: &str) -> Cow<'static, str> {
        format!("guard it with `{{{{#if {value}}}}}...{{{{/if}}}}`").into()
    }

    fn functions(&self) -> &'static [Builtin] {
        HELPERS
    }

    fn function_name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        helpers::function_name(name)
    }

    fn refused(&self, _: &str, template: &Template) -> Option<SyntaxError> {
        let (_, node) = walk::first_unsupported(&template.nodes)?;
        let message = "the template names a partial, and has no files";
        let error = SyntaxError::new(node.span, message);
        Some(error.with_help("name the folder of its files, or write the partial's text here"))
    }

    fn functions_see_inputs(&self) -> bool {
        true
    }

    fn has_helpers(&self) -> bool {
        true
    }

    fn has_lengths(&self) -> bool {
        true
    }

    fn keeps_names(&self) -> bool {
        true
    }

    #[cfg(feature = "handlebars")]
    fn compile(
        &self,
        template: &ParsedTemplate<'_>,
        options: &EngineOptions<'_>,
    ) -> Result<Box<dyn CompiledTemplate>, SyntaxError> {
        engine::HandlebarsTemplate::compile(template, options)
            .map(|compiled| Box::new(compiled) as Box<dyn CompiledTemplate>)
    }
}
