//! Literals of JSON, of Python, and of notations that quote strings with a token. They are read in
//! pieces and written as JSON.
//!
//! JSON is passed on unchanged. Other notations are converted: Python's words, quotes and tuples,
//! keys without quotes, commas before a closer, and control characters inside strings.
//!
//! | read | written |
//! |---|---|
//! | `{'a': (1, None,)}` | `{"a": [1, null]}` |
//! | `a=1, b=True)`, as assignments | `"a":1, "b":true}` |
//! | `{a:<q>x<q>}`, with `<q>` as quote | `{"a":"x"}` |

use std::borrow::Cow;

use super::escape::{json_run, plain_run};
use super::word;
use crate::format::Text;
use prompty_core::value::internal::json::{Escape, escape_ascii_byte, read_escape};
use prompty_core::work::add_steps;

/// What a literal may contain beyond JSON and Python.
#[derive(Debug, Clone, Default)]
pub(crate) struct LiteralNotation {
    /// A token that quotes strings; empty if there is none.
    pub(crate) quote: Text,
    /// The closer of a list of assignments, a single byte, as in `f(a=1)`.
    pub(crate) close: u8,
}

/// The result of reading a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LiteralProgress {
    /// The rest must be given again, followed by more text.
    More,
    /// The literal has ended.
    Done,
    /// The rest begins with a byte that a literal cannot have here.
    Unexpected,
}

/// The text that a call of [`LiteralReader::read`] has read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LiteralPiece<'text> {
    pub(crate) read: &'text str,
    pub(crate) rest: &'text str,
    pub(crate) progress: LiteralProgress,
}

/// An open bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LiteralBracket {
    Object,
    Array,
    /// Python's tuple, which becomes an array.
    Tuple,
    /// A list of assignments, which becomes an object.
    Assignments,
}

/// The next token outside strings. `End` is the closer of the innermost bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpectedToken {
    /// The opener of an object.
    Object,
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    /// The literal has ended.
    Nothing,
}

/// The quote of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LiteralQuote {
    /// `"` or `'`.
    Byte(u8),
    /// The token of the notation.
    Token,
}

/// The maximum length of the white space after a comma that is searched for a closer.
const MOST_SPACE: usize = 256;

/// Reads one literal in pieces.
#[derive(Debug, Clone)]
pub(crate) struct LiteralReader {
    notation: LiteralNotation,
    stack: Vec<LiteralBracket>,
    expect: ExpectedToken,
    /// The quote of the string that is being read; `None` outside strings.
    string: Option<LiteralQuote>,
}

impl LiteralReader {
    /// A reader of one value.
    pub(crate) fn value(notation: LiteralNotation) -> Self {
        Self { notation, stack: Vec::new(), expect: ExpectedToken::Value, string: None }
    }

    /// A reader of one object.
    pub(crate) fn object() -> Self {
        Self { expect: ExpectedToken::Object, ..Self::value(LiteralNotation::default()) }
    }

    /// A reader of assignments whose opener was already read. The caller writes the `{`.
    pub(crate) fn assignments(notation: LiteralNotation) -> Self {
        let stack = vec![LiteralBracket::Assignments];
        Self { notation, stack, expect: ExpectedToken::KeyOrEnd, string: None }
    }

