//! Reads number literals and string literals.

use std::char::{REPLACEMENT_CHARACTER, decode_utf16};
use std::ops::Range;
use std::str::Chars;

use super::Lexer;
use crate::SyntaxError;
use crate::jinja::dialect::{Escapes, Numbers};
use crate::jinja::syntax_errors;
use crate::jinja::token::TokenKind;
use prompty_core::diagnostic::TemplateSpan;

impl<'s> Lexer<'s> {
    /// Reads a number literal.
    pub(super) fn number(&mut self, start: usize) -> Result<TokenKind<'s>, SyntaxError> {
        let radix = match (self.byte(start), self.byte(start + 1)) {
            (Some(b'0'), Some(b'x' | b'X')) => 16,
            (Some(b'0'), Some(b'o' | b'O')) => 8,
            (Some(b'0'), Some(b'b' | b'B')) => 2,
            _ => 10,
        };
        let (digits, is_float) = match radix {
            10 => self.decimal(start),
            _ => {
                let rest = self.rest_from(start + 2);
                // All decimal digits are taken, so that `0b12` is one invalid number.
                let is_digit = |it: char| it.is_digit(radix.max(10)) || it == '_';
                (start + 2..self.text.len() - rest.trim_start_matches(is_digit).len(), false)
            }
        };
        self.at = digits.end;
        let written = self.source(digits);
        let numbers = self.dialect.numbers;
        // The first dot of `0..3` was read as the end of `0.`.
        if written.ends_with('.') && self.byte(self.at) == Some(b'.') {
            return Err(syntax_errors::range_of_numbers(self.text, self.at - 1));
        }
        let error = || {
            let place = TemplateSpan::new(start, self.at);
            syntax_errors::not_a_number(self.source(start..self.at), place)
        };
        if written.ends_with('_') && numbers == Numbers::Minijinja {
            return Err(error());
        }
        let written = written.replace('_', "");
        if is_float {
            return written.parse().map(TokenKind::Float).map_err(|_| error());
        }
        if let Ok(number) = i128::from_str_radix(&written, radix) {
            return Ok(TokenKind::Integer(number));
        }
        match numbers {
            Numbers::Python if radix == 10 => {
                written.parse().map(TokenKind::Float).map_err(|_| error())
            }
            // The engine accepts an unsigned number of 128 bits, which our values cannot represent.
            _ => Err(error()),
        }
    }

    /// Returns the range of a decimal number, and whether it has a fraction or an exponent.
    fn decimal(&self, start: usize) -> (Range<usize>, bool) {
        // `a.1.2` is the item 2 of the item 1 of `a`, not 1.2.
        let is_index = start.checked_sub(1).is_some_and(|at| self.byte(at) == Some(b'.'));
        let is_minijinja = self.dialect.numbers == Numbers::Minijinja;
        let mut end = self.skip_digits(start);
        let has_fraction =
            !is_index && self.byte(end) == Some(b'.') && self.begins_fraction(end + 1);
        if has_fraction {
            end = self.skip_digits(end + 1);
        }
        let may_have_exponent = is_minijinja || !is_index;
        if !may_have_exponent || !matches!(self.byte(end), Some(b'e' | b'E')) {
            return (start..end, has_fraction);
        }
        // The engine accepts `1e_+5`. If the exponent is missing, its number is reported as
        // invalid.
        let mut digits = if is_minijinja { self.skip(end + 1, |it| it == b'_') } else { end + 1 };
        digits += usize::from(matches!(self.byte(digits), Some(b'+' | b'-')));
        if !is_minijinja && !self.byte(digits).is_some_and(|it| it.is_ascii_digit()) {
            return (start..end, has_fraction);
        }
        (start..self.skip_digits(digits), true)
    }

    /// Whether the point before a position belongs to the number: `1.5`. For the engine, also `1.`
    /// and `1.e5`, but not `1.name`, which is an attribute.
    fn begins_fraction(&self, at: usize) -> bool {
        let is_minijinja = self.dialect.numbers == Numbers::Minijinja;
        match self.byte(at) {
            Some(b'0'..=b'9') => true,
            Some(b'e' | b'E') if is_minijinja => {
                matches!(self.byte(at + 1), Some(b'+' | b'-' | b'0'..=b'9'))
            }
            Some(byte) => is_minijinja && byte != b'_' && !byte.is_ascii_alphabetic(),
            None => is_minijinja,
        }
    }

    fn skip_digits(&self, at: usize) -> usize {
        self.skip(at, |byte| byte.is_ascii_digit() || byte == b'_')
    }

    /// Returns the first position from `at` on whose byte is not skipped.
    fn skip(&self, at: usize, is_skipped: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at + rest.iter().take_while(|byte| is_skipped(**byte)).count()
    }

    /// Reads a string literal.
    pub(super) fn string(
        &mut self,
        start: usize,
        quote: char,
    ) -> Result<TokenKind<'s>, SyntaxError> {
        let Some(length) = closing_quote(self.rest_from(start + 1), quote) else {
            return Err(syntax_errors::string_not_closed(TemplateSpan::new(start, start + 1)));
        };
        self.at = start + 1 + length + 1;
        let written = self.source(start + 1..start + 1 + length);
        if !written.contains('\\') {
            return Ok(TokenKind::String(written.into()));
        }
        match unescape(written, self.dialect.escapes) {
            Ok(text) => Ok(TokenKind::String(text.into())),
            Err(offset) => {
                // The span is the backslash and the character after it.
                let at = start + 1 + offset;
                let end = at + 2.min(length - offset);
                let end = (end..=self.at).find(|end| self.text.is_char_boundary(*end));
                let span = TemplateSpan::new(at, end.unwrap_or(self.at));
                Err(syntax_errors::invalid_escape(span))
            }
        }
    }
}

