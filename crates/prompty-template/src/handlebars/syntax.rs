//! From the text of a Handlebars template to its tree.

use super::calls::{Meaning, assignment};
use super::expressions::{self, Content, Head};
use super::helpers;
use super::names::Block;
use crate::SyntaxError;
use crate::handlebars::pieces::{MAX_BLOCKS, Piece, Tag, TagKind, pieces};
use crate::tree::{
    Argument, BinaryOperator, Call, ContextBlock, ContextKind, Expr, ExprKind, If, Macro, Name,
    Node, NodeKind, Target, Template, UnaryOperator,
};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::diagnostic::suggest::suggest;
use prompty_core::value::Value;
use prompty_core::value::internal::excerpt;
use prompty_core::work::add_parsed;

/// Parses a Handlebars template. Spans are bytes of `text`.
///
/// Which value a name belongs to is known from the blocks around it, so a name in the tree is an input,
/// a name behind `as`, or an attribute of a [context](ExprKind::Context). `{{x}}` and `{{{x}}}` are the
/// same: a prompt is no HTML, and nothing is escaped. A partial is [`NodeKind::Partial`].
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
/// A tag or a block that is not closed or closed wrongly, what no name or call is, a block that nobody
/// knows, and blocks that lie too deep in each other.
pub fn parse(text: &str) -> Result<Template, SyntaxError> {
    add_parsed(text.len());
    let pieces = pieces(text)?;
    let mut parser = Parser {
        text,
        meaning: Meaning::default(),
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

struct Parser<'t> {
    text: &'t str,
    meaning: Meaning,
    /// The nodes of the innermost open body.
    nodes: Vec<Node>,
    open: Vec<OpenBlock<'t>>,
    raw: Vec<TemplateSpan>,
    is_raw: bool,
}

/// A block whose closing tag has not come yet.
struct OpenBlock<'t> {
    /// What its closing tag must hold.
    name: &'t str,
    tag: TemplateSpan,
    /// Whether `{{else name}}` opened it: then the block around closes it.
    is_chained: bool,
    kind: OpenKind,
    /// The nodes before it.
    outer: Vec<Node>,
}

enum OpenKind {
    /// `if` and `unless`.
    Branches {
        /// What is complete.
        branches: Vec<(Expr, Vec<Node>)>,
        /// The condition of the body that is being read; nothing behind `{{else}}`.
        condition: Option<Expr>,
    },
    /// `each`, `with`, or a section.
    Context {
        block: ContextBlock,
        /// What names mean in its body, while that is not being read.
        outside: Option<Block>,
        /// Whether `{{else}}` has come.
        has_else: bool,
    },
    /// A message.
    Message(Call),
}

