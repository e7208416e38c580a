//! From the text of a Mustache template to its tree.

use prompty_core::diagnostic::Span;
use prompty_core::jinja::SyntaxError;
use prompty_core::jinja::tree::{Call, Expr, ExprKind, Name, Node, NodeKind, Section, Template};
use prompty_core::text::slice;
use prompty_core::value::internal::excerpt;

/// How deep sections may lie in each other, and how many names a dotted name may have: later walks
/// over the tree recurse that deep.
const MAX_DEPTH: usize = 64;

/// How many bytes a name may have: each is looked up as often as a loop turns.
const MAX_NAME: usize = 256;

/// Parses a Mustache template. Spans are bytes of `text`.
///
/// A printed value that is HTML-escaped is a filter `escape` in the tree, `{{{x}}}` and `{{&x}}` are
/// the bare expression. A partial is [`NodeKind::Unsupported`].
///
/// ```
/// use prompty_runtime::template::mustache::parse;
///
/// assert_eq!(parse("Hi {{name}}")?.nodes.len(), 2);
/// let error = parse("{{#items}}- {{.}}").unwrap_err();
/// assert_eq!(error.message, "the section `items` is never closed");
/// assert_eq!(error.help.as_deref(), Some("write `{{/items}}` where it ends"));
/// # Ok::<(), prompty_core::jinja::SyntaxError>(())
/// ```
///
/// # Errors
///
/// A tag or a section that is not closed or closed wrongly, a name that Mustache does not have, or
/// sections that lie too deep in each other.
pub fn parse(text: &str) -> Result<Template, SyntaxError> {
    Parser::new(text).parse()
}

struct Parser<'t> {
    text: &'t str,
    /// How far the text is read.
    position: usize,
    delimiters: Delimiters<'t>,
    /// The nodes of the innermost open section.
    nodes: Vec<Node>,
    sections: Vec<OpenSection<'t>>,
}

/// What opens and closes tags.
struct Delimiters<'t> {
    open: &'t str,
    close: &'t str,
    /// What closes `{{{`.
    close_raw: String,
    /// What closes `{{=`.
    close_change: String,
}

impl<'t> Delimiters<'t> {
    fn new(open: &'t str, close: &'t str) -> Self {
        Self { open, close, close_raw: format!("}}{close}"), close_change: format!("={close}") }
    }

    /// A tag as the author would write it.
    fn tag(&self, content: &str) -> String {
        format!("{}{content}{}", self.open, self.close)
    }
}

/// A section whose closing tag has not come yet.
struct OpenSection<'t> {
    name: &'t str,
    tag: Span,
    subject: Expr,
    inverted: bool,
    /// The nodes before it.
    outer: Vec<Node>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TagKind {
    Escaped,
    Raw,
    Section,
    Inverted,
    Close,
    Comment,
    Partial,
    Delimiters,
}

impl TagKind {
    /// Whether a line that holds nothing else is left out with it.
    fn may_stand_alone(self) -> bool {
        !matches!(self, Self::Escaped | Self::Raw)
    }
}

#[derive(Clone, Copy)]
struct Tag<'t> {
    kind: TagKind,
    /// All of it, delimiters included.
    span: Span,
    /// What it holds behind its sign, without white space around it.
    content: &'t str,
    /// Where that begins.
    content_start: usize,
}

