//! From the text of a Handlebars template to its texts and tags, with white-space control carried out.

use crate::SyntaxError;
use prompty_core::diagnostic::TemplateSpan;

/// How deep blocks may lie in each other: all who walk over a template recurse that deep.
pub const MAX_BLOCKS: usize = 64;

/// A part of a template.
#[derive(Debug, Clone, Copy)]
pub enum Piece {
    /// The bytes that are written.
    Text(TemplateSpan),
    /// A tag.
    Tag(Tag),
}

/// A tag.
#[derive(Debug, Clone, Copy)]
pub struct Tag {
    /// What it is.
    pub kind: TagKind,
    /// All of it, braces included.
    pub span: TemplateSpan,
    /// What it holds behind its sign.
    pub content: TemplateSpan,
    /// Whether `~` takes the white space before it, and behind it.
    strips: (bool, bool),
    /// The rest of its line, where it has that for itself.
    pub line: Option<Line>,
}

/// The line of a tag that has it for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// The blanks before the tag.
    pub before: TemplateSpan,
    /// The blanks behind the tag, and the line break.
    pub behind: TemplateSpan,
}

/// What a tag is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagKind {
    /// `{{name}}`, `{{{name}}}` or `{{&name}}`: nothing is escaped, so all three are one.
    Output,
    /// `{{#name}}`
    Open,
    /// `{{^name}}` or `{{else name}}`: which of them, the block around decides.
    Inverted,
    /// `{{else name}}`
    ElseIf,
    /// `{{else}}` or `{{^}}`
    Else,
    /// `{{/name}}`
    Close,
    /// `{{! comment }}`
    Comment,
    /// `{{> name}}`
    Partial,
    /// `{{#> name}}`
    PartialBlock,
    /// `{{#*name}}` or `{{*name}}`
    Decorator,
    /// `{{{{name}}}}`
    RawOpen,
    /// `{{{{/name}}}}`
    RawClose,
}

impl TagKind {
    /// Whether a line that holds nothing else is left out with it.
    pub(super) fn may_stand_alone(self) -> bool {
        self != Self::Output
    }
}

/// The texts and tags of a template, in order. Texts that white-space control leaves empty are gone.
///
/// # Errors
///
/// A tag or a raw block that is not closed.
pub fn pieces(text: &str) -> Result<Vec<Piece>, SyntaxError> {
    let mut scanner = Scanner { text, pieces: Vec::new() };
    scanner.scan()?;
    Ok(without_white_space(text, &scanner.pieces))
}

struct Scanner<'t> {
    text: &'t str,
    pieces: Vec<Piece>,
}