/// Returns the position of the closing quotation mark in the text after the opening one.
fn closing_quote(body: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    body.bytes().position(|byte| {
        let ends = !is_escaped && char::from(byte) == quote;
        is_escaped = !is_escaped && byte == b'\\';
        ends
    })
}

/// Takes `length` hexadecimal digits and returns their value.
fn take_code(characters: &mut Chars<'_>, length: usize) -> Option<u32> {
    let (digits, rest) = characters.as_str().split_at_checked(length)?;
    // The standard library would accept a sign here.
    let is_code = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_code)?;
    *characters = rest.chars();
    Some(code)
}

/// Takes the rest of an octal number of up to three digits, whose first digit was already taken.
fn take_octal(first: char, characters: &mut Chars<'_>) -> u32 {
    let mut number = first.to_digit(8).unwrap_or(0);
    for _ in 0..2 {
        let Some(digit) = characters.clone().next().and_then(|it| it.to_digit(8)) else { break };
        characters.next();
        number = number * 8 + digit;
    }
    number
}

/// Takes the digits of `\u0041`, or of a surrogate pair such as `\ud83d\ude00`, whose first `\u` is
/// at `at` and was already taken. The error is the position of the invalid escape sequence.
fn take_json_unicode(characters: &mut Chars<'_>, at: usize) -> Result<char, usize> {
    let is_surrogate = |unit: &u16| (0xD800..=0xDFFF).contains(unit);
    let unit = take_utf16_unit(characters).ok_or(at)?;
    if !is_surrogate(&unit) {
        return char::from_u32(u32::from(unit)).ok_or(at);
    }
    let second_at = at + r"\u0041".len();
    *characters = characters.as_str().strip_prefix(r"\u").ok_or(at)?.chars();
    let second = take_utf16_unit(characters).ok_or(second_at)?;
    if !is_surrogate(&second) {
        return Err(at);
    }
    decode_utf16([unit, second]).next().and_then(Result::ok).ok_or(second_at)
}

fn take_utf16_unit(characters: &mut Chars<'_>) -> Option<u16> {
    take_code(characters, 4).and_then(|it| u16::try_from(it).ok())
}

/// Replaces the escape sequences of a string literal. The error is the position of an invalid one.
fn unescape(written: &str, escapes: Escapes) -> Result<String, usize> {
    let mut text = String::with_capacity(written.len());
    let mut characters = written.chars();
    loop {
        let at = written.len() - characters.as_str().len();
        let Some(character) = characters.next() else { return Ok(text) };
        // A backslash at the end is a plain character.
        let escaped = if character == '\\' { characters.next() } else { None };
        let replacement = match (escapes, escaped) {
            (_, None) => character,
            (_, Some(plain @ ('"' | '\\' | '\''))) | (Escapes::Json, Some(plain @ '/')) => plain,
            (_, Some('b')) => '\u{8}',
            (_, Some('f')) => '\u{c}',
            (_, Some('n')) => '\n',
            (_, Some('r')) => '\r',
            (_, Some('t')) => '\t',
            (Escapes::Python, Some('a')) => '\u{7}',
            (Escapes::Python, Some('v')) => '\u{b}',
            // The string continues on the next line.
            (Escapes::Python, Some('\n')) => continue,
            (Escapes::Json, Some('u')) => take_json_unicode(&mut characters, at)?,
            (Escapes::Json, Some('x')) => {
                take_code(&mut characters, 2).and_then(char::from_u32).ok_or(at)?
            }
            (Escapes::Json, Some(first @ '0'..='7')) => {
                u8::try_from(take_octal(first, &mut characters)).map_err(|_| at)?.into()
            }
            (Escapes::Python, Some(first @ '0'..='7')) => {
                let number = take_octal(first, &mut characters);
                char::from_u32(number).unwrap_or(REPLACEMENT_CHARACTER)
            }
            (Escapes::Python, Some(kind @ ('x' | 'u' | 'U'))) => {
                let length = match kind {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let code = take_code(&mut characters, length).ok_or(at)?;
                char::from_u32(code).unwrap_or(REPLACEMENT_CHARACTER)
            }
            (_, Some(other)) => {
                text.push('\\');
                other
            }
        };
        text.push(replacement);
    }
}
