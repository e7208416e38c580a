//! The tags of a Mustache template, one after the other.

use crate::SyntaxError;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::internal::excerpt;

/// What opens and closes tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Delimiters {
    pub(super) open: String,
    pub(super) close: String,
}

impl Default for Delimiters {
    fn default() -> Self {
        Self { open: "{{".to_owned(), close: "}}".to_owned() }
    }
}

impl Delimiters {
    /// A tag as an author would write it.
    pub(super) fn tag(&self, content: &str) -> String {
        format!("{}{content}{}", self.open, self.close)
    }

    /// What a tag holds that changes the delimiters to these.
    pub(super) fn change(&self) -> String {
        format!("={} {}=", self.open, self.close)
    }

    /// What closes a tag that these signs open.
    fn closer(&self, kind: TagKind, is_triple: bool) -> String {
        match kind {
            TagKind::Raw if is_triple => format!("}}{}", self.close),
            TagKind::Delimiters => format!("={}", self.close),
            _ => self.close.clone(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TagKind {
    Escaped,
    Raw,
    Section,
    Inverted,
    Close,
    Comment,
    Partial,
    Delimiters,
}

/// A tag.
#[derive(Debug, Clone)]
pub(super) struct Tag<'t> {
    pub(super) kind: TagKind,
    /// All of it, delimiters included.
    pub(super) span: TemplateSpan,
    /// The line that it has for itself, with its line break: it is left out with the tag.
    pub(super) line: Option<TemplateSpan>,
    /// What it holds behind its sign, without white space around it.
    pub(super) content: &'t str,
    /// Where that begins.
    content_start: usize,
}

impl Tag<'_> {
    pub(super) fn content_span(&self) -> TemplateSpan {
        TemplateSpan::new(self.content_start, self.content_start + self.content.len())
    }

    /// What of the text goes with the tag.
    pub(super) fn taken(&self) -> TemplateSpan {
        self.line.unwrap_or(self.span)
    }

    /// Whether a line that holds nothing else is left out with it.
    fn may_stand_alone(&self) -> bool {
        match self.kind {
            TagKind::Escaped | TagKind::Raw => false,
            TagKind::Partial => self.content != super::recursion::INDENTATION,
            _ => true,
        }
    }
}

/// Reads the tags of a text.
#[derive(Debug, Clone)]
pub(super) struct Tags<'t> {
    text: &'t str,
    /// How far the text is read.
    position: usize,
    delimiters: Delimiters,
}

impl<'t> Tags<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, position: 0, delimiters: Delimiters::default() }
    }

    /// The delimiters of the next tag.
    pub(super) fn delimiters(&self) -> &Delimiters {
        &self.delimiters
    }

    /// How far the text is read: behind what goes with the last tag.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The next tag.
    ///
    /// # Errors
    ///
    /// A tag that is not closed, and delimiters that are not two.
    pub(super) fn next_tag(&mut self) -> Result<Option<Tag<'t>>, SyntaxError> {
        let Some(distance) = self.rest(self.position).find(&self.delimiters.open) else {
            return Ok(None);
        };
        let mut tag = self.read(self.position + distance)?;
        tag.line = self.line_of(&tag);
        self.position = tag.taken().end;
        if tag.kind == TagKind::Delimiters {
            self.delimiters = new_delimiters(&tag)?;
        }
        Ok(Some(tag))
    }

    #[expect(clippy::string_slice, reason = "the reader found the place in the same text")]
    fn rest(&self, start: usize) -> &'t str {
        &self.text[start..]
    }

    fn read(&self, start: usize) -> Result<Tag<'t>, SyntaxError> {
        let open = self.delimiters.open.as_str();
        let inner = self.rest(start + open.len());
        let trimmed = inner.trim_start();
        let is_triple = trimmed.starts_with('{') && inner.len() == trimmed.len();
        let (kind, sign) = match trimmed.chars().next() {
            Some('{') if is_triple => (TagKind::Raw, 1),
            Some('&') => (TagKind::Raw, 1),
            Some('#') => (TagKind::Section, 1),
            Some('^') => (TagKind::Inverted, 1),
            Some('/') => (TagKind::Close, 1),
            Some('!') => (TagKind::Comment, 1),
            Some('>') => (TagKind::Partial, 1),
            Some('=') => (TagKind::Delimiters, 1),
            _ => (TagKind::Escaped, 0),
        };
        let closer = self.delimiters.closer(kind, is_triple);
        let content_start = self.text.len() - trimmed.len() + sign;
        let rest = self.rest(content_start);
        let opening = TemplateSpan::new(start, content_start.min(self.text.len()));
        let content = rest.find(&closer).and_then(|length| rest.get(..length));
        let Some(content) = content else {
            return Err(unclosed(opening, &closer));
        };
        if !matches!(kind, TagKind::Comment | TagKind::Delimiters) && content.contains(open) {
            return Err(unclosed(opening, &closer));
        }
        let end = content_start + content.len() + closer.len();
        let blank = content.len() - content.trim_start().len();
        Ok(Tag {
            kind,
            span: TemplateSpan::new(start, end),
            line: None,
            content: content.trim(),
            content_start: content_start + blank,
        })
    }

    /// The line that a tag has for itself.
    fn line_of(&self, tag: &Tag<'t>) -> Option<TemplateSpan> {
        if !tag.may_stand_alone() {
            return None;
        }
        let before = self.text.get(self.position..tag.span.start)?;
        let line_start = self.position + before.trim_end_matches([' ', '\t']).len();
        let begins_line = line_start == 0
            || self.text.as_bytes().get(line_start - 1).is_some_and(|byte| *byte == b'\n');
        let rest = self.rest(tag.span.end);
        let behind = rest.trim_start_matches([' ', '\t']);
        let newline = match behind.as_bytes() {
            [] => 0,
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => return None,
        };
        let end = tag.span.end + rest.len() - behind.len() + newline;
        begins_line.then(|| TemplateSpan::new(line_start, end))
    }
}

fn new_delimiters(tag: &Tag<'_>) -> Result<Delimiters, SyntaxError> {
    let mut parts = tag.content.split_whitespace();
    match (parts.next(), parts.next(), parts.next()) {
        (Some(open), Some(close), None) if !open.contains('=') && !close.contains('=') => {
            Ok(Delimiters { open: open.to_owned(), close: close.to_owned() })
        }
        _ => Err(SyntaxError::new(tag.span, "the tag does not set two delimiters")
            .with_help("write both with a space between, without `=`: `{{=<% %>=}}`")),
    }
}

fn unclosed(opening: TemplateSpan, closer: &str) -> SyntaxError {
    SyntaxError::new(opening, format!("the tag is not closed: `{}` is missing", excerpt(closer)))
        .with_help(
            "close the tag; where the text itself needs braces, set other delimiters first: \
             `{{=<% %>=}}`",
        )
}
