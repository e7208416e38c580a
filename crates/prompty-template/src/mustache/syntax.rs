//! From the text of a Mustache template to its tree.

use super::recursion::{self, Sign};
use super::tags::{Tag, TagKind, Tags};
use crate::SyntaxError;
use crate::tree::{
    Call, Expr, ExprKind, Indentation, Name, Node, NodeKind, RecursivePartial, Section, Template,
};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::internal::excerpt;
use prompty_core::work::add_parsed;

/// How deep sections may lie in each other, and how many names a dotted name may have: later walks
/// over the tree recurse that deep.
const MAX_DEPTH: usize = 64;

/// How many bytes a name may have: each is looked up as often as a loop turns.
const MAX_NAME: usize = 256;

/// Parses a Mustache template. Spans are bytes of `text`.
///
/// A printed value that is HTML-escaped is a filter `escape` in the tree, `{{{x}}}` and `{{&x}}` are
/// the bare expression. A partial whose file does not stand in the text is [`NodeKind::Partial`].
///
/// ```
/// use prompty_template::mustache::parse;
///
/// assert_eq!(parse("Hi {{name}}")?.nodes.len(), 2);
/// let error = parse("{{#items}}- {{.}}").unwrap_err();
/// assert_eq!(error.message, "the section `items` is never closed");
/// assert_eq!(error.help.as_deref(), Some("write `{{/items}}` where it ends"));
/// # Ok::<(), prompty_template::SyntaxError>(())
/// ```
///
/// # Errors
///
/// A tag or a section that is not closed or closed wrongly, a name that Mustache does not have, or
/// sections that lie too deep in each other.
pub fn parse(text: &str) -> Result<Template, SyntaxError> {
    add_parsed(text.len());
    Parser::new(text).parse()
}

struct Parser<'t> {
    text: &'t str,
    tags: Tags<'t>,
    /// The nodes of the innermost open block.
    nodes: Vec<Node>,
    open: Vec<OpenBlock<'t>>,
}

/// A section or partial whose closing tag has not come yet.
struct OpenBlock<'t> {
    kind: OpenKind<'t>,
    tag: TemplateSpan,
    /// The nodes before it.
    outer: Vec<Node>,
}

enum OpenKind<'t> {
    Section {
        name: &'t str,
        subject: Expr,
        inverted: bool,
    },
    /// A partial that names itself.
    Partial(usize, Indentation),
}