impl<'t> Parser<'t> {
    #[expect(clippy::string_slice, reason = "the pieces and expressions are of this text")]
    fn written(&self, span: TemplateSpan) -> &'t str {
        &self.text[span.start..span.end]
    }

    fn push(&mut self, kind: NodeKind, span: TemplateSpan) {
        self.nodes.push(Node { kind, span });
    }

    fn push_text(&mut self, span: TemplateSpan) {
        if self.is_raw {
            self.raw.push(span);
        }
        self.push(NodeKind::Text(self.written(span).to_owned()), span);
    }

    fn finish(mut self) -> Result<Template, SyntaxError> {
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

    fn tag(&mut self, tag: Tag) -> Result<(), SyntaxError> {
        match tag.kind {
            TagKind::Comment => Ok(()),
            TagKind::Output => self.output(tag),
            TagKind::Open => self.open(tag, false),
            TagKind::Inverted => self.open(tag, true),
            TagKind::Else => self.otherwise(tag),
            TagKind::ElseIf => self.chain(tag),
            TagKind::Close => self.close(tag),
            TagKind::Partial | TagKind::PartialBlock => {
                self.push(NodeKind::Partial, tag.span);
                Ok(())
            }
            TagKind::Decorator => {
                let error = SyntaxError::new(tag.span, "Handlebars' decorators are not available");
                Err(error.with_help("write what an inline partial holds where it belongs"))
            }
            TagKind::RawOpen => self.open_raw(tag),
            TagKind::RawClose => {
                self.is_raw = false;
                Ok(())
            }
        }
    }

    fn open_raw(&mut self, tag: Tag) -> Result<(), SyntaxError> {
        let name = self.written(tag.content).trim();
        if name != "raw" {
            let message = format!("unknown raw block `{}`", excerpt(name));
            return Err(SyntaxError::new(tag.span, message)
                .with_help("write `{{{{raw}}}}…{{{{/raw}}}}` around text that holds braces"));
        }
        self.is_raw = true;
        Ok(())
    }

    fn content(&self, tag: Tag) -> Result<Content, SyntaxError> {
        if self.written(tag.content).trim().is_empty() {
            let error = SyntaxError::new(tag.span, "the tag has no name");
            return Err(error.with_help("name an input before the `}}`"));
        }
        expressions::read(self.text, tag.content, &self.meaning)
    }

    fn output(&mut self, tag: Tag) -> Result<(), SyntaxError> {
        let content = self.content(tag)?;
        let kind = match simple_name(&content) {
            Some(name) if name.text == "set" => {
                let (name, value) = assignment(&content.arguments, content.span)?;
                NodeKind::Set { target: Target::Name(name), value }
            }
            _ => NodeKind::Output(self.meaning.value(content)?),
        };
        self.push(kind, tag.span);
        Ok(())
    }

    fn open(&mut self, tag: Tag, is_inverted: bool) -> Result<(), SyntaxError> {
        let content = self.content(tag)?;
        let head = content.head.span();
        let block = self.block(content, tag, is_inverted)?;
        self.push_open(self.written(head), tag, block, false)
    }

    fn push_open(
        &mut self,
        name: &'t str,
        tag: Tag,
        kind: OpenKind,
        is_chained: bool,
    ) -> Result<(), SyntaxError> {
        if self.open.len() >= MAX_BLOCKS {
            let message = format!("blocks lie deeper than {MAX_BLOCKS} levels in each other");
            return Err(SyntaxError::new(tag.span, message));
        }
        let outer = std::mem::take(&mut self.nodes);
        self.open.push(OpenBlock { name, tag: tag.span, is_chained, kind, outer });
        Ok(())
    }

    /// What a tag opens.
    fn block(
        &mut self,
        content: Content,
        tag: Tag,
        is_inverted: bool,
    ) -> Result<OpenKind, SyntaxError> {
        let name = simple_name(&content).cloned();
        let text = name.as_ref().map_or("", |name| name.text.as_str());
        let kind = match text {
            "if" | "unless" => {
                let condition = self.condition(content, (text == "unless") != is_inverted)?;
                return Ok(OpenKind::Branches { branches: Vec::new(), condition: Some(condition) });
            }
            "each" => ContextKind::Each,
            "with" => ContextKind::With,
            _ => {
                if let Some(name) = &name
                    && !is_inverted
                    && is_message(&name.text, &content)
                {
                    return Ok(OpenKind::Message(message(name, content.arguments)));
                }
                return self.section(content, tag, is_inverted);
            }
        };
        let (subject, parameters) = one_argument(content)?;
        Ok(self.context(kind, subject, parameters, is_inverted))
    }

    /// The condition of an `if`.
    fn condition(&self, content: Content, is_negated: bool) -> Result<Expr, SyntaxError> {
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
        let (mut condition, parameters) = one_argument(Content { arguments: plain, ..content })?;
        if let Some(name) = parameters.first() {
            return Err(SyntaxError::new(name.span, "an `if` gives no names")
                .with_help("use the value by its own name"));
        }
        let place = condition.span;
        if includes_zero {
            let zero = Expr { kind: ExprKind::Literal(Value::from(0)), span };
            let is_zero = binary(BinaryOperator::Equal, condition.clone(), zero, place);
            condition = binary(BinaryOperator::Or, condition, is_zero, place);
        }
        if is_negated {
            let kind =
                ExprKind::Unary { operator: UnaryOperator::Not, operand: Box::new(condition) };
            condition = Expr { kind, span: place };
        }
        Ok(condition)
    }

    /// `{{#name}}`
    fn section(
        &mut self,
        mut content: Content,
        tag: Tag,
        is_inverted: bool,
    ) -> Result<OpenKind, SyntaxError> {
        if !content.arguments.is_empty() {
            let name = excerpt(self.written(content.head.span()));
            let mut known = helpers::BLOCKS.to_vec();
            known.push("message");
            let help = match suggest(&name, &known) {
                Some(similar) => format!("a block with a similar name exists: `{similar}`"),
                None => "there are: `each`, `if`, `message`, `unless`, `with`".to_owned(),
            };
            return Err(
                SyntaxError::new(tag.span, format!("unknown block `{name}`")).with_help(help)
            );
        }
        let parameters = std::mem::take(&mut content.parameters);
        let subject = self.meaning.value(content)?;
        Ok(self.context(ContextKind::Section, subject, parameters, is_inverted))
    }

    fn context(
        &mut self,
        kind: ContextKind,
        subject: Expr,
        parameters: Vec<Name>,
        is_inverted: bool,
    ) -> OpenKind {
        let repeats = kind != ContextKind::With;
        let inside = Block { parameters: parameters.clone(), repeats };
        let block =
            ContextBlock { kind, subject, parameters, body: Vec::new(), otherwise: Vec::new() };
        let outside = if is_inverted {
            Some(inside)
        } else {
            self.meaning.blocks.enter(inside);
            None
        };
        OpenKind::Context { block, outside, has_else: false }
    }

    /// `{{else}}`
    fn otherwise(&mut self, tag: Tag) -> Result<(), SyntaxError> {
        let body = std::mem::take(&mut self.nodes);
        let Some(block) = self.open.last_mut() else {
            return Err(SyntaxError::new(tag.span, "this `else` belongs to no block")
                .with_help("open one before it, as in `{{#if name}}`"));
        };
        let is_first = match &mut block.kind {
            OpenKind::Branches { branches, condition } => match condition.take() {
                Some(condition) => {
                    branches.push((condition, body));
                    true
                }
                None => false,
            },
            OpenKind::Context { block, outside, has_else } => {
                let is_first = !*has_else;
                *has_else = true;
                match outside.take() {
                    None => {
                        block.body = body;
                        *outside = self.meaning.blocks.leave();
                    }
                    Some(inside) => {
                        block.otherwise = body;
                        self.meaning.blocks.enter(inside);
                    }
                }
                is_first
            }
            OpenKind::Message(_) => {
                return Err(SyntaxError::new(tag.span, "a message has no `else`")
                    .with_help("close the block that is open in it first"));
            }
        };
        if is_first {
            return Ok(());
        }
        let message = format!("a second `else` in the block `{}`", excerpt(block.name));
        Err(SyntaxError::new(tag.span, message)
            .with_help("`{{else if name}}` stands before `{{else}}`"))
    }

    /// `{{else name}}`
    fn chain(&mut self, tag: Tag) -> Result<(), SyntaxError> {
        self.otherwise(tag)?;
        let content = self.content(tag)?;
        let name = simple_name(&content).map_or("", |name| name.text.as_str());
        let is_if = matches!(name, "if" | "unless");
        let is_negated = name == "unless";
        if is_if
            && let Some(block) = self.open.last()
            && matches!(block.kind, OpenKind::Branches { .. })
        {
            let read = self.condition(content, is_negated)?;
            if let Some(OpenBlock { kind: OpenKind::Branches { condition, .. }, .. }) =
                self.open.last_mut()
            {
                *condition = Some(read);
            }
            return Ok(());
        }
        let head = content.head.span();
        let block = self.block(content, tag, false)?;
        self.push_open(self.written(head), tag, block, true)
    }

    fn close(&mut self, tag: Tag) -> Result<(), SyntaxError> {
        let written = self.written(tag.content).trim();
        let wrong = excerpt(written);
        let first = self.open.iter().rposition(|block| !block.is_chained);
        let Some(first) = first.and_then(|index| self.open.get(index)) else {
            let message = format!("`{{{{/{wrong}}}}}` closes nothing");
            let help = format!("open the block with `{{{{#{wrong}}}}}`, or take this tag out");
            return Err(SyntaxError::new(tag.span, message).with_help(help));
        };
        if first.name != written {
            let name = excerpt(first.name);
            let between = self.written(TemplateSpan::new(first.tag.start, tag.span.start));
            let lines = between.matches('\n').count();
            let above = match lines {
                0 => "in the same line".to_owned(),
                1 => "one line above".to_owned(),
                lines => format!("{lines} lines above"),
            };
            let message =
                format!("`{{{{/{wrong}}}}}` does not close the block `{name}`, opened {above}");
            let help = format!("write `{{{{/{name}}}}}` here, or close `{name}` before this tag");
            return Err(SyntaxError::new(tag.span, message).with_help(help));
        }
        while let Some(block) = self.open.pop() {
            let is_chained = block.is_chained;
            let span = block.tag.to(tag.span);
            let body = std::mem::replace(&mut self.nodes, block.outer);
            let kind = self.finished(block.kind, body);
            self.push(kind, span);
            if !is_chained {
                break;
            }
        }
        Ok(())
    }

    /// A block whose last body has been read.
    fn finished(&mut self, kind: OpenKind, body: Vec<Node>) -> NodeKind {
        match kind {
            OpenKind::Branches { mut branches, condition } => {
                let otherwise = match condition {
                    Some(condition) => {
                        branches.push((condition, body));
                        None
                    }
                    None => Some(body),
                };
                NodeKind::If(If { branches, otherwise })
            }
            OpenKind::Context { mut block, outside, .. } => {
                match outside {
                    None => {
                        self.meaning.blocks.leave();
                        block.body = body;
                    }
                    Some(_) => block.otherwise = body,
                }
                NodeKind::Context(block)
            }
            OpenKind::Message(call) => {
                let name = Name::new("caller", call.name.span);
                let caller = Macro { name, parameters: Vec::new(), defaults: Vec::new(), body };
                let span = call.name.span;
                let call = Expr { kind: ExprKind::Function(call), span };
                NodeKind::CallBlock { call, caller }
            }
        }
    }
}

