//! Parses the text of a template into its tree.

use super::blocks::{self, BraceBlock};
use super::tokens::{BlockOperand, BlockToken, tokens};
use crate::SyntaxError;
use crate::tree::{Argument, Call, Expr, ExprKind, Name, Node, NodeKind, Template};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::work::add_parsed;

/// Parses a template of Semantic Kernel's basic language. Spans are bytes of `text`. The span of a
/// variable is its name without the `$`.
///
/// ```
/// use prompty_template::semantic_kernel::parse;
///
/// assert_eq!(parse("Hi {{$name}}, it is {{time.now}}.")?.nodes.len(), 5);
/// let error = parse("{{mail.send $text to=Ada}}").unwrap_err();
/// assert_eq!(error.message, "the value of `to` is neither a string nor a variable");
/// assert_eq!(error.help.as_deref(), Some("write `to='Ada'` for a string, or `to=$variable`"));
/// # Ok::<(), prompty_template::SyntaxError>(())
/// ```
///
/// # Errors
///
/// Returns an error for a block that is not a variable, a string or a call. Braces that do not open
/// a block are text.
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

#[expect(clippy::string_slice, reason = "the surrounding blocks were found in the same text")]
fn push_text(nodes: &mut Vec<Node>, text: &str, span: TemplateSpan) {
    match &text[span.start..span.end] {
        "" => {}
        text => nodes.push(Node { kind: NodeKind::Text(text.to_owned()), span }),
    }
}

fn expression(text: &str, block: &BraceBlock) -> Result<Expr, SyntaxError> {
    let mut tokens = tokens(text, block.content)?.into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(BlockToken::BlockOperand(operand)), None) => Ok(operand_expression(operand)),
        (Some(BlockToken::BlockOperand(operand)), Some(second)) => {
            Err(two_operands(&operand, &second))
        }
        (Some(BlockToken::Function(name)), first) => call(name, block.content, first, tokens),
        // The first token of a block with content is an operand or a function.
        (Some(BlockToken::Named(..)) | None, _) => {
            Err(SyntaxError::new(block.content, "expected a variable, a string or a call")
                .with_help("write a variable as `$name`"))
        }
    }
}

fn operand_expression(operand: BlockOperand) -> Expr {
    match operand {
        BlockOperand::Variable(name) => {
            Expr { kind: ExprKind::Variable(name.text), span: name.span }
        }
        BlockOperand::Text(text, span) => Expr { kind: ExprKind::Literal(text.into()), span },
    }
}

fn two_operands(first: &BlockOperand, second: &BlockToken) -> SyntaxError {
    let what = match first {
        BlockOperand::Variable(_) => "a variable",
        BlockOperand::Text(..) => "a string",
    };
    let place = match second {
        BlockToken::BlockOperand(operand) => operand.source_span(),
        BlockToken::Function(name) | BlockToken::Named(name, _) => name.span,
    };
    SyntaxError::new(place, format!("unexpected text after {what}"))
        .with_help("print it in a separate block, or begin with the function that accepts both")
}

/// Parses `name positional name=value …`. Only the first argument can be positional.
fn call(
    name: Name,
    span: TemplateSpan,
    first: Option<BlockToken>,
    others: impl Iterator<Item = BlockToken>,
) -> Result<Expr, SyntaxError> {
    let mut arguments = Vec::new();
    for token in first.into_iter().chain(others) {
        arguments.push(match token {
            BlockToken::BlockOperand(operand) if arguments.is_empty() => {
                Argument::Positional(operand_expression(operand))
            }
            BlockToken::Named(name, value) => Argument::Named(name, operand_expression(value)),
            BlockToken::BlockOperand(operand) => {
                let message = "only the first argument of a call can be positional";
                let error = SyntaxError::new(operand.source_span(), message);
                return Err(error.with_help("write `name=` before it"));
            }
            BlockToken::Function(name) => {
                return Err(SyntaxError::new(name.span, "a call cannot be an argument")
                    .with_help("pass the value as an input, and write `$name`"));
            }
        });
    }
    Ok(Expr { kind: ExprKind::Function(Call { name, arguments }), span })
}
