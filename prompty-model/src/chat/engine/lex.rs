//! From a template's text to tokens, with Jinja's white-space control: `trim_blocks` and
//! `lstrip_blocks` are on, as `transformers` has them.

use prompty_core::diagnostic::Span;
use prompty_core::jinja::SyntaxError;

/// A token and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Token<'s> {
    pub(super) kind: Kind<'s>,
    pub(super) span: Span,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind<'s> {
    /// Literal text, white space already taken off.
    Text(&'s str),
    VariableBegin,
    VariableEnd,
    BlockBegin,
    BlockEnd,
    Name(&'s str),
    String(String),
    Integer(i128),
    Float(f64),
    Operator(&'static str),
    End,
}

/// The longest first.
const OPERATORS: [&str; 26] = [
    "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}",
    ">", "<", "=", ".", ":", "|", ",", ";",
];

/// The text that the lexer reads: `\n` for each kind of line end, and without the last of them.
pub(super) fn normalised(source: &str) -> String {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let mut text = match source.contains('\r') {
        true => source.replace("\r\n", "\n").replace('\r', "\n"),
        false => source.to_owned(),
    };
    if text.ends_with('\n') {
        text.pop();
    }
    text
}

/// All tokens of a normalised text; the last one is [`Kind::End`].
pub(super) fn tokens(source: &str) -> Result<Vec<Token<'_>>, SyntaxError> {
    let mut lexer = Lexer { source, at: 0, tokens: Vec::with_capacity(source.len() / 8) };
    lexer.root()?;
    lexer.push(Kind::End, source.len());
    Ok(lexer.tokens)
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
    tokens: Vec<Token<'s>>,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        self.from(self.at)
    }

    fn from(&self, start: usize) -> &'s str {
        self.source.get(start..).unwrap_or_default()
    }

    fn push(&mut self, kind: Kind<'s>, start: usize) {
        self.tokens.push(Token { kind, span: Span::new(start, self.at.max(start)) });
    }

    fn fail<T>(&self, start: usize, message: impl Into<String>) -> Result<T, SyntaxError> {
        let end = self.source.len().min(start + 2);
        let end = if self.source.is_char_boundary(end) { end } else { start };
        Err(SyntaxError::new(Span::new(start, end), message))
    }

    /// Reads text and tags up to the end.
    fn root(&mut self) -> Result<(), SyntaxError> {
        loop {
            let start = self.at;
            let Some(open) = self.next_opener() else {
                let rest = self.rest();
                self.at = self.source.len();
                self.text(rest, start);
                return Ok(());
            };
            let opener = self.from(open).get(..2).unwrap_or_default();
            let sign = self.from(open + 2).chars().next().filter(|sign| matches!(sign, '-' | '+'));
            let text = self.source.get(start..open).unwrap_or_default();
            let text = self.before_tag(text, start, sign, opener != "{{");
            self.at = open;
            self.text(text, start);
            self.at = open + 2 + sign.map_or(0, char::len_utf8);
            match opener {
                "{#" => self.comment(open)?,
                "{{" => {
                    self.push(Kind::VariableBegin, open);
                    self.inside(open, false)?;
                }
                _ if self.raw(open)? => {}
                _ => {
                    self.push(Kind::BlockBegin, open);
                    self.inside(open, true)?;
                }
            }
        }
    }

    fn next_opener(&self) -> Option<usize> {
        let mut at = self.at;
        loop {
            at += self.from(at).find('{')?;
            if matches!(self.source.as_bytes().get(at + 1), Some(b'%' | b'{' | b'#')) {
                return Some(at);
            }
            at += 1;
        }
    }

    fn text(&mut self, text: &'s str, start: usize) {
        if !text.is_empty() {
            self.push(Kind::Text(text), start);
        }
    }

    /// The text before a tag, without what the tag takes off.
    fn before_tag(
        &self,
        text: &'s str,
        start: usize,
        sign: Option<char>,
        is_block: bool,
    ) -> &'s str {
        match sign {
            Some('-') => text.trim_end_matches(is_space),
            None if is_block => {
                let line = text.rfind('\n').map_or(0, |newline| newline + 1);
                let begins_line = line > 0 || start == 0 || self.newline_before(start);
                let (before, last) = text.split_at_checked(line).unwrap_or((text, ""));
                let is_blank = last.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
                if begins_line && is_blank { before } else { text }
            }
            _ => text,
        }
    }

    fn newline_before(&self, at: usize) -> bool {
        self.source.get(..at).is_some_and(|before| before.ends_with('\n'))
    }

    fn comment(&mut self, open: usize) -> Result<(), SyntaxError> {
        let Some(length) = self.rest().find("#}") else {
            return self.fail(open, "the comment is never closed");
        };
        let close = self.at + length;
        let sign = self.rest().get(..length).and_then(|body| body.chars().next_back());
        self.at = close + 2;
        self.after_tag(sign.filter(|sign| matches!(sign, '-' | '+')), true);
        Ok(())
    }

    /// Takes off what a tag takes off behind it.
    fn after_tag(&mut self, sign: Option<char>, is_block: bool) {
        let rest = self.rest();
        match sign {
            Some('-') => self.at += rest.len() - rest.trim_start_matches(is_space).len(),
            None if is_block && rest.starts_with('\n') => self.at += 1,
            _ => {}
        }
    }

    /// Reads `{% raw %}` to `{% endraw %}`, if that stands here.
    fn raw(&mut self, open: usize) -> Result<bool, SyntaxError> {
        let Some(rest) = self.rest().trim_start_matches(is_space).strip_prefix("raw") else {
            return Ok(false);
        };
        let rest = rest.trim_start_matches(is_space);
        let (sign, rest) = match rest.strip_prefix('-') {
            Some(rest) => (Some('-'), rest),
            None => (None, rest),
        };
        let Some(body) = rest.strip_prefix("%}") else { return Ok(false) };
        self.at = self.source.len() - body.len();
        self.after_tag(sign, false);
        let start = self.at;
        let mut at = start;
        loop {
            let Some(found) = self.from(at).find("{%") else {
                return self.fail(open, "`raw` is never closed");
            };
            let begin = at + found;
            at = begin + 2;
            let tag = self.from(at);
            let sign = tag.chars().next().filter(|sign| matches!(sign, '-' | '+'));
            let tag = tag.get(sign.map_or(0, char::len_utf8)..).unwrap_or_default();
            let tag = tag.trim_start_matches(is_space);
            let Some(tag) = tag.strip_prefix("endraw") else { continue };
            let tag = tag.trim_start_matches(is_space);
            let end_sign = tag.chars().next().filter(|sign| matches!(sign, '-' | '+'));
            let tag = tag.get(end_sign.map_or(0, char::len_utf8)..).unwrap_or_default();
            let Some(behind) = tag.strip_prefix("%}") else { continue };
            let text = self.source.get(start..begin).unwrap_or_default();
            let text = self.before_tag(text, start, sign, true);
            self.at = begin;
            self.text(text, start);
            self.at = self.source.len() - behind.len();
            self.after_tag(end_sign, true);
            return Ok(true);
        }
    }

    /// Reads the inside of a tag, and its end.
    fn inside(&mut self, open: usize, is_block: bool) -> Result<(), SyntaxError> {
        let closer = if is_block { "%}" } else { "}}" };
        let mut brackets: Vec<&str> = Vec::new();
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(is_space);
            self.at += rest.len() - trimmed.len();
            let start = self.at;
            let Some(first) = trimmed.chars().next() else {
                let tag = self.from(open).get(..2).unwrap_or_default();
                let error =
                    SyntaxError::new(Span::new(open, open + 2), format!("`{tag}` is not closed"));
                return Err(error.with_help(format!("close it with `{closer}`")));
            };
            if brackets.is_empty() {
                let sign = match first {
                    '-' => Some('-'),
                    '+' if is_block => Some('+'),
                    _ => None,
                };
                let end = trimmed.get(sign.map_or(0, char::len_utf8)..).unwrap_or_default();
                if end.starts_with(closer) {
                    self.at += sign.map_or(0, char::len_utf8) + 2;
                    self.push(if is_block { Kind::BlockEnd } else { Kind::VariableEnd }, start);
                    self.after_tag(sign, is_block);
                    return Ok(());
                }
            }
            match first {
                '0'..='9' => self.number(start)?,
                '"' | '\'' => self.string(start, first)?,
                _ if first == '_' || first.is_alphabetic() => {
                    let is_part = |c: char| c == '_' || c.is_alphanumeric();
                    let length = trimmed.find(|c| !is_part(c)).unwrap_or(trimmed.len());
                    self.at += length;
                    self.push(Kind::Name(trimmed.get(..length).unwrap_or_default()), start);
                }
                _ => {
                    let found = OPERATORS.iter().find(|operator| trimmed.starts_with(**operator));
                    let Some(operator) = found else {
                        return self.fail(start, format!("unexpected character `{first}`"));
                    };
                    match *operator {
                        "(" | "[" | "{" => brackets.push(operator),
                        ")" | "]" | "}" => {
                            let opened = match *operator {
                                ")" => "(",
                                "]" => "[",
                                _ => "{",
                            };
                            if brackets.pop() != Some(opened) {
                                return self.fail(start, format!("unexpected `{operator}`"));
                            }
                        }
                        _ => {}
                    }
                    self.at += operator.len();
                    self.push(Kind::Operator(operator), start);
                }
            }
        }
    }

    fn number(&mut self, start: usize) -> Result<(), SyntaxError> {
        let rest = self.rest();
        let is_digit = |c: char| c.is_ascii_digit() || c == '_';
        let bytes = rest.as_bytes();
        let radix = match (bytes.first(), bytes.get(1).map(u8::to_ascii_lowercase)) {
            (Some(b'0'), Some(b'x')) => 16,
            (Some(b'0'), Some(b'o')) => 8,
            (Some(b'0'), Some(b'b')) => 2,
            _ => 10,
        };
        if radix != 10 {
            let digits = rest.get(2..).unwrap_or_default();
            let length = digits.find(|c: char| !c.is_digit(radix) && c != '_');
            let digits = digits.get(..length.unwrap_or(digits.len())).unwrap_or_default();
            self.at += 2 + digits.len();
            return match i128::from_str_radix(&digits.replace('_', ""), radix) {
                Ok(number) => {
                    self.push(Kind::Integer(number), start);
                    Ok(())
                }
                Err(_) => self.fail(start, "this is no number"),
            };
        }
        let whole = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
        let mut length = whole;
        // `a.1.2` is the item 2 of the item 1 of a, not 1.2.
        let is_index = self.source.get(..start).is_some_and(|before| before.ends_with('.'));
        let mut is_float = false;
        if !is_index {
            let digits_at = |at: usize| {
                let digits = rest.get(at..).unwrap_or_default();
                let begins = digits.starts_with(|c: char| c.is_ascii_digit());
                begins.then(|| digits.find(|c| !is_digit(c)).unwrap_or(digits.len()))
            };
            if bytes.get(length) == Some(&b'.')
                && let Some(digits) = digits_at(length + 1)
            {
                is_float = true;
                length += 1 + digits;
            }
            if matches!(bytes.get(length), Some(b'e' | b'E')) {
                let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
                if let Some(digits) = digits_at(length + 1 + sign) {
                    is_float = true;
                    length += 1 + sign + digits;
                }
            }
        }
        let written = rest.get(..length).unwrap_or_default().replace('_', "");
        self.at += length;
        let kind = match (is_float, written.parse::<i128>()) {
            (false, Ok(number)) => Kind::Integer(number),
            _ => match written.parse::<f64>() {
                Ok(number) => Kind::Float(number),
                Err(_) => return self.fail(start, "this is no number"),
            },
        };
        self.push(kind, start);
        Ok(())
    }

    fn string(&mut self, start: usize, quote: char) -> Result<(), SyntaxError> {
        let body = self.from(start + 1);
        let mut text = String::new();
        let mut characters = body.char_indices();
        while let Some((index, character)) = characters.next() {
            if character == quote {
                self.at = start + 1 + index + 1;
                self.push(Kind::String(text), start);
                return Ok(());
            }
            if character != '\\' {
                text.push(character);
                continue;
            }
            let Some((_, escaped)) = characters.next() else { break };
            let mut code = |length: usize| {
                let digits = characters.as_str().get(..length)?;
                let code = u32::from_str_radix(digits, 16).ok()?;
                for _ in 0..length {
                    characters.next();
                }
                Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
            };
            match escaped {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                'a' => text.push('\u{7}'),
                'b' => text.push('\u{8}'),
                'f' => text.push('\u{c}'),
                'v' => text.push('\u{b}'),
                '0'..='7' => {
                    let mut number = escaped.to_digit(8).unwrap_or_default();
                    for _ in 0..2 {
                        let next = characters.as_str().chars().next().and_then(|c| c.to_digit(8));
                        let Some(digit) = next else { break };
                        characters.next();
                        number = number * 8 + digit;
                    }
                    text.push(char::from_u32(number).unwrap_or_default());
                }
                '\n' => {}
                '\\' | '\'' | '"' => text.push(escaped),
                'x' | 'u' | 'U' => {
                    let length = match escaped {
                        'x' => 2,
                        'u' => 4,
                        _ => 8,
                    };
                    match code(length) {
                        Some(character) => text.push(character),
                        None => return self.fail(start, "an escape in this text is not complete"),
                    }
                }
                other => {
                    text.push('\\');
                    text.push(other);
                }
            }
        }
        let error =
            SyntaxError::new(Span::new(start, start + 1), "this text in quotes is never closed");
        Err(error.with_help(format!("end it with `{quote}`")))
    }
}

/// What Python takes for white space.
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}