    /// Reads the next text. With `last`, no more text follows, so the end of the text ends a word.
    pub(crate) fn read<'text>(
        &mut self,
        text: &'text str,
        last: bool,
        out: impl FnMut(&str),
    ) -> LiteralPiece<'text> {
        let mut run = LiteralRun { reader: self, text, last, from: 0, at: 0, out };
        let progress = run.advance();
        add_steps(run.at);
        run.flush();
        LiteralPiece { read: run.read(), rest: run.rest(), progress }
    }

    /// Whether it stopped inside a string.
    pub(crate) fn is_in_string(&self) -> bool {
        self.string.is_some()
    }

    /// Whether anything was read after the opener of the outermost brackets.
    pub(crate) fn has_entries(&self) -> bool {
        self.stack.len() != 1
            || !matches!(self.expect, ExpectedToken::KeyOrEnd | ExpectedToken::ValueOrEnd)
    }

    /// Closes all open brackets if that completes the literal.
    pub(crate) fn close(&mut self, mut out: impl FnMut(&str)) -> bool {
        if self.string.is_some()
            || !matches!(
                self.expect,
                ExpectedToken::CommaOrEnd | ExpectedToken::KeyOrEnd | ExpectedToken::ValueOrEnd
            )
        {
            return self.expect == ExpectedToken::Nothing;
        }
        while let Some(bracket) = self.stack.pop() {
            out(bracket.closer());
        }
        self.expect = ExpectedToken::Nothing;
        true
    }

    /// A number with leading zeros, as in `f(a=007)`. JSON and Python do not have such numbers, but
    /// in assignments nothing else can be meant.
    fn assigned_number<'word>(&self, word: &'word str) -> Option<Cow<'word, str>> {
        match self.stack.first() {
            Some(LiteralBracket::Assignments) => word::without_leading_zeros(word),
            _ => None,
        }
    }

    fn end_string(&mut self) {
        match self.expect {
            ExpectedToken::Key | ExpectedToken::KeyOrEnd => self.expect = ExpectedToken::Colon,
            _ => self.end_value(),
        }
    }

    fn end_value(&mut self) {
        self.expect =
            if self.stack.is_empty() { ExpectedToken::Nothing } else { ExpectedToken::CommaOrEnd };
    }

    /// Whether a byte closes the innermost bracket.
    fn closes(&self, byte: u8) -> bool {
        match self.stack.last() {
            Some(LiteralBracket::Object) => byte == b'}',
            Some(LiteralBracket::Array) => byte == b']',
            Some(LiteralBracket::Tuple) => byte == b')',
            Some(LiteralBracket::Assignments) => byte == self.notation.close,
            None => false,
        }
    }
}

impl LiteralBracket {
    /// Its closer in JSON.
    fn closer(self) -> &'static str {
        match self {
            Self::Object | Self::Assignments => "}",
            Self::Array | Self::Tuple => "]",
        }
    }
}

/// The reading of one text. It passes on the parts that are not changed.
struct LiteralRun<'reader, 'text, F> {
    reader: &'reader mut LiteralReader,
    text: &'text str,
    /// Whether no more text follows.
    last: bool,
    /// The start of the text that was not passed on yet.
    from: usize,
    /// The end of the text that was read. Each reader adds the length of what it found there.
    at: usize,
    out: F,
}

#[expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "the readers find what they add to `at` in `rest()`, and `from` is an earlier `at`"
)]
impl<'text, F: FnMut(&str)> LiteralRun<'_, 'text, F> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn bytes(&self) -> &'text [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn read(&self) -> &'text str {
        &self.text[..self.at]
    }

    fn rest(&self) -> &'text str {
        &self.text[self.at..]
    }

    /// Passes on the text that was read so far.
    fn flush(&mut self) {
        if self.from < self.at {
            (self.out)(&self.text[self.from..self.at]);
        }
        self.from = self.at;
    }

    /// Reads `length` bytes and writes something else.
    fn replace(&mut self, length: usize, with: &str) {
        self.flush();
        if !with.is_empty() {
            (self.out)(with);
        }
        self.at += length;
        self.from = self.at;
    }

    /// Reads one byte, which is `json` in JSON.
    fn read_as(&mut self, json: &str) {
        if self.rest().starts_with(json) { self.at += 1 } else { self.replace(1, json) }
    }

    /// Reads one byte that must be escaped.
    fn escape(&mut self, byte: u8) {
        self.replace(1, escape_ascii_byte(byte).unwrap_or_default());
    }
}

