//! Parses the text of a Handlebars template into its tree.
//!
//! The parser reads the pieces of the text in order. A tag that opens a block pushes a
//! [`HandlebarsBlock`], which keeps the nodes before it. The closing tag pops the block, whose body
//! is the nodes since then. `{{else}}` ends the first body of a block, and `{{else if b}}` either
//! opens the next branch of an `if`, or a chained block in the `else` of another block.

use super::calls::{self, assignment, not};
use super::expressions::{self, TagContent};
use super::helpers;
use super::names::{ContextBlocks, NameContext};
use crate::handlebars::pieces::{HandlebarsTag, HandlebarsTagKind, MAX_BLOCKS, Piece, pieces};
use crate::syntax_error::{SyntaxError, distance_in_lines};
use crate::tree::{
    Argument, BinaryOperator, Call, ContextBlock, ContextKind, Expr, ExprKind, If, Macro, Name,
    Node, NodeKind, Target, Template,
};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::diagnostic::suggest::suggest;
use prompty_core::value::Value;
use prompty_core::value::internal::excerpt;
use prompty_core::work::add_parsed;

/// Parses a Handlebars template. Spans are bytes of `text`.
///
/// The enclosing blocks determine which value a name refers to. So a name in the tree is an input,
/// a name after `as`, or an attribute of a [context](ExprKind::Context). `{{x}}` and `{{{x}}}` are
/// the same, because a prompt is not HTML and nothing is escaped. A partial is
/// [`NodeKind::Partial`].
///
/// ```
/// use prompty_template::handlebars::parse;
///
/// assert_eq!(parse("Hi {{#if name}}{{name}}{{/if}}")?.nodes.len(), 2);
/// let error = parse("{{#each items}}- {{this}}").unwrap_err();
/// assert_eq!(error.message, "the block `each` is never closed");
/// assert_eq!(error.help.as_deref(), Some("write `{{/each}}` where it ends"));
/// # Ok::<(), prompty_template::SyntaxError>(())
/// ```
///
/// # Errors
///
/// Returns an error for a tag or block that is not closed correctly, an invalid name or call, an
/// unknown block, or blocks that are nested too deeply.
pub fn parse(text: &str) -> Result<Template, SyntaxError> {
    add_parsed(text.len());
    let pieces = pieces(text)?;
    let mut parser = HandlebarsParser {
        text,
        blocks: ContextBlocks::default(),
        nodes: Vec::new(),
        open: Vec::new(),
        raw: Vec::new(),
        is_raw: false,
    };
    for piece in pieces {
        match piece {
            Piece::Text(span) => parser.push_text(span),
            Piece::Tag(tag) => parser.tag(tag)?,
        }
    }
    parser.finish()
}

/// The state of the parser.
struct HandlebarsParser<'t> {
    text: &'t str,
    /// The enclosing blocks that change the context of names.
    blocks: ContextBlocks,
    /// The nodes of the innermost open body.
    nodes: Vec<Node>,
    open: Vec<HandlebarsBlock<'t>>,
    /// The spans of the texts in raw blocks.
    raw: Vec<TemplateSpan>,
    /// Whether the current text is in a raw block.
    is_raw: bool,
}

/// A block without its closing tag so far.
struct HandlebarsBlock<'t> {
    /// The content that its closing tag must have.
    name: &'t str,
    tag: TemplateSpan,
    /// Whether `{{else name}}` opened it. Then the closing tag of the enclosing block closes it.
    is_chained: bool,
    kind: HandlebarsBlockKind,
    /// The nodes before it.
    outer: Vec<Node>,
}

/// The kind of an open block, with its content so far.
enum HandlebarsBlockKind {
    /// `if` and `unless`.
    Branches {
        /// The complete branches.
        branches: Vec<(Expr, Vec<Node>)>,
        /// The condition of the current body; `None` after `{{else}}`.
        condition: Option<Expr>,
    },
    /// `each`, `with`, or a section.
    Context {
        block: ContextBlock,
        /// The context of its body, while the parser is in the `else`. In `{{^name}}`, the first
        /// body is the `else`.
        outside: Option<NameContext>,
        /// Whether there was an `{{else}}`.
        has_else: bool,
    },
    /// A message.
    Message(Call),
}

