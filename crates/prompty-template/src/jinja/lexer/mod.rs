//! From a template's text to tokens, one by one: literal text with white-space control carried out,
//! `raw` blocks, comments, and what stands in tags.

mod chain;
mod literals;

pub(super) use chain::Chain;

use super::dialect::Dialect;
use super::mistakes;
use super::token::{Kind, Token};
use crate::SyntaxError;
use prompty_core::diagnostic::TemplateSpan;
use std::ops::Range;

/// Reads tokens from left to right. All of them together take time in proportion to the text.
#[derive(Debug)]
pub(super) struct Lexer<'s> {
    text: &'s str,
    at: usize,
    dialect: &'s Dialect,
    /// The tag that is being read.
    tag: Option<Tag>,
    /// A token that was found together with the one before it.
    pending: Option<Token<'s>>,
    /// What tags took on their own, without a sign, as `trim_blocks` and `lstrip_blocks` have it.
    taken: Vec<TemplateSpan>,
}

/// The white space that `trim_blocks` and `lstrip_blocks` take off the texts of a template, in order. It
/// ends where the template cannot be read.
pub(super) fn taken_white_space(text: &str, dialect: &Dialect) -> Vec<TemplateSpan> {
    let mut lexer = Lexer::new(text, dialect);
    while !matches!(lexer.next().kind, Kind::End | Kind::Unknown | Kind::Mistake(_)) {}
    lexer.taken.sort_unstable();
    lexer.taken
}

/// A tag that is being read.
#[derive(Debug)]
struct Tag {
    is_block: bool,
    /// How many brackets are open: a tag does not end in brackets.
    brackets: usize,
    chain: Chain,
}

/// A sign of white-space control at one side of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Control {
    /// No sign: what the dialect does on its own.
    Default,
    /// `-`: all white space goes.
    Remove,
    /// `+`: all white space stays.
    Keep,
}

impl Control {
    fn from_byte(byte: Option<u8>) -> Self {
        match byte {
            Some(b'-') => Self::Remove,
            Some(b'+') => Self::Keep,
            _ => Self::Default,
        }
    }

    /// How many bytes the sign takes up.
    fn length(self) -> usize {
        usize::from(self != Self::Default)
    }
}

impl<'s> Lexer<'s> {
    pub(super) fn new(text: &'s str, dialect: &'s Dialect) -> Self {
        Self { text, at: 0, dialect, tag: None, pending: None, taken: Vec::new() }
    }