impl OpenKind<'_> {
    /// What its closing tag holds behind the `/`.
    fn closer(&self) -> String {
        match self {
            Self::Section { name, .. } => (*name).to_owned(),
            Self::Partial(number, _) => recursion::end(*number),
        }
    }
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, tags: Tags::new(text), nodes: Vec::new(), open: Vec::new() }
    }

    fn parse(mut self) -> Result<Template, SyntaxError> {
        let mut done = 0;
        while let Some(tag) = self.tags.next_tag()? {
            self.push_text(done, tag.taken().start);
            done = self.tags.position();
            self.push_tag(&tag)?;
        }
        self.push_text(done, self.text.len());
        match self.open.pop() {
            None => Ok(Template { nodes: self.nodes, raw: Vec::new() }),
            Some(block) => {
                let name = block.kind.closer();
                let message = format!("the section `{}` is never closed", excerpt(&name));
                let closer = self.tags.delimiters().tag(&format!("/{}", excerpt(&name)));
                Err(SyntaxError::new(block.tag, message)
                    .with_help(format!("write `{closer}` where it ends")))
            }
        }
    }

    fn push(&mut self, kind: NodeKind, span: TemplateSpan) {
        self.nodes.push(Node { kind, span });
    }

    /// A text as a node, if there is any.
    fn push_text(&mut self, start: usize, end: usize) {
        match self.text.get(start..end) {
            None | Some("") => {}
            Some(text) => self.push(NodeKind::Text(text.to_owned()), TemplateSpan::new(start, end)),
        }
    }

    fn push_tag(&mut self, tag: &Tag<'t>) -> Result<(), SyntaxError> {
        match tag.kind {
            TagKind::Escaped => {
                let expr = escaped(self.expression(tag)?);
                self.push(NodeKind::Output(expr), tag.span);
            }
            TagKind::Raw => {
                let expr = self.expression(tag)?;
                self.push(NodeKind::Output(expr), tag.span);
            }
            TagKind::Section => self.open_section(tag, false)?,
            TagKind::Inverted => self.open_section(tag, true)?,
            TagKind::Close => self.close(tag)?,
            TagKind::Comment | TagKind::Delimiters => {}
            TagKind::Partial => self.partial(tag)?,
        }
        Ok(())
    }

    fn partial(&mut self, tag: &Tag<'t>) -> Result<(), SyntaxError> {
        if tag.content.is_empty() {
            return Err(self.no_name(tag));
        }
        let kind = match Sign::read(tag.content) {
            None => NodeKind::Partial,
            Some(Sign::Indentation) => NodeKind::Indentation,
            Some(Sign::Begin(number, indentation)) => {
                return self.open(tag, OpenKind::Partial(number, indentation));
            }
            Some(Sign::Again(number, indentation)) => {
                let is_inside = |block: &OpenBlock<'_>| matches!(block.kind, OpenKind::Partial(open, _) if open == number);
                if !self.open.iter().any(is_inside) {
                    let message = format!("the partial {number} is not around this tag");
                    return Err(
                        SyntaxError::new(tag.span, message).with_help("write the name of a file")
                    );
                }
                NodeKind::Recursion { number, indentation }
            }
        };
        self.push(kind, tag.span);
        Ok(())
    }

    fn open_section(&mut self, tag: &Tag<'t>, inverted: bool) -> Result<(), SyntaxError> {
        let subject = self.expression(tag)?;
        self.open(tag, OpenKind::Section { name: tag.content, subject, inverted })
    }

    fn open(&mut self, tag: &Tag<'t>, kind: OpenKind<'t>) -> Result<(), SyntaxError> {
        if self.open.len() >= MAX_DEPTH {
            let message = format!("sections lie deeper than {MAX_DEPTH} levels in each other");
            return Err(SyntaxError::new(tag.span, message));
        }
        let outer = std::mem::take(&mut self.nodes);
        self.open.push(OpenBlock { kind, tag: tag.span, outer });
        Ok(())
    }

    fn close(&mut self, tag: &Tag<'t>) -> Result<(), SyntaxError> {
        if tag.content.is_empty() {
            return Err(self.no_name(tag));
        }
        let delimiters = self.tags.delimiters();
        let closer = delimiters.tag(&format!("/{}", excerpt(tag.content)));
        let Some(block) = self.open.pop() else {
            let opener = delimiters.tag(&format!("#{}", excerpt(tag.content)));
            return Err(SyntaxError::new(tag.span, format!("`{closer}` closes nothing"))
                .with_help(format!("open the section with `{opener}`, or take this tag out")));
        };
        let wanted = block.kind.closer();
        if wanted != tag.content {
            let name = excerpt(&wanted);
            let message = format!(
                "`{closer}` does not close the section `{name}`, opened {}",
                self.how_far_above(block.tag.start, tag.span.start)
            );
            let wanted = delimiters.tag(&format!("/{name}"));
            return Err(SyntaxError::new(tag.span, message)
                .with_help(format!("write `{wanted}` here, or close `{name}` before this tag")));
        }
        let body = std::mem::replace(&mut self.nodes, block.outer);
        let kind = match block.kind {
            OpenKind::Section { subject, inverted, .. } => {
                NodeKind::Section(Section { subject, inverted, body })
            }
            OpenKind::Partial(number, indentation) => {
                NodeKind::RecursivePartial(RecursivePartial { number, indentation, body })
            }
        };
        self.push(kind, block.tag.to(tag.span));
        Ok(())
    }

    /// A distance in lines: it is the same in the template and in the file that holds it.
    fn how_far_above(&self, start: usize, end: usize) -> String {
        let between = self.text.bytes().take(end).skip(start);
        match between.filter(|byte| *byte == b'\n').count() {
            0 => "in the same line".to_owned(),
            1 => "one line above".to_owned(),
            lines => format!("{lines} lines above"),
        }
    }

    /// The name in a tag as an expression.
    fn expression(&self, tag: &Tag<'t>) -> Result<Expr, SyntaxError> {
        let span = tag.content_span();
        if tag.content == "." {
            return Ok(Expr { kind: ExprKind::Implicit, span });
        }
        if tag.content.is_empty() {
            return Err(self.no_name(tag));
        }
        if let Some(help) = why_no_name(tag.content) {
            let message = format!("`{}` is not a name that Mustache has", excerpt(tag.content));
            return Err(SyntaxError::new(span, message).with_help(help));
        }
        if tag.content.len() > MAX_NAME || tag.content.split('.').count() > MAX_DEPTH {
            return Err(SyntaxError::new(span, "the name is too long").with_help(format!(
                "a name has at most {MAX_NAME} bytes, and at most {MAX_DEPTH} parts"
            )));
        }
        dotted(tag.content, span.start)
    }

    fn no_name(&self, tag: &Tag<'t>) -> SyntaxError {
        let close = &self.tags.delimiters().close;
        let mut error = SyntaxError::new(tag.span, "the tag has no name");
        error.help = Some(match tag.kind {
            TagKind::Close => match self.open.last() {
                Some(block) => {
                    let name = block.kind.closer();
                    let closer = self.tags.delimiters().tag(&format!("/{}", excerpt(&name)));
                    format!("write `{closer}` to close the section")
                }
                None => "take this tag out: there is no section to close".to_owned(),
            },
            _ => format!("name an input before the `{close}`"),
        });
        error
    }
}

