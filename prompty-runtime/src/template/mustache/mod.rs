//! Mustache: its parser, after the Mustache specification 1.4 without lambdas.
//!
//! Partials are parsed, and refused when a template is compiled: a prompt is one file.

mod syntax;

use std::borrow::Cow;

pub use syntax::parse;

use super::{Language, SyntaxError, Template};
use prompty_core::jinja::walk;

/// Mustache, whose kind is `mustache`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mustache;

impl Language for Mustache {
    fn parse(&self, text: &str) -> Result<Template, SyntaxError> {
        parse(text)
    }

    fn output(&self, name: &str) -> String {
        format!("{{{{{name}}}}}")
    }

    fn guard(&self, value: &str, _: &str, _: &str) -> Cow<'static, str> {
        format!("guard it with `{{{{#{value}}}}}...{{{{/{value}}}}}`").into()
    }

    fn refused(&self, _: &str, template: &Template) -> Option<SyntaxError> {
        let (_, node) = walk::first_unsupported(&template.nodes)?;
        let message = "partials are not available: a prompt is one file";
        let error = SyntaxError::new(node.span, message);
        Some(error.with_help("write the partial's text here, or give it as an input"))
    }
}