/// The name that a tag begins with, where it is one name alone.
fn simple_name(content: &Content) -> Option<&Name> {
    match &content.head {
        Head::Path(path) => path.simple(),
        Head::Literal(..) | Head::Call(_) => None,
    }
}

fn binary(operator: BinaryOperator, left: Expr, right: Expr, span: TemplateSpan) -> Expr {
    let (left, right) = (Box::new(left), Box::new(right));
    Expr { kind: ExprKind::Binary { operator, left, right }, span }
}

/// The one argument of a block, with the names behind `as`.
fn one_argument(content: Content) -> Result<(Expr, Vec<Name>), SyntaxError> {
    let Content { arguments, parameters, span, .. } = content;
    let count = arguments.len();
    match arguments.into_iter().next() {
        Some(Argument::Positional(subject)) if count == 1 => Ok((subject, parameters)),
        _ => Err(SyntaxError::new(span, format!("the block takes 1 argument, and gets {count}"))
            .with_help("a call as an argument stands in parentheses: `{{#if (equals a b)}}`")),
    }
}

/// Whether a block is a message: `{{#message role="user"}}`, or `{{#user}}` with attributes alone.
fn is_message(name: &str, content: &Content) -> bool {
    let has_attributes = |it: &Argument| matches!(it, Argument::Named(..));
    name == "message"
        || (helpers::ROLES.contains(&name) && content.arguments.iter().all(has_attributes))
}

/// A message as a call of `message`.
fn message(name: &Name, arguments: Vec<Argument>) -> Call {
    if name.text == "message" {
        return Call { name: name.clone(), arguments };
    }
    let role = ExprKind::Literal(Value::from(name.text.as_str()));
    let role = Expr { kind: role, span: name.span };
    let role = Argument::Named(Name::new("role", name.span), role);
    let arguments = std::iter::once(role).chain(arguments).collect();
    Call { name: Name::new("message", name.span), arguments }
}
