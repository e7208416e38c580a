//! Handlebars as a template language.

use std::borrow::Cow;

use super::{HELPERS, helpers, parse};
use crate::builtins::Builtin;
use crate::{Language, SyntaxError, Template, walk};

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
        let message = "partials are not available in a template without files";
        let error = SyntaxError::new(node.span, message);
        Some(error.with_help("set the folder of its files, or write the partial's text here"))
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
}