    /// The next token; [`Kind::End`] or [`Kind::Mistake`] again and again once it was reached.
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
            Token { span: error.span, kind: Kind::Mistake(Box::new(error)) }
        })
    }

    fn rest(&self) -> &'s str {
        self.rest_from(self.at)
    }

    #[expect(clippy::string_slice, reason = "the lexer found the place in the same text")]
    fn rest_from(&self, at: usize) -> &'s str {
        &self.text[at..]
    }

    #[expect(clippy::string_slice, reason = "the lexer found both places in the same text")]
    fn written(&self, range: Range<usize>) -> &'s str {
        &self.text[range]
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// The token from `start` to where the lexer stands.
    fn token(&self, kind: Kind<'s>, start: usize) -> Token<'s> {
        Token { kind, span: TemplateSpan::new(start, self.at) }
    }

    /// Reads text up to the next tag, or the tag's opener where there is no text before it.
    fn next_in_text(&mut self) -> Result<Token<'s>, SyntaxError> {
        loop {
            let start = self.at;
            let Some(open) = self.next_opener() else {
                self.at = self.text.len();
                let kind = match self.rest_from(start) {
                    "" => Kind::End,
                    text => Kind::Text(text),
                };
                return Ok(self.token(kind, start));
            };
            let control = Control::from_byte(self.byte(open + 2));
            let is_block = self.byte(open + 1) != Some(b'{');
            let text =
                self.without_trailing_space(TemplateSpan::new(start, open), control, is_block);
            let text = (!text.is_empty()).then(|| Token {
                kind: Kind::Text(text),
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

    /// Where the next `{{`, `{%` or `{#` begins.
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
        self.tag = Some(Tag { is_block, brackets: 0, chain: Chain::default() });
        self.token(if is_block { Kind::BlockBegin } else { Kind::VariableBegin }, open)
    }

    /// A text without what the tag behind it takes off.
    fn without_trailing_space(
        &mut self,
        place: TemplateSpan,
        control: Control,
        is_block: bool,
    ) -> &'s str {
        let text = self.written(place.start..place.end);
        match control {
            Control::Remove => text.trim_end_matches(self.dialect.is_space_in_texts),
            Control::Default if is_block && self.dialect.lstrip_blocks => {
                let kept = text.trim_end_matches([' ', '\t']);
                let is_all_blank = kept.is_empty();
                let begins_line = place.start == 0 || self.byte(place.start - 1) == Some(b'\n');
                let is_line = kept.ends_with('\n') || (is_all_blank && begins_line);
                if !is_line || kept.len() == text.len() {
                    return text;
                }
                self.taken.push(TemplateSpan::new(place.start + kept.len(), place.end));
                kept
            }
            Control::Default | Control::Keep => text,
        }
    }

    /// Skips what a tag takes off behind it.
    fn skip_after_tag(&mut self, control: Control, is_block: bool) {
        let rest = self.rest();
        match control {
            Control::Remove => {
                let behind = rest.trim_start_matches(self.dialect.is_space_in_texts);
                self.at += rest.len() - behind.len();
            }
            Control::Default if is_block && self.dialect.trim_blocks && rest.starts_with('\n') => {
                self.taken.push(TemplateSpan::new(self.at, self.at + 1));
                self.at += 1;
            }
            Control::Default | Control::Keep => {}
        }
    }

    fn skip_comment(&mut self, open: usize) -> Result<Option<Token<'s>>, SyntaxError> {
        let Some(length) = self.rest().find("#}") else {
            return Err(mistakes::not_closed("{#", TemplateSpan::new(open, open + 2), "#}"));
        };
        let last = length.checked_sub(1).and_then(|last| self.byte(self.at + last));
        self.at += length + 2;
        self.skip_after_tag(Control::from_byte(last), true);
        Ok(None)
    }

    /// Where the white space of a tag ends that begins at `at`.
    fn skip_space(&self, at: usize) -> usize {
        self.text.len() - self.rest_from(at).trim_start_matches(self.dialect.is_space_in_tags).len()
    }

    /// Reads the keyword of a tag without arguments and the tag's end: the sign in front of the end,
    /// and where the tag ends.
    fn bare_tag(&self, at: usize, keyword: &str) -> Option<(Control, usize)> {
        let at = self.skip_space(at);
        self.rest_from(at).strip_prefix(keyword)?;
        let at = self.skip_space(at + keyword.len());
        let control = Control::from_byte(self.byte(at));
        let at = at + control.length();
        self.rest_from(at).starts_with("%}").then_some((control, at + 2))
    }

    /// The sign at the end of `{% raw %}` and where the tag ends, if that is the tag here.
    fn raw_tag(&self) -> Option<(Control, usize)> {
        let found = self.bare_tag(self.at, "raw");
        found.filter(|(sign, _)| *sign != Control::Keep || self.dialect.plus_ends_all_tags)
    }

    /// Reads the body of a `raw` block and its end tag.
    fn raw(
        &mut self,
        open: usize,
        (control, body): (Control, usize),
    ) -> Result<Option<Token<'s>>, SyntaxError> {
        let opener = TemplateSpan::new(open, open + 2);
        self.at = body;
        let mut search = body;
        loop {
            let Some(found) = self.rest_from(search).find("{%") else {
                return Err(mistakes::not_closed("{%", opener, "{% endraw %}"));
            };
            let end = search + found;
            search = end + 2;
            let sign = Control::from_byte(self.byte(search));
            let Some((behind, next)) = self.bare_tag(search + sign.length(), "endraw") else {
                continue;
            };
            self.skip_after_tag(control, false);
            let start = self.at.min(end);
            let text = self.without_trailing_space(TemplateSpan::new(start, end), sign, true);
            self.at = next;
            self.skip_after_tag(behind, true);
            let span = TemplateSpan::new(start, start + text.len());
            return Ok((!text.is_empty()).then_some(Token { kind: Kind::Raw(text), span }));
        }
    }

    /// Reads a token of a tag.
    fn next_in_tag(&mut self) -> Result<Token<'s>, SyntaxError> {
        self.at = self.skip_space(self.at);
        let start = self.at;
        if let Some(token) = self.tag_end(start) {
            return Ok(token);
        }
        let kind = match self.rest().chars().next() {
            None => return Ok(self.token(Kind::End, start)),
            Some('0'..='9') => self.number(start)?,
            Some(quote @ ('"' | '\'')) => self.string(start, quote)?,
            Some(first) if self.begins_name(first) => {
                let rest = self.rest();
                let name = rest.split(|it| !self.continues_name(it)).next().unwrap_or(rest);
                self.at += name.len();
                Kind::Name(name)
            }
            Some(first) => match operator(self.rest()) {
                Some(operator) => {
                    self.at += operator.len();
                    Kind::Operator(operator)
                }
                // The parser says what is wrong with it, and reads no further.
                None => {
                    let span = TemplateSpan::new(start, start + first.len_utf8());
                    return Ok(Token { kind: Kind::Unknown, span });
                }
            },
        };
        self.weigh(&kind, start)?;
        Ok(self.token(kind, start))
    }

    /// The end of the tag, if it stands here.
    fn tag_end(&mut self, start: usize) -> Option<Token<'s>> {
        let Tag { is_block, brackets: 0, .. } = *self.tag.as_ref()? else { return None };
        let closer = if is_block { "%}" } else { "}}" };
        let has_plus = is_block || self.dialect.plus_ends_all_tags;
        let control = match Control::from_byte(self.byte(start)) {
            Control::Keep if !has_plus => Control::Default,
            control => control,
        };
        if !self.rest_from(start + control.length()).starts_with(closer) {
            return None;
        }
        self.at = start + control.length() + closer.len();
        self.tag = None;
        let token = self.token(if is_block { Kind::BlockEnd } else { Kind::VariableEnd }, start);
        self.skip_after_tag(control, is_block);
        Some(token)
    }

    /// Counts brackets, and what depends on each other in the tag.
    fn weigh(&mut self, kind: &Kind<'_>, start: usize) -> Result<(), SyntaxError> {
        let max_chain = self.dialect.max_chain;
        let Some(tag) = &mut self.tag else { return Ok(()) };
        match kind {
            Kind::Operator("(" | "[" | "{") => tag.brackets += 1,
            Kind::Operator(")" | "]" | "}") => tag.brackets = tag.brackets.saturating_sub(1),
            _ => {}
        }
        tag.chain.add_token(kind);
        if tag.chain.length() > max_chain {
            return Err(mistakes::too_long(TemplateSpan::new(start, self.at)));
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

/// The operator or bracket that a text begins with.
fn operator(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    Some(match (bytes.first()?, bytes.get(1)) {
        (b'/', Some(b'/')) => "//",
        (b'*', Some(b'*')) => "**",
        (b'=', Some(b'=')) => "==",
        (b'!', Some(b'=')) => "!=",
        (b'>', Some(b'=')) => ">=",
        (b'<', Some(b'=')) => "<=",
        (b'+', _) => "+",
        (b'-', _) => "-",
        (b'/', _) => "/",
        (b'*', _) => "*",
        (b'%', _) => "%",
        (b'~', _) => "~",
        (b'[', _) => "[",
        (b']', _) => "]",
        (b'(', _) => "(",
        (b')', _) => ")",
        (b'{', _) => "{",
        (b'}', _) => "}",
        (b'>', _) => ">",
        (b'<', _) => "<",
        (b'=', _) => "=",
        (b'.', _) => ".",
        (b':', _) => ":",
        (b'|', _) => "|",
        (b',', _) => ",",
        _ => return None,
    })
}