impl<F: FnMut(&str)> LiteralRun<'_, '_, F> {
    /// Reads tokens until the literal ends, or no token can be read.
    fn advance(&mut self) -> LiteralProgress {
        loop {
            if let Some(quote) = self.reader.string {
                match self.read_string(quote) {
                    Some(progress) => return progress,
                    None => self.reader.string = None,
                }
                self.reader.end_string();
                continue;
            }
            if self.reader.expect == ExpectedToken::Nothing {
                return LiteralProgress::Done;
            }
            let Some(byte) = self.byte() else { return LiteralProgress::More };
            if byte.is_ascii_whitespace() {
                self.at += 1;
                continue;
            }
            if let Some(progress) = self.read_token(byte) {
                return progress;
            }
        }
    }

    /// Reads one token outside strings. Returns `None` if the next token can be read.
    fn read_token(&mut self, byte: u8) -> Option<LiteralProgress> {
        use ExpectedToken::{Colon, CommaOrEnd, Key, KeyOrEnd, Object, Value, ValueOrEnd};
        match (self.reader.expect, byte) {
            (CommaOrEnd, b',') => return self.read_comma(),
            (Colon, b':' | b'=') => {
                self.read_as(":");
                self.reader.expect = Value;
            }
            (CommaOrEnd | KeyOrEnd | ValueOrEnd, _) if self.reader.closes(byte) => {
                self.close_bracket();
            }
            (Value | ValueOrEnd | Key | KeyOrEnd, b'"' | b'\'') => {
                self.read_as("\"");
                self.reader.string = Some(LiteralQuote::Byte(byte));
            }
            (Object | Value | ValueOrEnd, b'{') => {
                self.open_bracket("{", LiteralBracket::Object, KeyOrEnd);
            }
            (Value | ValueOrEnd, b'[') => {
                self.open_bracket("[", LiteralBracket::Array, ValueOrEnd);
            }
            (Value | ValueOrEnd, b'(') => {
                self.open_bracket("[", LiteralBracket::Tuple, ValueOrEnd);
            }
            (Value | ValueOrEnd | Key | KeyOrEnd, _) => {
                return self.read_quote_or_word(byte);
            }
            _ => return Some(LiteralProgress::Unexpected),
        }
        None
    }

    /// Reads a comma. A comma before a closer is dropped.
    fn read_comma(&mut self) -> Option<LiteralProgress> {
        let mut near = self.bytes().iter().skip(1).take(MOST_SPACE);
        let length = near.len();
        let spaces = near.clone().take_while(|byte| byte.is_ascii_whitespace()).count();
        add_steps(spaces);
        match near.nth(spaces) {
            Some(byte) if self.reader.closes(*byte) => self.replace(1, ""),
            None if length < MOST_SPACE && !self.last => return Some(LiteralProgress::More),
            _ => {
                self.at += 1;
                self.reader.expect = match self.reader.stack.last() {
                    Some(LiteralBracket::Object | LiteralBracket::Assignments) => {
                        ExpectedToken::Key
                    }
                    _ => ExpectedToken::Value,
                };
            }
        }
        None
    }

    /// Reads the notation's own quote, after which a string begins, or a word.
    fn read_quote_or_word(&mut self, byte: u8) -> Option<LiteralProgress> {
        let rest = self.rest();
        let token = &*self.reader.notation.quote;
        if !token.is_empty() && token.as_bytes().first() == Some(&byte) {
            if rest.starts_with(token) {
                let length = token.len();
                self.replace(length, "\"");
                self.reader.string = Some(LiteralQuote::Token);
                return None;
            }
            if token.starts_with(rest) && !self.last {
                return Some(LiteralProgress::More);
            }
        }
        let is_key = matches!(self.reader.expect, ExpectedToken::Key | ExpectedToken::KeyOrEnd);
        let end = rest.bytes().position(|byte| !word::is_word_byte(byte));
        add_steps(end.unwrap_or(rest.len()));
        let word = match end {
            Some(0) => return Some(LiteralProgress::Unexpected),
            Some(end) if end > word::LONGEST_WORD => return Some(LiteralProgress::Unexpected),
            Some(end) => rest.get(..end)?,
            None if rest.len() > word::LONGEST_WORD => return Some(LiteralProgress::Unexpected),
            None if !self.last => return Some(LiteralProgress::More),
            None => rest,
        };
        if is_key {
            // A key without quotes gets them.
            self.replace(0, "\"");
            self.at += word.len();
            self.replace(0, "\"");
            self.reader.expect = ExpectedToken::Colon;
            return None;
        }
        let Some(json) = word::word_to_json(word).or_else(|| self.reader.assigned_number(word))
        else {
            return Some(LiteralProgress::Unexpected);
        };
        if json == word {
            self.at += word.len();
        } else {
            self.replace(word.len(), &json);
        }
        self.reader.end_value();
        None
    }

