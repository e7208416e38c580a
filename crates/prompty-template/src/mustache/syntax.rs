//! Parses the text of a Mustache template into its tree.
//!
//! The parser reads the tags of the text in order. A tag that opens a section pushes a
//! [`MustacheBlock`], which keeps the nodes before it. The closing tag pops the block, whose body
//! is the nodes since then.

use super::recursion::{self, RecursionTag};
use super::tags::{MustacheTag, MustacheTagKind, MustacheTagReader};
use crate::syntax_error::{SyntaxError, distance_in_lines};
use crate::tree::{
    Call, Expr, ExprKind, Indentation, Name, Node, NodeKind, RecursivePartial, Section, Template,
};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::internal::excerpt;
use prompty_core::work::add_parsed;

/// The maximum nesting of sections, and the maximum number of parts of a dotted name. Recursive
/// walks over the tree depend on it.
const MAX_DEPTH: usize = 64;

/// The maximum length of a name in bytes. A name in a loop is looked up in each iteration.
const MAX_NAME: usize = 256;

/// Parses a Mustache template. Spans are bytes of `text`.
///
/// An HTML-escaped value has a filter `escape` in the tree. `{{{x}}}` and `{{&x}}` are the
/// expression without the filter. A partial that was not assembled is [`NodeKind::Partial`].
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
/// Returns an error for a tag or section that is not closed correctly, an invalid name, or sections
/// that are nested too deeply.
pub fn parse(text: &str) -> Result<Template, SyntaxError> {
    add_parsed(text.len());
    let (tags, nodes, open) = (MustacheTagReader::new(text), Vec::new(), Vec::new());
    MustacheParser { text, tags, nodes, open }.parse()
}

/// The state of the parser.
struct MustacheParser<'t> {
    text: &'t str,
    tags: MustacheTagReader<'t>,
    /// The nodes of the innermost open block so far.
    nodes: Vec<Node>,
    open: Vec<MustacheBlock<'t>>,
}

/// A section or partial without its closing tag so far.
struct MustacheBlock<'t> {
    kind: MustacheBlockKind<'t>,
    tag: TemplateSpan,
    /// The nodes before it.
    outer: Vec<Node>,
}

/// The kind of an open block.
enum MustacheBlockKind<'t> {
    Section {
        name: &'t str,
        subject: Expr,
        inverted: bool,
    },
    /// A partial that includes itself.
    Partial(usize, Indentation),
}

impl MustacheBlockKind<'_> {
    /// Returns the content after the `/` of its closing tag.
    fn closer(&self) -> String {
        match self {
            Self::Section { name, .. } => (*name).to_owned(),
            Self::Partial(number, _) => recursion::end(*number),
        }
    }
}

impl<'t> MustacheParser<'t> {
    fn parse(mut self) -> Result<Template, SyntaxError> {
        let mut done = 0;
        while let Some(tag) = self.tags.next_tag()? {
            self.push_text(done, tag.removed_span().start);
            done = self.tags.position();
            self.push_tag(&tag)?;
        }
        self.push_text(done, self.text.len());
        match self.open.pop() {
            None => Ok(Template { nodes: self.nodes, raw: Vec::new() }),
            Some(block) => {
                let name = block.kind.closer();
                let message = format!("the section `{}` is never closed", excerpt(&name));
                let help = format!("write `{}` where it ends", self.closing_tag(&name));
                Err(SyntaxError::new(block.tag, message).with_help(help))
            }
        }
    }

    fn push(&mut self, kind: NodeKind, span: TemplateSpan) {
        self.nodes.push(Node { kind, span });
    }

    /// Adds a text node, if the text is not empty.
    fn push_text(&mut self, start: usize, end: usize) {
        match self.text.get(start..end) {
            None | Some("") => {}
            Some(text) => self.push(NodeKind::Text(text.to_owned()), TemplateSpan::new(start, end)),
        }
    }

    fn push_tag(&mut self, tag: &MustacheTag<'t>) -> Result<(), SyntaxError> {
        match tag.kind {
            MustacheTagKind::Escaped => {
                let expr = escaped(self.expression(tag)?);
                self.push(NodeKind::Output(expr), tag.span);
            }
            MustacheTagKind::Raw => {
                let expr = self.expression(tag)?;
                self.push(NodeKind::Output(expr), tag.span);
            }
            MustacheTagKind::Section => self.open_section(tag, false)?,
            MustacheTagKind::Inverted => self.open_section(tag, true)?,
            MustacheTagKind::Close => self.close(tag)?,
            MustacheTagKind::Comment | MustacheTagKind::Delimiters => {}
            MustacheTagKind::Partial => self.partial(tag)?,
        }
        Ok(())
    }