impl Tag<'_> {
    fn content_span(&self) -> Span {
        Span::new(self.content_start, self.content_start + self.content.len())
    }
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            position: 0,
            delimiters: Delimiters::new("{{", "}}"),
            nodes: Vec::new(),
            sections: Vec::new(),
        }
    }

    fn parse(mut self) -> Result<Template, SyntaxError> {
        while let Some(distance) = self.rest(self.position).find(self.delimiters.open) {
            let tag = self.read_tag(self.position + distance)?;
            let taken = self.taken_by(&tag);
            self.push_text(taken.start);
            self.position = taken.end;
            self.push_tag(tag)?;
        }
        self.push_text(self.text.len());
        match self.sections.pop() {
            None => Ok(Template { nodes: self.nodes, raw: Vec::new() }),
            Some(section) => {
                let message = format!("the section `{}` is never closed", excerpt(section.name));
                let closer = self.delimiters.tag(&format!("/{}", excerpt(section.name)));
                Err(SyntaxError::new(section.tag, message)
                    .with_help(format!("write `{closer}` where it ends")))
            }
        }
    }

    fn rest(&self, start: usize) -> &'t str {
        slice(self.text, start..)
    }

    fn push(&mut self, kind: NodeKind, span: Span) {
        self.nodes.push(Node { kind, span });
    }

    /// The text up to `end` as a node, if there is any.
    fn push_text(&mut self, end: usize) {
        let span = Span::new(self.position, end);
        match self.text.get(span.start..span.end) {
            None | Some("") => {}
            Some(text) => self.push(NodeKind::Text(text.to_owned()), span),
        }
    }

    fn read_tag(&self, start: usize) -> Result<Tag<'t>, SyntaxError> {
        let Delimiters { open, close, close_raw, close_change } = &self.delimiters;
        let inner = self.rest(start + open.len());
        let trimmed = inner.trim_start();
        let (kind, sign, closer) = match trimmed.chars().next() {
            Some('{') if inner.len() == trimmed.len() => (TagKind::Raw, 1, &**close_raw),
            Some('&') => (TagKind::Raw, 1, *close),
            Some('#') => (TagKind::Section, 1, *close),
            Some('^') => (TagKind::Inverted, 1, *close),
            Some('/') => (TagKind::Close, 1, *close),
            Some('!') => (TagKind::Comment, 1, *close),
            Some('>') => (TagKind::Partial, 1, *close),
            Some('=') => (TagKind::Delimiters, 1, &**close_change),
            _ => (TagKind::Escaped, 0, *close),
        };
        let content_start = self.text.len() - trimmed.len() + sign;
        let rest = self.rest(content_start);
        let opening = Span::new(start, content_start.min(self.text.len()));
        let content = rest.find(closer).and_then(|length| rest.get(..length));
        let Some(content) = content else {
            return Err(unclosed_tag(opening, closer));
        };
        if !matches!(kind, TagKind::Comment | TagKind::Delimiters) && content.contains(open) {
            return Err(unclosed_tag(opening, closer));
        }
        let end = content_start + content.len() + closer.len();
        let blank = content.len() - content.trim_start().len();
        Ok(Tag {
            kind,
            span: Span::new(start, end),
            content: content.trim(),
            content_start: content_start + blank,
        })
    }

    /// What of the text goes with a tag: the tag, or the whole line that it has for itself.
    fn taken_by(&self, tag: &Tag<'t>) -> Span {
        if !tag.kind.may_stand_alone() {
            return tag.span;
        }
        let before = slice(self.text, self.position..tag.span.start);
        let line_start = self.position + before.trim_end_matches([' ', '\t']).len();
        let begins_line = line_start == 0
            || self.text.as_bytes().get(line_start - 1).is_some_and(|byte| *byte == b'\n');
        let rest = self.rest(tag.span.end);
        let behind = rest.trim_start_matches([' ', '\t']);
        let newline = match behind.as_bytes() {
            [] => 0,
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => return tag.span,
        };
        if !begins_line {
            return tag.span;
        }
        Span::new(line_start, tag.span.end + rest.len() - behind.len() + newline)
    }

    fn push_tag(&mut self, tag: Tag<'t>) -> Result<(), SyntaxError> {
        match tag.kind {
            TagKind::Escaped => {
                let expr = escaped(self.expression(&tag)?);
                self.push(NodeKind::Output(expr), tag.span);
            }
            TagKind::Raw => {
                let expr = self.expression(&tag)?;
                self.push(NodeKind::Output(expr), tag.span);
            }
            TagKind::Section => self.open_section(&tag, false)?,
            TagKind::Inverted => self.open_section(&tag, true)?,
            TagKind::Close => self.close_section(&tag)?,
            TagKind::Comment => {}
            TagKind::Partial if tag.content.is_empty() => return Err(self.no_name(&tag)),
            TagKind::Partial => {
                self.push(NodeKind::Partial, tag.span);
            }
            TagKind::Delimiters => self.delimiters = new_delimiters(&tag)?,
        }
        Ok(())
    }

    fn open_section(&mut self, tag: &Tag<'t>, inverted: bool) -> Result<(), SyntaxError> {
        let subject = self.expression(tag)?;
        if self.sections.len() >= MAX_DEPTH {
            let message = format!("sections lie deeper than {MAX_DEPTH} levels in each other");
            return Err(SyntaxError::new(tag.span, message));
        }
        let outer = std::mem::take(&mut self.nodes);
        let name = tag.content;
        self.sections.push(OpenSection { name, tag: tag.span, subject, inverted, outer });
        Ok(())
    }

    fn close_section(&mut self, tag: &Tag<'t>) -> Result<(), SyntaxError> {
        if tag.content.is_empty() {
            return Err(self.no_name(tag));
        }
        let closer = self.delimiters.tag(&format!("/{}", excerpt(tag.content)));
        let Some(section) = self.sections.pop() else {
            let opener = self.delimiters.tag(&format!("#{}", excerpt(tag.content)));
            return Err(SyntaxError::new(tag.span, format!("`{closer}` closes nothing"))
                .with_help(format!("open the section with `{opener}`, or take this tag out")));
        };
        if section.name != tag.content {
            let name = excerpt(section.name);
            let message = format!(
                "`{closer}` does not close the section `{name}`, opened {}",
                self.how_far_above(section.tag.start, tag.span.start)
            );
            let wanted = self.delimiters.tag(&format!("/{name}"));
            return Err(SyntaxError::new(tag.span, message)
                .with_help(format!("write `{wanted}` here, or close `{name}` before this tag")));
        }
        let body = std::mem::replace(&mut self.nodes, section.outer);
        let kind = Section { subject: section.subject, inverted: section.inverted, body };
        self.push(NodeKind::Section(kind), section.tag.to(tag.span));
        Ok(())
    }

    /// A distance in lines: it is the same in the template and in the file that holds it.
    fn how_far_above(&self, start: usize, end: usize) -> String {
        match slice(self.text, start..end).matches('\n').count() {
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
        let close = self.delimiters.close;
        let mut error = SyntaxError::new(tag.span, "the tag has no name");
        error.help = Some(match tag.kind {
            TagKind::Close => match self.sections.last() {
                Some(section) => {
                    let closer = self.delimiters.tag(&format!("/{}", excerpt(section.name)));
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
        return Some("Mustache's blocks and parents are not available: a prompt is one file");
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
        let span = Span::new(offset, offset + part.len());
        offset = span.end + 1;
        if part.is_empty() {
            let place = Span::new(start, start + text.len());
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
    whole.ok_or_else(|| SyntaxError::new(Span::new(start, start), "the tag has no name"))
}

fn escaped(value: Expr) -> Expr {
    let span = value.span;
    let call = Call { name: Name::new("escape", span), arguments: Vec::new() };
    Expr { kind: ExprKind::Filter { value: Box::new(value), call }, span }
}

fn new_delimiters<'t>(tag: &Tag<'t>) -> Result<Delimiters<'t>, SyntaxError> {
    let mut parts = tag.content.split_whitespace();
    match (parts.next(), parts.next(), parts.next()) {
        (Some(open), Some(close), None) if !open.contains('=') && !close.contains('=') => {
            Ok(Delimiters::new(open, close))
        }
        _ => Err(SyntaxError::new(tag.span, "the tag does not set two delimiters")
            .with_help("write both with a space between, without `=`: `{{=<% %>=}}`")),
    }
}

fn unclosed_tag(opening: Span, closer: &str) -> SyntaxError {
    SyntaxError::new(opening, format!("the tag is not closed: `{}` is missing", excerpt(closer)))
        .with_help(
            "close the tag; where the text itself needs braces, set other delimiters first: \
             `{{=<% %>=}}`",
        )
}