impl<'t> HandlebarsParser<'t> {
    #[expect(clippy::string_slice, reason = "the pieces and expressions are of this text")]
    fn source(&self, span: TemplateSpan) -> &'t str {
        &self.text[span.start..span.end]
    }

    fn push(&mut self, kind: NodeKind, span: TemplateSpan) {
        self.nodes.push(Node { kind, span });
    }

    fn push_text(&mut self, span: TemplateSpan) {
        if self.is_raw {
            self.raw.push(span);
        }
        self.push(NodeKind::Text(self.source(span).to_owned()), span);
    }

    fn finish(mut self) -> Result<Template, SyntaxError> {
        // Chained blocks need no closing tag, so the block that they continue is reported.
        let first = self.open.iter().rposition(|block| !block.is_chained);
        match first.map(|index| self.open.swap_remove(index)) {
            None => Ok(Template { nodes: self.nodes, raw: self.raw }),
            Some(block) => {
                let name = excerpt(block.name);
                let message = format!("the block `{name}` is never closed");
                Err(SyntaxError::new(block.tag, message)
                    .with_help(format!("write `{{{{/{name}}}}}` where it ends")))
            }
        }
    }

    fn tag(&mut self, tag: HandlebarsTag) -> Result<(), SyntaxError> {
        match tag.kind {
            HandlebarsTagKind::Comment => Ok(()),
            HandlebarsTagKind::Output => self.output(tag),
            HandlebarsTagKind::Open => self.open(tag, false),
            HandlebarsTagKind::Inverted => self.open(tag, true),
            HandlebarsTagKind::Else => self.otherwise(tag),
            HandlebarsTagKind::ElseIf => self.chain(tag),
            HandlebarsTagKind::Close => self.close(tag),
            HandlebarsTagKind::Partial | HandlebarsTagKind::PartialBlock => {
                self.push(NodeKind::Partial, tag.span);
                Ok(())
            }
            HandlebarsTagKind::Decorator => {
                let error = SyntaxError::new(tag.span, "decorators are not available");
                Err(error.with_help("write the content of the inline partial in place of its use"))
            }
            HandlebarsTagKind::RawOpen => self.open_raw(tag),
            HandlebarsTagKind::RawClose => {
                self.is_raw = false;
                Ok(())
            }
        }
    }

    fn open_raw(&mut self, tag: HandlebarsTag) -> Result<(), SyntaxError> {
        let name = self.source(tag.content).trim();
        if name != "raw" {
            let message = format!("unknown raw block `{}`", excerpt(name));
            return Err(SyntaxError::new(tag.span, message)
                .with_help("write `{{{{raw}}}}…{{{{/raw}}}}` around text that contains braces"));
        }
        self.is_raw = true;
        Ok(())
    }

    fn content(&self, tag: HandlebarsTag) -> Result<TagContent, SyntaxError> {
        if self.source(tag.content).trim().is_empty() {
            let error = SyntaxError::new(tag.span, "the tag has no name");
            return Err(error.with_help("write the name of an input before the `}}`"));
        }
        expressions::read(self.text, tag.content, &self.blocks, calls::resolve_call)
    }

    fn output(&mut self, tag: HandlebarsTag) -> Result<(), SyntaxError> {
        let content = self.content(tag)?;
        let kind = match content.simple_name() {
            Some(name) if name.text == "set" => {
                let (name, value) = assignment(&content.arguments, content.span)?;
                NodeKind::Set { target: Target::Name(name), value }
            }
            _ => NodeKind::Output(calls::resolve_tag(&self.blocks, content)?),
        };
        self.push(kind, tag.span);
        Ok(())
    }

    fn open(&mut self, tag: HandlebarsTag, is_inverted: bool) -> Result<(), SyntaxError> {
        let content = self.content(tag)?;
        let head = content.head.span();
        let block = self.block(content, tag, is_inverted)?;
        self.push_open(self.source(head), tag, block, false)
    }

    fn push_open(
        &mut self,
        name: &'t str,
        tag: HandlebarsTag,
        kind: HandlebarsBlockKind,
        is_chained: bool,
    ) -> Result<(), SyntaxError> {
        if self.open.len() >= MAX_BLOCKS {
            return Err(SyntaxError::nested_too_deep(tag.span, "blocks", MAX_BLOCKS));
        }
        let outer = std::mem::take(&mut self.nodes);
        self.open.push(HandlebarsBlock { name, tag: tag.span, is_chained, kind, outer });
        Ok(())
    }

    /// Returns the block that a tag opens.
    fn block(
        &mut self,
        content: TagContent,
        tag: HandlebarsTag,
        is_inverted: bool,
    ) -> Result<HandlebarsBlockKind, SyntaxError> {
        let name = content.simple_name().cloned();
        let text = name.as_ref().map_or("", |name| name.text.as_str());
        let kind = match text {
            "if" | "unless" => {
                let condition = condition(content, (text == "unless") != is_inverted)?;
                return Ok(HandlebarsBlockKind::Branches {
                    branches: Vec::new(),
                    condition: Some(condition),
                });
            }
            "each" => ContextKind::Each,
            "with" => ContextKind::With,
            _ => {
                if let Some(name) = &name
                    && !is_inverted
                    && is_message(&name.text, &content)
                {
                    return Ok(HandlebarsBlockKind::Message(message_call(name, content.arguments)));
                }
                return self.section(content, tag, is_inverted);
            }
        };
        let (subject, parameters) = one_argument(content)?;
        Ok(self.context(kind, subject, parameters, is_inverted))
    }

    /// Opens the section of `{{#name}}`.
    fn section(
        &mut self,
        mut content: TagContent,
        tag: HandlebarsTag,
        is_inverted: bool,
    ) -> Result<HandlebarsBlockKind, SyntaxError> {
        if !content.arguments.is_empty() {
            let name = excerpt(self.source(content.head.span()));
            let mut known = helpers::BLOCKS.to_vec();
            known.push("message");
            let help = match suggest(&name, &known) {
                Some(similar) => format!("a block with a similar name exists: `{similar}`"),
                None => "available blocks: `each`, `if`, `message`, `unless`, `with`".to_owned(),
            };
            return Err(
                SyntaxError::new(tag.span, format!("unknown block `{name}`")).with_help(help)
            );
        }
        let parameters = std::mem::take(&mut content.parameters);
        let subject = calls::resolve_tag(&self.blocks, content)?;
        Ok(self.context(ContextKind::Section, subject, parameters, is_inverted))
    }

    /// Opens a block that changes the context of names.
    fn context(
        &mut self,
        kind: ContextKind,
        subject: Expr,
        parameters: Vec<Name>,
        is_inverted: bool,
    ) -> HandlebarsBlockKind {
        let repeats = kind != ContextKind::With;
        let inside = NameContext { parameters: parameters.clone(), repeats };
        let block =
            ContextBlock { kind, subject, parameters, body: Vec::new(), otherwise: Vec::new() };
        let outside = if is_inverted {
            Some(inside)
        } else {
            self.blocks.enter(inside);
            None
        };
        HandlebarsBlockKind::Context { block, outside, has_else: false }
    }

    /// Handles `{{else}}`.
    fn otherwise(&mut self, tag: HandlebarsTag) -> Result<(), SyntaxError> {
        let body = std::mem::take(&mut self.nodes);
        let Some(block) = self.open.last_mut() else {
            return Err(SyntaxError::new(tag.span, "`else` without an open block")
                .with_help("open a block before it, as in `{{#if name}}`"));
        };
        let is_first = match &mut block.kind {
            HandlebarsBlockKind::Branches { branches, condition } => match condition.take() {
                Some(condition) => {
                    branches.push((condition, body));
                    true
                }
                None => false,
            },
            HandlebarsBlockKind::Context { block, outside, has_else } => {
                let is_first = !*has_else;
                *has_else = true;
                match outside.take() {
                    None => {
                        block.body = body;
                        *outside = self.blocks.leave();
                    }
                    Some(inside) => {
                        block.otherwise = body;
                        self.blocks.enter(inside);
                    }
                }
                is_first
            }
            HandlebarsBlockKind::Message(_) => {
                return Err(SyntaxError::new(tag.span, "a message cannot have an `else`")
                    .with_help("close the open block inside the message first"));
            }
        };
        if is_first {
            return Ok(());
        }
        let message = format!("a second `else` in the block `{}`", excerpt(block.name));
        Err(SyntaxError::new(tag.span, message)
            .with_help("write `{{else if name}}` before `{{else}}`"))
    }

    /// Handles `{{else name}}`.
    fn chain(&mut self, tag: HandlebarsTag) -> Result<(), SyntaxError> {
        self.otherwise(tag)?;
        let content = self.content(tag)?;
        let name = content.simple_name().map_or("", |name| name.text.as_str());
        let is_negated = name == "unless";
        if let ("if" | "unless", Some(block)) = (name, self.open.last_mut())
            && let HandlebarsBlockKind::Branches { condition: next, .. } = &mut block.kind
        {
            *next = Some(condition(content, is_negated)?);
            return Ok(());
        }
        let head = content.head.span();
        let block = self.block(content, tag, false)?;
        self.push_open(self.source(head), tag, block, true)
    }

    fn close(&mut self, tag: HandlebarsTag) -> Result<(), SyntaxError> {
        let written = self.source(tag.content).trim();
        let wrong = excerpt(written);
        // The tag must name the block that the chained blocks continue, and closes all of them.
        let first = self.open.iter().rposition(|block| !block.is_chained);
        let Some(first) = first.and_then(|index| self.open.get(index)) else {
            let message = format!("`{{{{/{wrong}}}}}` has no open block");
            let help = format!("open the block with `{{{{#{wrong}}}}}`, or remove this tag");
            return Err(SyntaxError::new(tag.span, message).with_help(help));
        };
        if first.name != written {
            let name = excerpt(first.name);
            let between = self.source(TemplateSpan::new(first.tag.start, tag.span.start));
            let distance = distance_in_lines(between);
            let message =
                format!("`{{{{/{wrong}}}}}` does not close the block `{name}`, opened {distance}");
            let help = format!("write `{{{{/{name}}}}}` here, or close `{name}` before this tag");
            return Err(SyntaxError::new(tag.span, message).with_help(help));
        }
        while let Some(block) = self.open.pop() {
            let is_chained = block.is_chained;
            let span = block.tag.to(tag.span);
            let body = std::mem::replace(&mut self.nodes, block.outer);
            let kind = self.finish_block(block.kind, body);
            self.push(kind, span);
            if !is_chained {
                break;
            }
        }
        Ok(())
    }

    /// Completes a block with its last body.
    fn finish_block(&mut self, kind: HandlebarsBlockKind, body: Vec<Node>) -> NodeKind {
        match kind {
            HandlebarsBlockKind::Branches { mut branches, condition } => {
                let otherwise = match condition {
                    Some(condition) => {
                        branches.push((condition, body));
                        None
                    }
                    None => Some(body),
                };
                NodeKind::If(If { branches, otherwise })
            }
            HandlebarsBlockKind::Context { mut block, outside, .. } => {
                match outside {
                    None => {
                        self.blocks.leave();
                        block.body = body;
                    }
                    Some(_) => block.otherwise = body,
                }
                NodeKind::Context(block)
            }
            HandlebarsBlockKind::Message(call) => {
                let name = Name::new("caller", call.name.span);
                let caller = Macro { name, parameters: Vec::new(), defaults: Vec::new(), body };
                let span = call.name.span;
                let call = Expr { kind: ExprKind::Function(call), span };
                NodeKind::CallBlock { call, caller }
            }
        }
    }
}

