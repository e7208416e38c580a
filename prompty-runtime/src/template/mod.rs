//! Templates: from text to a tree, and from a tree to text.
//!
//! [`ast`] is what every other room knows of a template; [`jinja`] and [`mustache`] make it, and run
//! what they made. No type of a template engine leaves this room.

pub mod ast;
mod insertion;
#[cfg(feature = "jinja2")]
pub mod jinja;
pub mod limits;
#[cfg(feature = "mustache")]
pub mod mustache;

use std::fmt;

pub use ast::Template;
pub use insertion::{Insertion, Placeholder};
pub use limits::{RenderFailure, RenderLimits, Undefined};

use crate::diagnostic::Span;

/// Why a template's text cannot be parsed, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyntaxError {
    /// Where, in bytes of the template's text.
    pub span: Span,
    /// What is wrong, in one line without a full stop.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

impl SyntaxError {
    /// An error at a place.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    /// The same error with a way to mend it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SyntaxError {}
