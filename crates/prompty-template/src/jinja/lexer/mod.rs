//! Splits a template's text into tokens: literal text with white-space control applied, `raw`
//! blocks, and the tokens inside tags. `Hi {{- name }}` becomes the text `Hi`, the opening
//! delimiter, the name, the closing delimiter, and the end.
//!
//! [`Lexer::next`] reads a token, outside of tags with [`Lexer::next_in_text`] and inside with
//! [`Lexer::next_in_tag`]. `literals` reads numbers and strings, and `chain` limits the depth of
//! expressions.

mod chain;
mod literals;

pub(super) use chain::Chain;

use super::MAX_BRACKETS;
use super::dialect::Dialect;
use super::syntax_errors;
use super::token::{Token, TokenKind};
use crate::SyntaxError;
use prompty_core::diagnostic::TemplateSpan;
use std::ops::Range;

/// Reads tokens from left to right. The total time is proportional to the length of the text.
#[derive(Debug)]
pub(super) struct Lexer<'s> {
    text: &'s str,
    /// The position before which everything has been read.
    at: usize,
    dialect: &'s Dialect,
    /// The current tag.
    tag: Option<CurrentTag>,
    /// A token that was found together with the previous one.
    pending: Option<Token<'s>>,
    /// The white space that `trim_blocks` and `lstrip_blocks` removed.
    removed: Vec<TemplateSpan>,
}

/// Returns the white space that `trim_blocks` and `lstrip_blocks` remove from a template, in order.
/// The list ends at the first error.
pub(super) fn white_space_of_blocks(text: &str, dialect: &Dialect) -> Vec<TemplateSpan> {
    let mut lexer = Lexer::new(text, dialect);
    while !matches!(lexer.next().kind, TokenKind::End | TokenKind::Unknown | TokenKind::Error(_)) {}
    lexer.removed.sort_unstable();
    lexer.removed
}

/// The tag that the lexer is in.
#[derive(Debug)]
struct CurrentTag {
    is_block: bool,
    /// The number of open brackets. A tag cannot end inside brackets.
    brackets: usize,
    chain: Chain,
}

/// The sign of white-space control at one side of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpaceControl {
    /// No sign. The dialect decides.
    Default,
    /// `-`: all white space is removed.
    Remove,
    /// `+`: all white space is kept.
    Keep,
}

impl SpaceControl {
    fn from_byte(byte: Option<u8>) -> Self {
        match byte {
            Some(b'-') => Self::Remove,
            Some(b'+') => Self::Keep,
            _ => Self::Default,
        }
    }

    /// Returns the length of the sign in bytes.
    fn length(self) -> usize {
        usize::from(self != Self::Default)
    }
}

impl<'s> Lexer<'s> {
    pub(super) fn new(text: &'s str, dialect: &'s Dialect) -> Self {
        Self { text, at: 0, dialect, tag: None, pending: None, removed: Vec::new() }
    }

