//! Splits the text of a Handlebars template into texts and tags, with white-space control applied.
//!
//! [`pieces`] first finds all tags with a `Scanner`, and then removes the white space that they
//! remove. The lines `a`, `{{#if b}}` and `c{{/if}}` become the text `a\n`, the tag `{{#if b}}`,
//! the text `c`, and the tag `{{/if}}`.

use crate::SyntaxError;
use prompty_core::diagnostic::TemplateSpan;

/// The maximum nesting of blocks, on which recursive walks over a template depend.
pub const MAX_BLOCKS: usize = 64;

/// A text or a tag of a template.
#[derive(Debug, Clone, Copy)]
pub enum Piece {
    /// Literal text. The span is what is written.
    Text(TemplateSpan),
    /// A tag.
    Tag(HandlebarsTag),
}

/// A tag.
#[derive(Debug, Clone, Copy)]
pub struct HandlebarsTag {
    /// The kind of tag.
    pub kind: HandlebarsTagKind,
    /// The complete span, including braces.
    pub span: TemplateSpan,
    /// The content after its sign.
    pub content: TemplateSpan,
    /// Whether `~` removes the white space before and after it.
    strips: (bool, bool),
    /// The rest of its line, if the tag is standalone.
    pub line: Option<TagLine>,
}

/// The line of a standalone tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TagLine {
    /// The blanks before the tag.
    pub before: TemplateSpan,
    /// The blanks after the tag, and the line break.
    pub after: TemplateSpan,
}

/// The kind of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandlebarsTagKind {
    /// `{{name}}`, `{{{name}}}` or `{{&name}}`. All are the same, because nothing is escaped.
    Output,
    /// `{{#name}}`
    Open,
    /// `{{^name}}`, which opens a block.
    Inverted,
    /// `{{else name}}`, which continues a block.
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

impl HandlebarsTagKind {
    /// Whether the tag can be standalone: a line that contains only this tag is not written.
    pub(super) fn may_be_standalone(self) -> bool {
        self != Self::Output
    }
}

/// Splits a template into texts and tags, in order. Texts that are empty after white-space control
/// are left out.
///
/// # Errors
///
/// Returns an error for a tag or a raw block that is not closed.
pub fn pieces(text: &str) -> Result<Vec<Piece>, SyntaxError> {
    let mut scanner = Scanner { text, pieces: Vec::new() };
    scanner.scan()?;
    Ok(without_white_space(text, &scanner.pieces))
}

/// Finds the tags of a text.
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
                // `\\{{a}}` is the text `\` and a tag.
                self.push_text(position, found - 1);
            } else if before.ends_with('\\') {
                // `\{{a}}` is the text `{{a}}`.
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

    #[expect(clippy::string_slice, reason = "the scanner found the position in the same text")]
    fn rest(&self, from: usize) -> &str {
        &self.text[from..]
    }

    #[expect(clippy::string_slice, reason = "the scanner found both positions in the same text")]
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
        kind: HandlebarsTagKind,
        span: TemplateSpan,
        content: TemplateSpan,
        strips: (bool, bool),
    ) {
        self.pieces.push(Piece::Tag(HandlebarsTag { kind, span, content, strips, line: None }));
    }

    /// Returns the end of a text that begins with escaped braces. It is before the next braces and
    /// the backslashes that belong to them.
    fn end_of_escaped(&self, start: usize) -> usize {
        let Some(next) = self.find("{{", start + 2) else { return self.text.len() };
        let before = self.between(start + 2, next);
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        next - backslashes.min(2)
    }

    /// Reads the tag that begins at `start`. Returns its end.
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
        let blank_length = rest.len() - trimmed.len();
        let (kind, sign_length) = match rest.as_bytes() {
            [b'{', ..] => (HandlebarsTagKind::Output, 1),
            [b'&', ..] => (HandlebarsTagKind::Output, 1),
            [b'>', ..] => (HandlebarsTagKind::Partial, 1),
            [b'#', b'>', ..] => (HandlebarsTagKind::PartialBlock, 2),
            [b'#', b'*', ..] => (HandlebarsTagKind::Decorator, 2),
            [b'*', ..] => (HandlebarsTagKind::Decorator, 1),
            [b'#', ..] => (HandlebarsTagKind::Open, 1),
            [b'/', ..] => (HandlebarsTagKind::Close, 1),
            [b'^', ..] => (HandlebarsTagKind::Inverted, 1),
            _ if is_else(trimmed) => (HandlebarsTagKind::ElseIf, blank_length + "else".len()),
            _ => (HandlebarsTagKind::Output, 0),
        };
        let closer = if rest.starts_with('{') { "}" } else { "" };
        let content_start = inner + sign_length;
        let opening = TemplateSpan::new(start, content_start);
        let (content_end, end, strips_after) = self.close(content_start, closer, opening)?;
        let content = TemplateSpan::new(content_start, content_end);
        let is_empty = self.between(content.start, content.end).trim().is_empty();
        // `{{^}}` or `{{else}}`
        let kind = match kind {
            HandlebarsTagKind::Inverted | HandlebarsTagKind::ElseIf if is_empty => {
                HandlebarsTagKind::Else
            }
            kind => kind,
        };
        let strips = (strips_before, strips_after);
        self.push_tag(kind, TemplateSpan::new(start, end), content, strips);
        Ok(end)
    }

    /// Returns the end of a tag's content, the end of the tag, and whether `~` removes white space
    /// after it. Braces in strings and in names between brackets do not close the tag.
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
                // Other braces cannot be in a tag, so this tag is not closed.
                '{' | '}' => break,
                _ => {}
            }
        }
        Err(unclosed(opening, &format!("{closer}}}}}")))
    }

    /// Reads `{{! comment }}` or `{{!-- comment --}}`. `inner` is the position of the `!`.
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
        let strips_after = self.between(inner, end).ends_with("~}}");
        self.push_tag(
            HandlebarsTagKind::Comment,
            TemplateSpan::new(start, end),
            TemplateSpan::new(inner + 1, end),
            (strips_before, strips_after),
        );
        Ok(end)
    }

    /// Returns the end of a comment that `--}}` or `--~}}` closes.
    fn end_of_long_comment(&self, mut from: usize) -> Option<usize> {
        loop {
            let hyphens = self.find("--", from)?;
            let after = self.rest(hyphens + 2);
            let closed = after.strip_prefix('~').unwrap_or(after);
            if let Some(rest) = closed.strip_prefix("}}") {
                return Some(self.text.len() - rest.len());
            }
            from = hyphens + 1;
        }
    }

    /// Reads `{{{{raw}}}}…{{{{/raw}}}}`, whose content is text.
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
        self.push_tag(HandlebarsTagKind::RawOpen, opened, content, strips);
        self.push_text(body, end);
        let span = TemplateSpan::new(end, end + closer.len());
        let content = TemplateSpan::new(span.start + 5, span.end - 4);
        self.push_tag(HandlebarsTagKind::RawClose, span, content, strips);
        Ok(span.end)
    }
}

