//! Reads the tags of a Mustache template.

use crate::SyntaxError;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::internal::excerpt;

/// The opening and closing delimiters of tags.
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
    /// Returns a tag with these delimiters.
    pub(super) fn tag(&self, content: &str) -> String {
        format!("{}{content}{}", self.open, self.close)
    }

    /// Returns the content of the tag that sets these delimiters.
    pub(super) fn change(&self) -> String {
        format!("={} {}=", self.open, self.close)
    }

    /// Returns the closing delimiter of a tag. `is_triple` is true for `{{{`.
    fn closer(&self, kind: MustacheTagKind, is_triple: bool) -> String {
        match kind {
            MustacheTagKind::Raw if is_triple => format!("}}{}", self.close),
            MustacheTagKind::Delimiters => format!("={}", self.close),
            _ => self.close.clone(),
        }
    }
}

/// The kind of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MustacheTagKind {
    /// `{{name}}`, whose value is escaped for HTML.
    Escaped,
    /// `{{{name}}}` or `{{&name}}`
    Raw,
    /// `{{#name}}`
    Section,
    /// `{{^name}}`
    Inverted,
    /// `{{/name}}`
    Close,
    /// `{{! comment }}`
    Comment,
    /// `{{> name}}`
    Partial,
    /// `{{=<% %>=}}`
    Delimiters,
}

/// A tag.
#[derive(Debug, Clone)]
pub(super) struct MustacheTag<'t> {
    pub(super) kind: MustacheTagKind,
    /// The complete span, including delimiters.
    pub(super) span: TemplateSpan,
    /// The line of a standalone tag, including its line break, which is removed with the tag.
    pub(super) line: Option<TemplateSpan>,
    /// The content after its sign, without white space around it.
    pub(super) content: &'t str,
    /// The start of the content.
    content_start: usize,
}

impl MustacheTag<'_> {
    pub(super) fn content_span(&self) -> TemplateSpan {
        TemplateSpan::new(self.content_start, self.content_start + self.content.len())
    }

    /// Returns the span that is removed from the text with the tag.
    pub(super) fn removed_span(&self) -> TemplateSpan {
        self.line.unwrap_or(self.span)
    }

    /// Whether the tag can be standalone: a line that contains only this tag is not written.
    fn may_be_standalone(&self) -> bool {
        match self.kind {
            MustacheTagKind::Escaped | MustacheTagKind::Raw => false,
            MustacheTagKind::Partial => self.content != super::recursion::INDENTATION,
            _ => true,
        }
    }
}

/// Reads the tags of a text.
#[derive(Debug, Clone)]
pub(super) struct MustacheTagReader<'t> {
    text: &'t str,
    /// The position up to which the text is read.
    position: usize,
    delimiters: Delimiters,
}

impl<'t> MustacheTagReader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, position: 0, delimiters: Delimiters::default() }
    }

    /// Returns the delimiters of the next tag.
    pub(super) fn delimiters(&self) -> &Delimiters {
        &self.delimiters
    }

    /// Returns the position after the last tag and the text that is removed with it.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Reads the next tag.
    ///
    /// # Errors
    ///
    /// Returns an error for a tag that is not closed, or for invalid delimiters.
    pub(super) fn next_tag(&mut self) -> Result<Option<MustacheTag<'t>>, SyntaxError> {
        let Some(distance) = self.rest(self.position).find(&self.delimiters.open) else {
            return Ok(None);
        };
        let mut tag = self.read(self.position + distance)?;
        tag.line = self.line_of(&tag);
        self.position = tag.removed_span().end;
        if tag.kind == MustacheTagKind::Delimiters {
            self.delimiters = new_delimiters(&tag)?;
        }
        Ok(Some(tag))
    }

    #[expect(clippy::string_slice, reason = "the reader found the position in the same text")]
    fn rest(&self, start: usize) -> &'t str {
        &self.text[start..]
    }

    fn read(&self, start: usize) -> Result<MustacheTag<'t>, SyntaxError> {
        let open = self.delimiters.open.as_str();
        let inner = self.rest(start + open.len());
        let trimmed = inner.trim_start();
        let is_triple = trimmed.starts_with('{') && inner.len() == trimmed.len();
        let (kind, sign) = match trimmed.chars().next() {
            Some('{') if is_triple => (MustacheTagKind::Raw, 1),
            Some('&') => (MustacheTagKind::Raw, 1),
            Some('#') => (MustacheTagKind::Section, 1),
            Some('^') => (MustacheTagKind::Inverted, 1),
            Some('/') => (MustacheTagKind::Close, 1),
            Some('!') => (MustacheTagKind::Comment, 1),
            Some('>') => (MustacheTagKind::Partial, 1),
            Some('=') => (MustacheTagKind::Delimiters, 1),
            _ => (MustacheTagKind::Escaped, 0),
        };
        let closer = self.delimiters.closer(kind, is_triple);
        let content_start = self.text.len() - trimmed.len() + sign;
        let rest = self.rest(content_start);
        let opening = TemplateSpan::new(start, content_start.min(self.text.len()));
        let content = rest.find(&closer).and_then(|length| rest.get(..length));
        let Some(content) = content else {
            return Err(unclosed(opening, &closer));
        };
        if !matches!(kind, MustacheTagKind::Comment | MustacheTagKind::Delimiters)
            && content.contains(open)
        {
            return Err(unclosed(opening, &closer));
        }
        let end = content_start + content.len() + closer.len();
        let blank = content.len() - content.trim_start().len();
        Ok(MustacheTag {
            kind,
            span: TemplateSpan::new(start, end),
            line: None,
            content: content.trim(),
            content_start: content_start + blank,
        })
    }

    /// Returns the line of a tag, if the tag is standalone.
    fn line_of(&self, tag: &MustacheTag<'t>) -> Option<TemplateSpan> {
        if !tag.may_be_standalone() {
            return None;
        }
        let before = self.text.get(self.position..tag.span.start)?;
        let line_start = self.position + before.trim_end_matches([' ', '\t']).len();
        let begins_line = line_start == 0
            || self.text.as_bytes().get(line_start - 1).is_some_and(|byte| *byte == b'\n');
        let rest = self.rest(tag.span.end);
        let after = rest.trim_start_matches([' ', '\t']);
        let newline = match after.as_bytes() {
            [] => 0,
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => return None,
        };
        let end = tag.span.end + rest.len() - after.len() + newline;
        begins_line.then(|| TemplateSpan::new(line_start, end))
    }
}

fn new_delimiters(tag: &MustacheTag<'_>) -> Result<Delimiters, SyntaxError> {
    let mut parts = tag.content.split_whitespace();
    match (parts.next(), parts.next(), parts.next()) {
        (Some(open), Some(close), None) if !open.contains('=') && !close.contains('=') => {
            Ok(Delimiters { open: open.to_owned(), close: close.to_owned() })
        }
        _ => Err(SyntaxError::new(tag.span, "the tag does not contain two delimiters")
            .with_help("write both with a space between them, without `=`: `{{=<% %>=}}`")),
    }
}

fn unclosed(opening: TemplateSpan, closer: &str) -> SyntaxError {
    SyntaxError::new(opening, format!("the tag is never closed: missing `{}`", excerpt(closer)))
        .with_help(
            "close the tag; to write literal braces, set other delimiters first: \
             `{{=<% %>=}}`",
        )
}