    /// Returns the next token. After [`TokenKind::End`] or [`TokenKind::Error`], the same token is
    /// repeated.
    pub(super) fn next(&mut self) -> Token<'s> {
        if let Some(token) = self.pending.take() {
            return token;
        }
        let start = self.at;
        let read = match self.tag {
            Some(_) => self.next_in_tag(),
            None => self.next_in_text(),
        };
        read.unwrap_or_else(|error| {
            self.at = start;
            Token { span: error.span, kind: TokenKind::Error(Box::new(error)) }
        })
    }

    fn rest(&self) -> &'s str {
        self.rest_from(self.at)
    }

    #[expect(clippy::string_slice, reason = "the lexer found the position in the same text")]
    fn rest_from(&self, at: usize) -> &'s str {
        &self.text[at..]
    }

    #[expect(clippy::string_slice, reason = "the lexer found both positions in the same text")]
    fn source(&self, range: Range<usize>) -> &'s str {
        &self.text[range]
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Returns a token from `start` to the current position.
    fn token(&self, kind: TokenKind<'s>, start: usize) -> Token<'s> {
        Token { kind, span: TemplateSpan::new(start, self.at) }
    }

    /// Reads text up to the next tag, or the tag's opening delimiter if no text precedes it.
    fn next_in_text(&mut self) -> Result<Token<'s>, SyntaxError> {
        loop {
            let start = self.at;
            let Some(open) = self.next_opener() else {
                self.at = self.text.len();
                let kind = match self.rest_from(start) {
                    "" => TokenKind::End,
                    text => TokenKind::Text(text),
                };
                return Ok(self.token(kind, start));
            };
            let control = SpaceControl::from_byte(self.byte(open + 2));
            let is_block = self.byte(open + 1) != Some(b'{');
            let before = TemplateSpan::new(start, open);
            let text = self.take_without_trailing_space(before, control, is_block);
            let text = (!text.is_empty()).then(|| Token {
                kind: TokenKind::Text(text),
                span: TemplateSpan::new(start, start + text.len()),
            });
            self.at = open + 2 + control.length();
            let token = match self.byte(open + 1) {
                Some(b'#') => self.skip_comment(open)?,
                Some(b'%') => match self.raw_tag() {
                    Some(body) => self.raw(open, body)?,
                    None => Some(self.open_tag(open, true)),
                },
                _ => Some(self.open_tag(open, false)),
            };
            match (text, token) {
                (Some(text), token) => {
                    self.pending = token;
                    return Ok(text);
                }
                (None, Some(token)) => return Ok(token),
                (None, None) => {}
            }
        }
    }

    /// Returns the start of the next `{{`, `{%` or `{#`.
    fn next_opener(&self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            at += bytes.get(at..)?.iter().position(|byte| *byte == b'{')?;
            if matches!(bytes.get(at + 1), Some(b'%' | b'{' | b'#')) {
                return Some(at);
            }
            at += 1;
        }
    }

    fn open_tag(&mut self, open: usize, is_block: bool) -> Token<'s> {
        self.tag = Some(CurrentTag { is_block, brackets: 0, chain: Chain::default() });
        self.token(if is_block { TokenKind::BlockBegin } else { TokenKind::VariableBegin }, open)
    }

    /// Returns a text without the white space that the tag after it removes. Records that of
    /// `lstrip_blocks`.
    fn take_without_trailing_space(
        &mut self,
        place: TemplateSpan,
        control: SpaceControl,
        is_block: bool,
    ) -> &'s str {
        let text = self.source(place.start..place.end);
        match control {
            SpaceControl::Remove => text.trim_end_matches(self.dialect.is_space_in_texts),
            SpaceControl::Default if is_block && self.dialect.lstrip_blocks => {
                let kept = text.trim_end_matches([' ', '\t']);
                let begins_line = place.start == 0 || self.byte(place.start - 1) == Some(b'\n');
                let is_first_in_line = match kept {
                    "" => begins_line,
                    kept => kept.ends_with('\n'),
                };
                if !is_first_in_line || kept.len() == text.len() {
                    return text;
                }
                self.removed.push(TemplateSpan::new(place.start + kept.len(), place.end));
                kept
            }
            SpaceControl::Default | SpaceControl::Keep => text,
        }
    }

    /// Skips the white space that a tag removes after it. Records that of `trim_blocks`.
    fn skip_after_tag(&mut self, control: SpaceControl, is_block: bool) {
        let rest = self.rest();
        match control {
            SpaceControl::Remove => {
                let trimmed = rest.trim_start_matches(self.dialect.is_space_in_texts);
                self.at += rest.len() - trimmed.len();
            }
            SpaceControl::Default
                if is_block && self.dialect.trim_blocks && rest.starts_with('\n') =>
            {
                self.removed.push(TemplateSpan::new(self.at, self.at + 1));
                self.at += 1;
            }
            SpaceControl::Default | SpaceControl::Keep => {}
        }
    }

    fn skip_comment(&mut self, open: usize) -> Result<Option<Token<'s>>, SyntaxError> {
        let Some(length) = self.rest().find("#}") else {
            return Err(syntax_errors::not_closed("{#", TemplateSpan::new(open, open + 2), "#}"));
        };
        let last = length.checked_sub(1).and_then(|last| self.byte(self.at + last));
        self.at += length + 2;
        self.skip_after_tag(SpaceControl::from_byte(last), true);
        Ok(None)
    }

    /// Returns the end of the white space inside a tag that begins at `at`.
    fn skip_space(&self, at: usize) -> usize {
        self.text.len() - self.rest_from(at).trim_start_matches(self.dialect.is_space_in_tags).len()
    }

    /// Reads a tag without arguments after its opening delimiter, such as `raw -%}`. Returns the
    /// sign at the tag's end and the position after the tag.
    fn bare_tag(&self, at: usize, keyword: &str) -> Option<(SpaceControl, usize)> {
        let at = self.skip_space(at);
        self.rest_from(at).strip_prefix(keyword)?;
        let at = self.skip_space(at + keyword.len());
        let control = SpaceControl::from_byte(self.byte(at));
        let at = at + control.length();
        self.rest_from(at).starts_with("%}").then_some((control, at + 2))
    }

    /// Reads the rest of a `{% raw %}` tag. Returns the sign at its end and the position after it.
    fn raw_tag(&self) -> Option<(SpaceControl, usize)> {
        let found = self.bare_tag(self.at, "raw");
        found.filter(|(sign, _)| *sign != SpaceControl::Keep || self.dialect.plus_ends_all_tags)
    }

    /// Reads the body of a `raw` block and its end tag.
    fn raw(
        &mut self,
        open: usize,
        (body_control, body): (SpaceControl, usize),
    ) -> Result<Option<Token<'s>>, SyntaxError> {
        let opener = TemplateSpan::new(open, open + 2);
        self.at = body;
        let mut search = body;
        loop {
            let Some(found) = self.rest_from(search).find("{%") else {
                return Err(syntax_errors::not_closed("{%", opener, "{% endraw %}"));
            };
            let end = search + found;
            search = end + 2;
            let sign = SpaceControl::from_byte(self.byte(search));
            let Some((end_control, next)) = self.bare_tag(search + sign.length(), "endraw") else {
                continue;
            };
            // As in Jinja2, `trim_blocks` does not apply to the opening tag.
            self.skip_after_tag(body_control, false);
            let start = self.at;
            let text = self.take_without_trailing_space(TemplateSpan::new(start, end), sign, true);
            self.at = next;
            self.skip_after_tag(end_control, true);
            let span = TemplateSpan::new(start, start + text.len());
            return Ok((!text.is_empty()).then_some(Token { kind: TokenKind::Raw(text), span }));
        }
    }

    /// Reads a token inside a tag.
    fn next_in_tag(&mut self) -> Result<Token<'s>, SyntaxError> {
        self.at = self.skip_space(self.at);
        let start = self.at;
        if let Some(token) = self.tag_end(start) {
            return Ok(token);
        }
        let kind = match self.rest().chars().next() {
            None => return Ok(self.token(TokenKind::End, start)),
            Some('0'..='9') => self.number(start)?,
            Some(quote @ ('"' | '\'')) => self.string(start, quote)?,
            Some(first) if self.begins_name(first) => {
                let rest = self.rest();
                let name = rest.split(|it| !self.continues_name(it)).next().unwrap_or(rest);
                self.at += name.len();
                TokenKind::Name(name)
            }
            Some(first) => match operator(self.rest()) {
                Some(operator) => {
                    self.at += operator.len();
                    TokenKind::Operator(operator)
                }
                // The parser reports the error, and stops.
                None => {
                    let span = TemplateSpan::new(start, start + first.len_utf8());
                    return Ok(Token { kind: TokenKind::Unknown, span });
                }
            },
        };
        self.count_token(&kind, start)?;
        Ok(self.token(kind, start))
    }

    /// Reads the end of the tag, if it is next.
    fn tag_end(&mut self, start: usize) -> Option<Token<'s>> {
        let CurrentTag { is_block, brackets: 0, .. } = *self.tag.as_ref()? else { return None };
        let closer = if is_block { "%}" } else { "}}" };
        let has_plus = is_block || self.dialect.plus_ends_all_tags;
        let control = match SpaceControl::from_byte(self.byte(start)) {
            SpaceControl::Keep if !has_plus => SpaceControl::Default,
            control => control,
        };
        if !self.rest_from(start + control.length()).starts_with(closer) {
            return None;
        }
        self.at = start + control.length() + closer.len();
        self.tag = None;
        let token =
            self.token(if is_block { TokenKind::BlockEnd } else { TokenKind::VariableEnd }, start);
        self.skip_after_tag(control, is_block);
        Some(token)
    }

    /// Updates the number of open brackets and the length of the chain, and checks the limit.
    fn count_token(&mut self, kind: &TokenKind<'_>, start: usize) -> Result<(), SyntaxError> {
        let max_chain = self.dialect.max_chain;
        let Some(tag) = &mut self.tag else { return Ok(()) };
        match kind {
            TokenKind::Operator("(" | "[" | "{") => {
                tag.brackets += 1;
                if tag.brackets > MAX_BRACKETS {
                    let place = TemplateSpan::new(start, self.at);
                    return Err(syntax_errors::too_many_brackets(place));
                }
            }
            TokenKind::Operator(")" | "]" | "}") => tag.brackets = tag.brackets.saturating_sub(1),
            _ => {}
        }
        tag.chain.add_token(kind);
        if tag.chain.length() > max_chain {
            return Err(syntax_errors::too_long(TemplateSpan::new(start, self.at)));
        }
        Ok(())
    }

    fn begins_name(&self, character: char) -> bool {
        character == '_'
            || character.is_ascii_alphabetic()
            || self.dialect.has_unicode_names && character.is_alphabetic()
    }

    fn continues_name(&self, character: char) -> bool {
        character == '_'
            || character.is_ascii_alphanumeric()
            || self.dialect.has_unicode_names && character.is_alphanumeric()
    }
}

/// Returns the operator or bracket at the beginning of a text.
fn operator(text: &str) -> Option<&'static str> {
    // A longer operator is before its own prefix.
    const OPERATORS: [&str; 25] = [
        "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{",
        "}", ">", "<", "=", ".", ":", "|", ",",
    ];
    OPERATORS.into_iter().find(|operator| text.starts_with(operator))
}