/// Whether the content of a tag begins with the word `else`.
fn is_else(content: &str) -> bool {
    let Some(rest) = content.strip_prefix("else") else { return false };
    rest.starts_with(|next: char| next.is_whitespace() || matches!(next, '~' | '}'))
}

fn unclosed(opening: TemplateSpan, closer: &str) -> SyntaxError {
    SyntaxError::new(opening, format!("the tag is never closed: missing `{closer}`"))
        .with_help("close the tag; to write literal braces, put a backslash before them: `\\{{`")
}

/// Removes the white space that tags remove: the lines of standalone tags, and the white space next
/// to `~`.
fn without_white_space(text: &str, pieces: &[Piece]) -> Vec<Piece> {
    let mut kept = Vec::with_capacity(pieces.len());
    for (index, piece) in pieces.iter().enumerate() {
        let span = match *piece {
            Piece::Text(span) => span,
            Piece::Tag(tag) => {
                let line =
                    is_standalone(text, pieces, index).then(|| line_of(text, pieces, index, &tag));
                kept.push(Piece::Tag(HandlebarsTag { line, ..tag }));
                continue;
            }
        };
        let Some(written) = span.text_in(text) else { continue };
        // Each end is trimmed separately. Of a text of only white space, the tags on both sides may
        // remove the same characters, so `start` may be after `end`.
        let without_start = match index.checked_sub(1).and_then(|at| tag_at(pieces, at)) {
            Some(tag) if tag.strips.1 => written.trim_start(),
            Some(_) if is_standalone(text, pieces, index - 1) => without_line_end(written),
            _ => written,
        };
        let without_end = match tag_at(pieces, index + 1) {
            Some(tag) if tag.strips.0 => written.trim_end(),
            Some(_) if is_standalone(text, pieces, index + 1) => {
                written.trim_end_matches([' ', '\t'])
            }
            _ => written,
        };
        let (start, end) = (span.end - without_start.len(), span.start + without_end.len());
        if start < end {
            kept.push(Piece::Text(TemplateSpan::new(start, end)));
        }
    }
    kept
}

/// Returns the line of a standalone tag.
fn line_of(text: &str, pieces: &[Piece], index: usize, tag: &HandlebarsTag) -> TagLine {
    let text_at = |index: Option<usize>| match index.and_then(|index| pieces.get(index)) {
        Some(Piece::Text(span)) => span.text_in(text),
        _ => None,
    };
    // White space that `~` removes is not part of the line.
    let before = text_at(index.checked_sub(1)).filter(|_| !tag.strips.0);
    let blanks =
        before.map_or(0, |before| before.len() - before.trim_end_matches([' ', '\t']).len());
    let following = text_at(Some(index + 1));
    let removed = following.map_or(0, |text| text.len() - without_line_end(text).len());
    TagLine {
        before: TemplateSpan::new(tag.span.start - blanks, tag.span.start),
        after: TemplateSpan::new(tag.span.end, tag.span.end + removed),
    }
}

fn tag_at(pieces: &[Piece], index: usize) -> Option<HandlebarsTag> {
    match pieces.get(index)? {
        Piece::Tag(tag) => Some(*tag),
        Piece::Text(_) => None,
    }
}

/// Removes blanks and one line break at the beginning of a text.
fn without_line_end(written: &str) -> &str {
    let rest = written.trim_start_matches([' ', '\t']);
    rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest)
}

/// Whether a tag is standalone, which means alone in its line.
fn is_standalone(text: &str, pieces: &[Piece], index: usize) -> bool {
    let Some(tag) = tag_at(pieces, index) else { return false };
    if !tag.kind.may_be_standalone() {
        return false;
    }
    let begins = match index.checked_sub(1).and_then(|before| pieces.get(before)) {
        None => true,
        Some(Piece::Tag(_)) => false,
        Some(Piece::Text(span)) => span.text_in(text).is_some_and(|written| {
            let mut blanks = written.chars().rev().take_while(|it| it.is_whitespace());
            // The template may begin with these blanks, instead of a line break before them.
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