impl Scanner<'_> {
    fn scan(&mut self) -> Result<(), SyntaxError> {
        let mut position = 0;
        while let Some(found) = self.find("{{", position) {
            let before = self.between(position, found);
            if before.ends_with("\\\\") {
                self.push_text(position, found - 1);
            } else if before.ends_with('\\') {
                self.push_text(position, found - 1);
                position = self.end_of_escaped(found);
                self.push_text(found, position);
                continue;
            } else {
                self.push_text(position, found);
            }
            position = self.tag(found)?;
        }
        self.push_text(position, self.text.len());
        Ok(())
    }

    #[expect(clippy::string_slice, reason = "the scanner found the place in the same text")]
    fn rest(&self, from: usize) -> &str {
        &self.text[from..]
    }

    #[expect(clippy::string_slice, reason = "the scanner found both places in the same text")]
    fn between(&self, start: usize, end: usize) -> &str {
        &self.text[start..end]
    }

    fn find(&self, what: &str, from: usize) -> Option<usize> {
        self.rest(from).find(what).map(|distance| from + distance)
    }

    fn push_text(&mut self, start: usize, end: usize) {
        if start < end {
            self.pieces.push(Piece::Text(TemplateSpan::new(start, end)));
        }
    }

    fn push_tag(
        &mut self,
        kind: TagKind,
        span: TemplateSpan,
        content: TemplateSpan,
        strips: (bool, bool),
    ) {
        self.pieces.push(Piece::Tag(Tag { kind, span, content, strips, line: None }));
    }

    /// Where the text ends that begins with escaped braces: before the next braces, and before the
    /// backslashes that belong to those.
    fn end_of_escaped(&self, start: usize) -> usize {
        let Some(next) = self.find("{{", start + 2) else { return self.text.len() };
        let before = self.between(start + 2, next);
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        next - backslashes.min(2)
    }

    /// Reads the tag that begins at `start`; gives where it ends.
    fn tag(&mut self, start: usize) -> Result<usize, SyntaxError> {
        let rest = self.rest(start);
        if rest.starts_with("{{{{") {
            return self.raw_block(start);
        }
        let strips_before = rest.starts_with("{{~");
        let inner = start + if strips_before { 3 } else { 2 };
        let rest = self.rest(inner);
        if rest.starts_with('!') {
            return self.comment(start, inner, strips_before);
        }
        let trimmed = rest.trim_start();
        let blank = rest.len() - trimmed.len();
        let (kind, sign) = match rest.as_bytes() {
            [b'{', ..] => (TagKind::Output, 1),
            [b'&', ..] => (TagKind::Output, 1),
            [b'>', ..] => (TagKind::Partial, 1),
            [b'#', b'>', ..] => (TagKind::PartialBlock, 2),
            [b'#', b'*', ..] => (TagKind::Decorator, 2),
            [b'*', ..] => (TagKind::Decorator, 1),
            [b'#', ..] => (TagKind::Open, 1),
            [b'/', ..] => (TagKind::Close, 1),
            [b'^', ..] => (TagKind::Inverted, 1),
            _ if is_else(trimmed) => (TagKind::ElseIf, blank + "else".len()),
            _ => (TagKind::Output, 0),
        };
        let closer = if rest.starts_with('{') { "}" } else { "" };
        let content_start = inner + sign;
        let opening = TemplateSpan::new(start, content_start);
        let (content_end, end, strips_behind) = self.close(content_start, closer, opening)?;
        let content = TemplateSpan::new(content_start, content_end);
        let is_empty = self.between(content.start, content.end).trim().is_empty();
        let kind = match kind {
            TagKind::Inverted | TagKind::ElseIf if is_empty => TagKind::Else,
            kind => kind,
        };
        let strips = (strips_before, strips_behind);
        self.push_tag(kind, TemplateSpan::new(start, end), content, strips);
        Ok(end)
    }

    /// Where the content of a tag ends, where the tag does, and whether it takes white space with it.
    /// Braces in texts and in names between brackets do not close it.
    fn close(
        &self,
        start: usize,
        closer: &str,
        opening: TemplateSpan,
    ) -> Result<(usize, usize, bool), SyntaxError> {
        let mut quote: Option<char> = None;
        let mut is_escaped = false;
        for (offset, character) in self.rest(start).char_indices() {
            if let Some(end) = quote {
                if character == end && !is_escaped {
                    quote = None;
                }
                is_escaped = character == '\\' && !is_escaped && end != ']';
                continue;
            }
            if let Some(closed) = self.rest(start + offset).strip_prefix(closer) {
                let strips = closed.starts_with('~');
                let closed = closed.strip_prefix('~').unwrap_or(closed);
                if let Some(after) = closed.strip_prefix("}}") {
                    return Ok((start + offset, self.text.len() - after.len(), strips));
                }
            }
            match character {
                '"' | '\'' => quote = Some(character),
                '[' => quote = Some(']'),
                '{' | '}' => break,
                _ => {}
            }
        }
        Err(unclosed(opening, &format!("{closer}}}}}")))
    }

    fn comment(
        &mut self,
        start: usize,
        inner: usize,
        strips_before: bool,
    ) -> Result<usize, SyntaxError> {
        let (end, closer) = if self.rest(inner).starts_with("!--") {
            (self.end_of_long_comment(inner + 3), "--}}")
        } else {
            (self.find("}}", inner + 1).map(|place| place + 2), "}}")
        };
        let end = end.ok_or_else(|| unclosed(TemplateSpan::new(start, inner + 1), closer))?;
        let strips_behind = self.between(inner, end).ends_with("~}}");
        self.push_tag(
            TagKind::Comment,
            TemplateSpan::new(start, end),
            TemplateSpan::new(inner + 1, end),
            (strips_before, strips_behind),
        );
        Ok(end)
    }

    /// Where a comment ends that `--}}` or `--~}}` closes.
    fn end_of_long_comment(&self, mut from: usize) -> Option<usize> {
        loop {
            let hyphens = self.find("--", from)?;
            let behind = self.rest(hyphens + 2);
            let closed = behind.strip_prefix('~').unwrap_or(behind);
            if let Some(rest) = closed.strip_prefix("}}") {
                return Some(self.text.len() - rest.len());
            }
            from = hyphens + 1;
        }
    }

    /// `{{{{raw}}}}…{{{{/raw}}}}`: what it holds is text.
    fn raw_block(&mut self, start: usize) -> Result<usize, SyntaxError> {
        let opening = TemplateSpan::new(start, start + 4);
        let name_start = start + 4;
        let close = self.find("}}}}", name_start).ok_or_else(|| unclosed(opening, "}}}}"))?;
        let content = TemplateSpan::new(name_start, close);
        let name = self.between(name_start, close).trim();
        let body = close + 4;
        let opened = TemplateSpan::new(start, body);
        let closer = format!("{{{{{{{{/{name}}}}}}}}}");
        let Some(end) = self.find(&closer, body) else {
            let message = format!("the raw block `{name}` is never closed");
            return Err(SyntaxError::new(opened, message)
                .with_help(format!("write `{closer}` where it ends")));
        };
        let strips = (false, false);
        self.push_tag(TagKind::RawOpen, opened, content, strips);
        self.push_text(body, end);
        let span = TemplateSpan::new(end, end + closer.len());
        let content = TemplateSpan::new(span.start + 5, span.end - 4);
        self.push_tag(TagKind::RawClose, span, content, strips);
        Ok(span.end)
    }
}

