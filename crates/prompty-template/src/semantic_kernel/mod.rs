//! The basic language of Semantic Kernel's prompts, whose kind is `semantic-kernel`.
//!
//! A block between `{{` and `}}` is a variable (`$name`), a string literal, or a call of a function
//! with arguments (`time.add $date days='3'`). The language has no conditions and no loops.
//!
//! It follows the .NET implementation where that differs from the Python one, except that names are
//! compared exactly. Values are not encoded, because nothing parses the rendered text as markup.
//! Braces that are not a valid block are text, as in .NET: `{{}}`, or a block that is never closed.
//! They are almost always a mistake, so the checker reports them unless the author allows it.

mod blocks;
mod stray_braces;
mod syntax;
mod tokens;

pub use syntax::parse;

use std::borrow::Cow;

use crate::{Language, SyntaxError, Template};
use prompty_core::diagnostic::{Diagnostic, TemplateSpan};

/// The basic language of Semantic Kernel, whose kind is `semantic-kernel`.
#[derive(Debug, Clone, Copy, Default)]
pub struct SemanticKernel;

impl Language for SemanticKernel {
    fn parse(&self, text: &str) -> Result<Template, SyntaxError> {
        parse(text)
    }

    fn output(&self, name: &str) -> String {
        ["{{$", name, "}}"].concat()
    }

    fn guard(&self, value: &str, _: &str, _: &str) -> Cow<'static, str> {
        // `text.or_empty` is only an example: the host defines such a function.
        format!(
            "pass it to a function that accepts a missing value: `{{{{text.or_empty ${value}}}}}`"
        )
        .into()
    }

    fn function_name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        // Names with a dot are valid in this language.
        name.into()
    }

    fn has_plugins(&self) -> bool {
        true
    }

    fn findings(&self, text: &str, _: &Template) -> Vec<Diagnostic<TemplateSpan>> {
        stray_braces::findings(text)
    }
}
