//! The tokens of a template.

use std::sync::Arc;

use crate::SyntaxError;
use prompty_core::diagnostic::TemplateSpan;

/// A token with its span.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'s> {
    pub(super) kind: TokenKind<'s>,
    pub(super) span: TemplateSpan,
}

/// The kind of a token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind<'s> {
    /// Literal text without the white space that tags remove; never empty.
    Text(&'s str),
    /// Literal text in a `raw` block.
    Raw(&'s str),
    /// `{{`
    VariableBegin,
    /// `}}`
    VariableEnd,
    /// `{%`
    BlockBegin,
    /// `%}`
    BlockEnd,
    /// A name or a keyword. Only the position distinguishes them.
    Name(&'s str),
    /// A string literal, unescaped.
    String(Arc<str>),
    /// An integer.
    Integer(i128),
    /// A number with a fraction or an exponent, or a large integer.
    Float(f64),
    /// An operator or a bracket.
    Operator(&'static str),
    /// A character that cannot begin a token.
    Unknown,
    /// An error of the lexer, which cannot continue.
    Error(Box<SyntaxError>),
    /// The end of the template.
    End,
}
