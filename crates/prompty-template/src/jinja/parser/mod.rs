//! From tokens to the tree. `statements` reads tags (`other_templates` those that name files),
//! `expressions` what stands in them; here is what
//! both use: the tokens at hand, the tag and the blocks that are open, and the bounds.

mod block;
mod expressions;
mod other_templates;
mod statements;

use self::block::Block;
use super::dialect::Dialect;
use super::lexer::Lexer;
use super::mistakes::{self, OpenTag, Place};
use super::token::{Kind, Token};
use crate::SyntaxError;
use crate::tree::{Name, Template};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::work::add_parsed;

/// The longest template, in bytes.
const MAX_LENGTH: usize = 1 << 20;
/// How deep brackets and blocks may lie in each other: each level costs one or two.
const MAX_DEPTH: usize = 150;
/// What the blocks that are open may cost together: four each, and what an `elif` costs.
const MAX_BLOCKS: usize = 256;
/// What an open block costs of [`MAX_BLOCKS`].
const BLOCK: usize = 4;

/// Reads a template.
///
/// ```
/// use prompty_template::jinja::{Dialect, parse};
///
/// let template = parse("Hello {{ name | upper }}!", &Dialect::PROMPT)?;
/// assert_eq!(template.nodes.len(), 3);
///
/// let error = parse("Hello {{ name }", &Dialect::PROMPT).unwrap_err();
/// assert_eq!(error.message, "`{{` is not closed");
/// assert_eq!(error.span.start, 6);
/// # Ok::<(), prompty_template::SyntaxError>(())
/// ```
///
/// # Errors
///
/// Where the text is not a template of the dialect, or is longer or deeper than templates may be.
pub fn parse(text: &str, dialect: &Dialect) -> Result<Template, SyntaxError> {
    if text.len() > MAX_LENGTH {
        let error = SyntaxError::new(TemplateSpan::new(0, 0), "the template is longer than 1 MiB");
        return Err(error.with_help("give long texts to the template as inputs"));
    }
    add_parsed(text.len());
    let mut lexer = Lexer::new(text, dialect);
    let (token, ahead) = (lexer.next(), lexer.next());
    let parser = Parser {
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

struct Parser<'s> {
    text: &'s str,
    dialect: &'s Dialect,
    lexer: Lexer<'s>,
    /// The token at hand.
    token: Token<'s>,
    /// The token behind it.
    ahead: Token<'s>,
    /// Where the token before the one at hand ends.
    end: usize,
    /// The tag that is being read.
    tag: Option<OpenTag<'s>>,
    /// The blocks that are open, from the outside in.
    blocks: Vec<Block>,
    /// What the `elif`s of the open blocks cost.
    elif_cost: usize,
    /// How many expressions, values and statements are open.
    depth: usize,
    /// The places of the `raw` texts.
    raw: Vec<TemplateSpan>,
}

impl<'s> Parser<'s> {
    fn advance(&mut self) {
        self.end = self.token.span.end;
        let next = self.lexer.next();
        self.token = std::mem::replace(&mut self.ahead, next);
    }

    fn is_operator(&self, operator: &str) -> bool {
        matches!(self.token.kind, Kind::Operator(found) if found == operator)
    }

    fn take_operator(&mut self, operator: &str) -> bool {
        let is_found = self.is_operator(operator);
        if is_found {
            self.advance();
        }
        is_found
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token.kind, Kind::Name(found) if found == word)
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_found = self.is_word(word);
        if is_found {
            self.advance();
        }
        is_found
    }

    /// Takes an operator that must stand here; `expected` is how messages call it.
    fn expect(&mut self, operator: &str, expected: &str) -> Result<()> {
        if self.take_operator(operator) {
            return Ok(());
        }
        self.unexpected(expected)
    }

    fn name(&mut self) -> Result<Name> {
        let Kind::Name(name) = self.token.kind else { return self.unexpected("a name") };
        let name = Name::new(name, self.token.span);
        self.advance();
        Ok(name)
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T> {
        Err(self.place().unexpected(expected))
    }

    /// A mistake at the token at hand.
    fn fail<T>(&self, message: &str) -> Result<T> {
        Err(SyntaxError::new(self.token.span, message))
    }

    fn place(&self) -> Place<'_, 's> {
        Place {
            text: self.text,
            dialect: self.dialect,
            token: &self.token,
            tag: self.tag,
            block: self.blocks.last().map(|block| block.shown),
        }
    }

    /// Goes one level deeper; [`Parser::leave`] must follow where it succeeds.
    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(mistakes::nested_too_deep(self.token.span));
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}
