//! The basic language of Semantic Kernel's prompts, whose kind is `semantic-kernel`.
//!
//! A block between `{{` and `}}` is a variable (`$name`), a text in quotation marks, or a call of a
//! function with arguments (`time.add $date days='3'`). There are no conditions and no loops.

mod blocks;
mod stray;
mod syntax;
mod tokens;

pub use syntax::parse;

use super::{Language, SyntaxError, Template};
use prompty_core::diagnostic::Diagnostic;

/// The basic language of Semantic Kernel, whose kind is `semantic-kernel`.
#[derive(Debug, Clone, Copy, Default)]
pub struct SemanticKernel;

impl Language for SemanticKernel {
    fn parse(&self, text: &str) -> Result<Template, SyntaxError> {
        parse(text)
    }

    fn output(&self, name: &str) -> String {
        format!("{{{{${name}}}}}")
    }

    fn findings(&self, text: &str, _: &Template) -> Vec<Diagnostic> {
        stray::findings(text)
    }
}
