//! Jinja2 as a template language.

use std::borrow::Cow;

use super::syntax;
use crate::builtins::{self, Builtin};
use crate::{Language, SyntaxError, Template};

/// Jinja2, whose kind is `jinja2`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Jinja2;

impl Language for Jinja2 {
    fn parse(&self, text: &str) -> Result<Template, SyntaxError> {
        syntax::parse(text)
    }

    fn output(&self, name: &str) -> String {
        format!("{{{{ {name} }}}}")
    }

    fn guard(&self, value: &str, expression: &str, default: &str) -> Cow<'static, str> {
        format!("guard it with `{{% if {value} %}}`, or write `{expression} | default({default})`")
            .into()
    }

    fn functions(&self) -> &'static [Builtin] {
        builtins::FUNCTIONS
    }

    fn refused(&self, text: &str, template: &Template) -> Option<SyntaxError> {
        syntax::first_unavailable(template).or_else(|| syntax::first_refused(text, template))
    }

    fn has_filters(&self) -> bool {
        true
    }

    fn has_statement_tags(&self) -> bool {
        true
    }

    fn has_thread_loops(&self) -> bool {
        true
    }

    fn drops_last_line_break(&self) -> bool {
        true
    }
}