/// Whether the content of a tag begins with the word `else`.
fn is_else(content: &str) -> bool {
    let Some(rest) = content.strip_prefix("else") else { return false };
    rest.starts_with(|next: char| next.is_whitespace() || matches!(next, '~' | '}'))
}

fn unclosed(opening: TemplateSpan, closer: &str) -> SyntaxError {
    SyntaxError::new(opening, format!("the tag is not closed: `{closer}` is missing")).with_help(
        "close the tag; where the text itself needs braces, write a backslash before them: `\\{{`",
    )
}

/// The pieces without the white space that tags take: that of lines which hold nothing but a tag, and
/// that beside `~`.
fn without_white_space(text: &str, pieces: &[Piece]) -> Vec<Piece> {
    let mut kept = Vec::with_capacity(pieces.len());
    for (index, piece) in pieces.iter().enumerate() {
        let span = match *piece {
            Piece::Text(span) => span,
            Piece::Tag(tag) => {
                let line =
                    stands_alone(text, pieces, index).then(|| line_of(text, pieces, index, &tag));
                kept.push(Piece::Tag(Tag { line, ..tag }));
                continue;
            }
        };
        let Some(written) = span.text_in(text) else { continue };
        let mut start = span.start;
        let mut end = span.end;
        if let Some(tag) = index.checked_sub(1).and_then(|before| tag_at(pieces, before)) {
            let left = if tag.strips.1 {
                written.trim_start()
            } else if stands_alone(text, pieces, index - 1) {
                without_line_end(written)
            } else {
                written
            };
            start = span.end - left.len();
        }
        if let Some(tag) = tag_at(pieces, index + 1) {
            let left = if tag.strips.0 {
                written.trim_end()
            } else if stands_alone(text, pieces, index + 1) {
                written.trim_end_matches([' ', '\t'])
            } else {
                written
            };
            end = span.start + left.len();
        }
        if start < end {
            kept.push(Piece::Text(TemplateSpan::new(start, end)));
        }
    }
    kept
}

/// The line that a tag has for itself.
fn line_of(text: &str, pieces: &[Piece], index: usize, tag: &Tag) -> Line {
    let text_at = |index: Option<usize>| match index.and_then(|index| pieces.get(index)) {
        Some(Piece::Text(span)) => span.text_in(text),
        _ => None,
    };
    // What `~` takes is not there.
    let before = text_at(index.checked_sub(1)).filter(|_| !tag.strips.0);
    let blanks =
        before.map_or(0, |before| before.len() - before.trim_end_matches([' ', '\t']).len());
    let behind = text_at(Some(index + 1));
    let taken = behind.map_or(0, |behind| behind.len() - without_line_end(behind).len());
    Line {
        before: TemplateSpan::new(tag.span.start - blanks, tag.span.start),
        behind: TemplateSpan::new(tag.span.end, tag.span.end + taken),
    }
}

fn tag_at(pieces: &[Piece], index: usize) -> Option<Tag> {
    match pieces.get(index)? {
        Piece::Tag(tag) => Some(*tag),
        Piece::Text(_) => None,
    }
}

/// The text behind the blanks and the line break with which it begins.
fn without_line_end(written: &str) -> &str {
    let rest = written.trim_start_matches([' ', '\t']);
    rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest)
}

/// Whether a tag has its line for itself.
fn stands_alone(text: &str, pieces: &[Piece], index: usize) -> bool {
    let Some(tag) = tag_at(pieces, index) else { return false };
    if !tag.kind.may_stand_alone() {
        return false;
    }
    let begins = match index.checked_sub(1).and_then(|before| pieces.get(before)) {
        None => true,
        Some(Piece::Tag(_)) => false,
        Some(Piece::Text(span)) => span.text_in(text).is_some_and(|written| {
            let mut blanks = written.chars().rev().take_while(|it| it.is_whitespace());
            blanks.any(|it| it == '\n') || (index == 1 && written.trim().is_empty())
        }),
    };
    let ends = match pieces.get(index + 1) {
        None => true,
        Some(Piece::Tag(_)) => false,
        Some(Piece::Text(span)) => span.text_in(text).is_some_and(|written| {
            let mut blanks = written.chars().take_while(|it| it.is_whitespace());
            let is_last = pieces.len() == index + 2;
            blanks.any(|it| it == '\n') || (is_last && written.trim().is_empty())
        }),
    };
    begins && ends
}