/// Why a text cannot be a name, as a way to mend it.
fn why_no_name(text: &str) -> Option<&'static str> {
    let first = text.chars().next()?;
    if matches!(first, '$' | '<') {
        return Some(
            "Mustache's blocks and parents are not available: write what they share as a partial",
        );
    }
    text.chars().find_map(|character| match character {
        '|' | '(' | ')' => {
            Some("Mustache has no filters and no calls: prepare the value before it is rendered")
        }
        '[' | ']' => Some("write `items.0` for an item of a list"),
        '{' | '}' | '"' | '\'' => Some("a name holds no braces and no quotation marks"),
        space if space.is_whitespace() => Some(
            "a tag holds one name: `{{name}}` prints it, `{{#name}}…{{/name}}` is written if it is \
             true, and for each item of a list",
        ),
        _ => None,
    })
}

/// A name such as `a.b.c` that begins at `start`.
fn dotted(text: &str, start: usize) -> Result<Expr, SyntaxError> {
    let mut offset = start;
    let mut whole: Option<Expr> = None;
    for part in text.split('.') {
        let span = TemplateSpan::new(offset, offset + part.len());
        offset = span.end + 1;
        if part.is_empty() {
            let place = TemplateSpan::new(start, start + text.len());
            return Err(SyntaxError::new(place, "a part of the dotted name is empty")
                .with_help("write a name before and behind each dot, as in `user.name`"));
        }
        whole = Some(match whole {
            None => Expr { kind: ExprKind::Variable(part.to_owned()), span },
            Some(value) => Expr {
                span: value.span.to(span),
                kind: ExprKind::Attribute { value: Box::new(value), name: Name::new(part, span) },
            },
        });
    }
    // A split gives at least one part.
    whole.ok_or_else(|| SyntaxError::new(TemplateSpan::new(start, start), "the tag has no name"))
}

fn escaped(value: Expr) -> Expr {
    let span = value.span;
    let call = Call { name: Name::new("escape", span), arguments: Vec::new() };
    Expr { kind: ExprKind::Filter { value: Box::new(value), call }, span }
}