/// Returns the condition of an `if`. With `includeZero=true`, 0 counts as true, so the condition of
/// `{{#if n includeZero=true}}` is `n or n == 0`.
fn condition(content: TagContent, is_negated: bool) -> Result<Expr, SyntaxError> {
    let span = content.span;
    let mut includes_zero = false;
    let mut plain = Vec::new();
    for argument in content.arguments {
        match argument {
            Argument::Named(name, value) if name.text == "includeZero" => {
                includes_zero = matches!(&value.kind, ExprKind::Literal(it) if it.is_true());
            }
            other => plain.push(other),
        }
    }
    let (mut condition, parameters) = one_argument(TagContent { arguments: plain, ..content })?;
    if let Some(name) = parameters.first() {
        return Err(SyntaxError::new(name.span, "`if` cannot have names after `as`")
            .with_help("use the value by its own name"));
    }
    let place = condition.span;
    if includes_zero {
        let zero = Expr { kind: ExprKind::Literal(Value::from(0)), span };
        let is_zero = binary(BinaryOperator::Equal, condition.clone(), zero, place);
        condition = binary(BinaryOperator::Or, condition, is_zero, place);
    }
    Ok(if is_negated { Expr { kind: not(condition), span: place } } else { condition })
}

fn binary(operator: BinaryOperator, left: Expr, right: Expr, span: TemplateSpan) -> Expr {
    let (left, right) = (Box::new(left), Box::new(right));
    Expr { kind: ExprKind::Binary { operator, left, right }, span }
}

