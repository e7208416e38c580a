//! Parses tokens into the tree. `statements` parses tags, `other_templates` those that name files,
//! and `expressions` the expressions in them. This module has the shared state: the current tokens,
//! the open tag and blocks, and the limits.
//!
//! A method with a noun as its name, such as `comparison`, parses that part of a template from the
//! current token on. `take_...` advances if the given token is next, and returns whether it was.

mod block;
mod expressions;
mod other_templates;
mod statements;

use self::block::ParserBlock;
use super::MAX_DEPTH;
use super::dialect::Dialect;
use super::lexer::Lexer;
use super::syntax_errors::{self, ErrorContext, OpenTag};
use super::token::{Token, TokenKind};
use crate::SyntaxError;
use crate::tree::{Name, Template};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::work::add_parsed;

/// The maximum length of a template, in bytes.
const MAX_LENGTH: usize = 1 << 20;
/// The maximum total cost of the open blocks: four for each, and the cost of each `elif`.
const MAX_BLOCKS: usize = 256;
/// The cost of an open block, for [`MAX_BLOCKS`].
const BLOCK_COST: usize = 4;

/// Parses a template.
///
/// ```
/// use prompty_template::jinja::{Dialect, parse};
///
/// let template = parse("Hello {{ name | upper }}!", &Dialect::PROMPT)?;
/// assert_eq!(template.nodes.len(), 3);
///
/// let error = parse("Hello {{ name }", &Dialect::PROMPT).unwrap_err();
/// assert_eq!(error.message, "`{{` is never closed");
/// assert_eq!(error.span.start, 6);
/// # Ok::<(), prompty_template::SyntaxError>(())
/// ```
///
/// # Errors
///
/// Returns an error if the text is not a template of the dialect, or is too long or nested too
/// deeply.
pub fn parse(text: &str, dialect: &Dialect) -> Result<Template, SyntaxError> {
    if text.len() > MAX_LENGTH {
        let error = SyntaxError::new(TemplateSpan::new(0, 0), "the template is longer than 1 MiB");
        return Err(error.with_help("pass long texts to the template as inputs"));
    }
    add_parsed(text.len());
    let mut lexer = Lexer::new(text, dialect);
    let (token, ahead) = (lexer.next(), lexer.next());
    let parser = JinjaParser {
        text,
        dialect,
        lexer,
        token,
        ahead,
        end: 0,
        tag: None,
        blocks: Vec::new(),
        elif_cost: 0,
        depth: 0,
        raw: Vec::new(),
    };
    parser.template()
}

type Result<T, E = SyntaxError> = std::result::Result<T, E>;

/// The state of the parser.
struct JinjaParser<'s> {
    text: &'s str,
    dialect: &'s Dialect,
    lexer: Lexer<'s>,
    /// The current token.
    token: Token<'s>,
    /// The token after it.
    ahead: Token<'s>,
    /// The end of the previous token.
    end: usize,
    /// The current tag.
    tag: Option<OpenTag<'s>>,
    /// The open blocks, from the outside in.
    blocks: Vec<ParserBlock>,
    /// The cost of the `elif`s of the open blocks.
    elif_cost: usize,
    /// The nesting depth of expressions, values and statements.
    depth: usize,
    /// The spans of the `raw` texts.
    raw: Vec<TemplateSpan>,
}

impl<'s> JinjaParser<'s> {
    fn advance(&mut self) {
        self.end = self.token.span.end;
        let next = self.lexer.next();
        self.token = std::mem::replace(&mut self.ahead, next);
    }

    fn is_operator(&self, operator: &str) -> bool {
        matches!(self.token.kind, TokenKind::Operator(found) if found == operator)
    }

    fn take_operator(&mut self, operator: &str) -> bool {
        let is_found = self.is_operator(operator);
        if is_found {
            self.advance();
        }
        is_found
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token.kind, TokenKind::Name(found) if found == word)
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_found = self.is_word(word);
        if is_found {
            self.advance();
        }
        is_found
    }

    /// Takes a required operator. `expected` is its name in messages.
    fn expect(&mut self, operator: &str, expected: &str) -> Result<()> {
        if self.take_operator(operator) {
            return Ok(());
        }
        self.unexpected(expected)
    }

    fn name(&mut self) -> Result<Name> {
        let TokenKind::Name(name) = self.token.kind else { return self.unexpected("a name") };
        let name = Name::new(name, self.token.span);
        self.advance();
        Ok(name)
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T> {
        Err(self.error_context().unexpected(expected))
    }

    fn error_context(&self) -> ErrorContext<'_, 's> {
        ErrorContext {
            text: self.text,
            dialect: self.dialect,
            token: &self.token,
            tag: self.tag,
            block: self.blocks.last().map(|block| block.opener),
        }
    }

    /// Increases the depth. After a success, [`JinjaParser::leave`] must follow.
    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(syntax_errors::nested_too_deep(self.token.span));
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}
