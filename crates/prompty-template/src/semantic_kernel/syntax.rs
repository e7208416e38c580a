//! From the text of a template to its tree.

use super::blocks::{self, Block};
use super::tokens::{Operand, Token, tokens};
use crate::SyntaxError;
use crate::tree::{Argument, Call, Expr, ExprKind, Name, Node, NodeKind, Template};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::work::add_parsed;

/// Parses a template of Semantic Kernel's basic language. Spans are bytes of `text`; that of a variable
/// is its name without the `$`.
///
/// ```
/// use prompty_template::semantic_kernel::parse;
///
/// assert_eq!(parse("Hi {{$name}}, it is {{time.now}}.")?.nodes.len(), 5);
/// let error = parse("{{mail.send $text to=Ada}}").unwrap_err();
/// assert_eq!(error.message, "the value of `to` is neither a text nor a variable");
/// assert_eq!(error.help.as_deref(), Some("write `to='Ada'` for a text, or `to=$variable`"));
/// # Ok::<(), prompty_template::SyntaxError>(())
/// ```
///
/// # Errors
///
/// A block whose content is neither variable, text nor call. Braces that open no block are text.
pub fn parse(text: &str) -> Result<Template, SyntaxError> {
    add_parsed(text.len());
    let mut nodes = Vec::new();
    let mut position = 0;
    for block in blocks::find(text).closed {
        push_text(&mut nodes, text, TemplateSpan::new(position, block.span.start));
        nodes.push(Node { kind: NodeKind::Output(expression(text, &block)?), span: block.span });
        position = block.span.end;
    }
    push_text(&mut nodes, text, TemplateSpan::new(position, text.len()));
    Ok(Template { nodes, raw: Vec::new() })
}

#[expect(clippy::string_slice, reason = "the blocks around it were found in the same text")]
fn push_text(nodes: &mut Vec<Node>, text: &str, span: TemplateSpan) {
    match &text[span.start..span.end] {
        "" => {}
        text => nodes.push(Node { kind: NodeKind::Text(text.to_owned()), span }),
    }
}

fn expression(text: &str, block: &Block) -> Result<Expr, SyntaxError> {
    let mut tokens = tokens(text, block.content)?.into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(Token::Operand(operand)), None) => Ok(operand_expression(operand)),
        (Some(Token::Operand(operand)), Some(second)) => Err(two_operands(&operand, &second)),
        (Some(Token::Function(name)), first) => call(name, block.content, first, tokens),
        // The tokens of a block that holds something begin with one of these.
        (Some(Token::Named(..)) | None, _) => {
            Err(SyntaxError::new(block.content, "this is neither variable, text nor call"))
        }
    }
}

fn operand_expression(operand: Operand) -> Expr {
    match operand {
        Operand::Variable(name) => Expr { kind: ExprKind::Variable(name.text), span: name.span },
        Operand::Text(text, span) => Expr { kind: ExprKind::Literal(text.into()), span },
    }
}

fn two_operands(first: &Operand, second: &Token) -> SyntaxError {
    let what = match first {
        Operand::Variable(_) => "a variable",
        Operand::Text(..) => "a text",
    };
    let place = match second {
        Token::Operand(operand) => operand.written(),
        Token::Function(name) | Token::Named(name, _) => name.span,
    };
    SyntaxError::new(place, format!("nothing may follow {what} in its block"))
        .with_help("print it in braces of its own, or begin with the function that takes both")
}

/// `name positional name=value …`: only the first argument may have no name.
fn call(
    name: Name,
    span: TemplateSpan,
    first: Option<Token>,
    others: impl Iterator<Item = Token>,
) -> Result<Expr, SyntaxError> {
    let mut arguments = Vec::new();
    for token in first.into_iter().chain(others) {
        arguments.push(match token {
            Token::Operand(operand) if arguments.is_empty() => {
                Argument::Positional(operand_expression(operand))
            }
            Token::Named(name, value) => Argument::Named(name, operand_expression(value)),
            Token::Operand(operand) => {
                let message = "only the first argument of a call may have no name";
                let error = SyntaxError::new(operand.written(), message);
                return Err(error.with_help("write `name=` before it"));
            }
            Token::Function(name) => {
                return Err(SyntaxError::new(name.span, "a call cannot be an argument"));
            }
        });
    }
    Ok(Expr { kind: ExprKind::Function(Call { name, arguments }), span })
}