/// Returns the single argument of a block, with the names after `as`.
fn one_argument(content: TagContent) -> Result<(Expr, Vec<Name>), SyntaxError> {
    let TagContent { arguments, parameters, span, .. } = content;
    let count = arguments.len();
    match arguments.into_iter().next() {
        Some(Argument::Positional(subject)) if count == 1 => Ok((subject, parameters)),
        _ => Err(SyntaxError::new(span, format!("the block expects 1 argument, found {count}"))
            .with_help("put a call that is an argument in parentheses: `{{#if (equals a b)}}`")),
    }
}

/// Whether a block is a message: `{{#message role="user"}}`, or `{{#user}}` with only attributes.
fn is_message(name: &str, content: &TagContent) -> bool {
    let has_attributes = |it: &Argument| matches!(it, Argument::Named(..));
    name == "message"
        || (helpers::ROLES.contains(&name) && content.arguments.iter().all(has_attributes))
}

/// Converts a message block into a call of `message`.
fn message_call(name: &Name, arguments: Vec<Argument>) -> Call {
    if name.text == "message" {
        return Call { name: name.clone(), arguments };
    }
    let role = ExprKind::Literal(Value::from(name.text.as_str()));
    let role = Expr { kind: role, span: name.span };
    let role = Argument::Named(Name::new("role", name.span), role);
    let arguments = std::iter::once(role).chain(arguments).collect();
    Call { name: Name::new("message", name.span), arguments }
}
