//! The tokens that a template is made of.

use std::sync::Arc;

use crate::SyntaxError;
use prompty_core::diagnostic::TemplateSpan;

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'s> {
    pub(super) kind: Kind<'s>,
    pub(super) span: TemplateSpan,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind<'s> {
    /// Literal text without the white space that tags take off; never empty.
    Text(&'s str),
    /// The same in a `raw` block.
    Raw(&'s str),
    /// `{{`
    VariableBegin,
    /// `}}`
    VariableEnd,
    /// `{%`
    BlockBegin,
    /// `%}`
    BlockEnd,
    /// A name or a keyword: Jinja tells them apart by where they stand.
    Name(&'s str),
    /// A text in quotes, unescaped.
    String(Arc<str>),
    /// A whole number.
    Integer(i128),
    /// Any other number.
    Float(f64),
    /// An operator or a bracket.
    Operator(&'static str),
    /// A character that no token begins with.
    Unknown,
    /// The text cannot be read from here on.
    Mistake(Box<SyntaxError>),
    /// The end of the template.
    End,
}