    /// Reads the inside of a string and its closing quote. Returns `None` at the closing quote.
    fn read_string(&mut self, quote: LiteralQuote) -> Option<LiteralProgress> {
        // Moved out and back, because the loop changes `self` while it compares with the token.
        let token = std::mem::take(&mut self.reader.notation.quote);
        let stop = match quote {
            LiteralQuote::Byte(byte) => byte,
            LiteralQuote::Token => token.as_bytes().first().copied().unwrap_or(b'"'),
        };
        let result = loop {
            self.at += match quote {
                LiteralQuote::Byte(b'"') => json_run(self.bytes()),
                _ => plain_run(self.bytes(), stop),
            };
            let Some(byte) = self.byte() else { break Some(LiteralProgress::More) };
            match quote {
                LiteralQuote::Byte(end) if byte == end => {
                    self.read_as("\"");
                    break None;
                }
                LiteralQuote::Token if byte == stop && self.rest().starts_with(&*token) => {
                    self.replace(token.len(), "\"");
                    break None;
                }
                LiteralQuote::Token if byte == stop && token.starts_with(self.rest()) => {
                    break Some(LiteralProgress::More);
                }
                LiteralQuote::Byte(_) if byte == b'\\' => {
                    if !self.read_escape_in_string() {
                        break Some(LiteralProgress::More);
                    }
                }
                _ if byte < 0x20 || byte == b'"' || byte == b'\\' => self.escape(byte),
                _ => self.at += 1,
            }
        };
        self.reader.notation.quote = token;
        result
    }

    fn open_bracket(&mut self, json: &str, bracket: LiteralBracket, expect: ExpectedToken) {
        self.read_as(json);
        self.reader.stack.push(bracket);
        self.reader.expect = expect;
    }

    fn close_bracket(&mut self) {
        if let Some(bracket) = self.reader.stack.pop() {
            self.read_as(bracket.closer());
        }
        self.reader.end_value();
    }

    /// Reads an escape. Returns false if it is incomplete.
    fn read_escape_in_string(&mut self) -> bool {
        let rest = self.rest();
        match read_escape(rest) {
            Escape::Character(_, length) => self.at += length,
            Escape::LoneSurrogate => self.replace(6, "\\ufffd"),
            Escape::Incomplete => return false,
            Escape::Unknown => match rest.as_bytes() {
                [_, b'\'', ..] => self.replace(2, "'"),
                // Python ignores a backslash before a line break.
                [_, b'\n', ..] => self.replace(2, ""),
                [_, b'x', digits @ ..] => return self.hexadecimal_escape(digits),
                // An escape that neither JSON nor Python has represents itself.
                _ => self.replace(1, "\\\\"),
            },
        }
        true
    }

    /// Reads Python's escape of two digits, `\x41`. Returns false if it is incomplete.
    fn hexadecimal_escape(&mut self, digits: &[u8]) -> bool {
        let digits = digits.get(..2).unwrap_or(digits);
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            self.replace(1, "\\\\");
        } else if digits.len() == 2 {
            self.replace(2, "\\u00");
            self.at += 2;
        } else {
            return false;
        }
        true
    }
}
