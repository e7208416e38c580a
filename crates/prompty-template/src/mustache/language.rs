//! Mustache as a template language.

use std::borrow::Cow;

use super::parse;
use crate::{Language, SyntaxError, Template, walk};

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

    fn unescaped(&self, name: &str) -> String {
        format!("{{{{{{{name}}}}}}}")
    }

    fn guard(&self, value: &str, _: &str, _: &str) -> Cow<'static, str> {
        format!("guard it with `{{{{#{value}}}}}...{{{{/{value}}}}}`").into()
    }

    fn refused(&self, _: &str, template: &Template) -> Option<SyntaxError> {
        let (_, node) = walk::first_unsupported(&template.nodes)?;
        let message = "partials are not available in a template without files";
        let help = "load the prompt with its files, or set its folder";
        Some(SyntaxError::new(node.span, message).with_help(help))
    }
}