    fn partial(&mut self, tag: &MustacheTag<'t>) -> Result<(), SyntaxError> {
        if tag.content.is_empty() {
            return Err(self.missing_name(tag));
        }
        let kind = match RecursionTag::read(tag.content) {
            None => NodeKind::Partial,
            Some(RecursionTag::Indentation) => NodeKind::Indentation,
            Some(RecursionTag::Begin(number, indentation)) => {
                return self.open(tag, MustacheBlockKind::Partial(number, indentation));
            }
            Some(RecursionTag::Again(number, indentation)) => {
                let is_open = self.open.iter().any(|block| {
                    matches!(block.kind, MustacheBlockKind::Partial(open, _) if open == number)
                });
                if !is_open {
                    let message = format!("the tag `{}` is reserved", excerpt(tag.content));
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

    fn open_section(&mut self, tag: &MustacheTag<'t>, inverted: bool) -> Result<(), SyntaxError> {
        let subject = self.expression(tag)?;
        self.open(tag, MustacheBlockKind::Section { name: tag.content, subject, inverted })
    }

    fn open(
        &mut self,
        tag: &MustacheTag<'t>,
        kind: MustacheBlockKind<'t>,
    ) -> Result<(), SyntaxError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(SyntaxError::nested_too_deep(tag.span, "sections", MAX_DEPTH));
        }
        let outer = std::mem::take(&mut self.nodes);
        self.open.push(MustacheBlock { kind, tag: tag.span, outer });
        Ok(())
    }

    fn close(&mut self, tag: &MustacheTag<'t>) -> Result<(), SyntaxError> {
        if tag.content.is_empty() {
            return Err(self.missing_name(tag));
        }
        let closer = self.closing_tag(tag.content);
        let Some(block) = self.open.pop() else {
            let opener = self.tags.delimiters().tag(&format!("#{}", excerpt(tag.content)));
            return Err(SyntaxError::new(tag.span, format!("`{closer}` has no open section"))
                .with_help(format!("open the section with `{opener}`, or remove this tag")));
        };
        let wanted = block.kind.closer();
        if wanted != tag.content {
            let name = excerpt(&wanted);
            let between = TemplateSpan::new(block.tag.start, tag.span.start).text_in(self.text);
            let distance = distance_in_lines(between.unwrap_or_default());
            let message =
                format!("`{closer}` does not close the section `{name}`, opened {distance}");
            let wanted = self.closing_tag(&wanted);
            return Err(SyntaxError::new(tag.span, message)
                .with_help(format!("write `{wanted}` here, or close `{name}` before this tag")));
        }
        let body = std::mem::replace(&mut self.nodes, block.outer);
        let kind = match block.kind {
            MustacheBlockKind::Section { subject, inverted, .. } => {
                NodeKind::Section(Section { subject, inverted, body })
            }
            MustacheBlockKind::Partial(number, indentation) => {
                NodeKind::RecursivePartial(RecursivePartial { number, indentation, body })
            }
        };
        self.push(kind, block.tag.to(tag.span));
        Ok(())
    }

    /// Converts the name in a tag into an expression.
    fn expression(&self, tag: &MustacheTag<'t>) -> Result<Expr, SyntaxError> {
        let span = tag.content_span();
        if tag.content == "." {
            return Ok(Expr { kind: ExprKind::Implicit, span });
        }
        if tag.content.is_empty() {
            return Err(self.missing_name(tag));
        }
        if let Some(help) = help_for_invalid_name(tag.content) {
            let message = format!("`{}` is not a valid name", excerpt(tag.content));
            return Err(SyntaxError::new(span, message).with_help(help));
        }
        if tag.content.len() > MAX_NAME || tag.content.split('.').count() > MAX_DEPTH {
            return Err(SyntaxError::new(span, "the name is too long").with_help(format!(
                "write a name of at most {MAX_NAME} bytes and {MAX_DEPTH} parts"
            )));
        }
        if tag.content.split('.').any(str::is_empty) {
            return Err(SyntaxError::new(span, "a part of the dotted name is empty")
                .with_help("write a name before and after each dot, as in `user.name`"));
        }
        Ok(dotted_name(tag.content, span.start))
    }

    fn missing_name(&self, tag: &MustacheTag<'t>) -> SyntaxError {
        let help = match (tag.kind, self.open.last()) {
            (MustacheTagKind::Close, Some(block)) => {
                format!("write `{}` to close the section", self.closing_tag(&block.kind.closer()))
            }
            (MustacheTagKind::Close, None) => "remove this tag; no section is open".to_owned(),
            _ => {
                let close = &self.tags.delimiters().close;
                format!("write the name of an input before the `{close}`")
            }
        };
        SyntaxError::new(tag.span, "the tag has no name").with_help(help)
    }

    /// Returns the tag that closes a section, for messages.
    fn closing_tag(&self, name: &str) -> String {
        self.tags.delimiters().tag(&format!("/{}", excerpt(name)))
    }
}

/// Returns the help text for an invalid name; `None` for a valid one.
fn help_for_invalid_name(text: &str) -> Option<&'static str> {
    let first = text.chars().next()?;
    if matches!(first, '$' | '<') {
        return Some(
            "write the shared text as a partial; Mustache's blocks and parents are not available",
        );
    }
    text.chars().find_map(|character| match character {
        '|' | '(' | ')' => {
            Some("prepare the value outside of the template; Mustache has no filters and no calls")
        }
        '[' | ']' => Some("write `items.0` for an item of a list"),
        '{' | '}' | '"' | '\'' => Some("remove braces and quotation marks from the name"),
        space if space.is_whitespace() => Some(
            "write one name in the tag: `{{name}}` prints it, and `{{#name}}…{{/name}}` is written \
             if it is true, or for each item of a list",
        ),
        _ => None,
    })
}

/// Converts a name such as `a.b.c` that begins at `start` into an expression.
fn dotted_name(text: &str, start: usize) -> Expr {
    let mut parts = text.split('.');
    let first = parts.next().unwrap_or(text);
    let span = TemplateSpan::new(start, start + first.len());
    let variable = Expr { kind: ExprKind::Variable(first.to_owned()), span };
    parts.fold(variable, |value, part| {
        let start = value.span.end + 1;
        let name = Name::new(part, TemplateSpan::new(start, start + part.len()));
        let span = value.span.to(name.span);
        Expr { kind: ExprKind::Attribute { value: Box::new(value), name }, span }
    })
}

/// Adds the filter `escape` to an expression.
fn escaped(value: Expr) -> Expr {
    let span = value.span;
    let call = Call { name: Name::new("escape", span), arguments: Vec::new() };
    Expr { kind: ExprKind::Filter { value: Box::new(value), call }, span }
}
