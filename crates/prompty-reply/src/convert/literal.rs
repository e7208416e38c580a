//! Literals of JSON, of Python, and of notations that quote texts with a token. They are read piece by
//! piece and written as JSON.
//!
//! JSON is passed on unchanged. What is not JSON is changed: Python's words, quotes and
//! tuples, keys without quotes, commas in front of a closer, control characters inside texts.

use std::borrow::Cow;

use super::escape::{json_run, plain_run};
use super::word;
use crate::format::Text;
use prompty_core::value::internal::json::{Escape, escape_ascii_byte, read_escape};
use prompty_core::work::add_steps;

/// What a literal may hold beyond JSON and Python.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notation {
    /// A token that quotes texts; empty where there is none.
    pub(crate) quote: Text,
    /// What closes a list of assignments: one byte, as in `f(a=1)`.
    pub(crate) close: u8,
}

/// How far a literal was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The rest must be given again, with more text after it.
    More,
    /// The literal has ended.
    Done,
    /// A literal cannot have what the rest begins with.
    Unexpected,
}

/// What a call of [`LiteralReader::read`] has read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LiteralPiece<'text> {
    pub(crate) read: &'text str,
    pub(crate) rest: &'text str,
    pub(crate) progress: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Object,
    Array,
    Tuple,
    Assignments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Object,
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    Byte(u8),
    Token,
}

/// How much white space behind a comma is searched for a closer.
const MOST_SPACE: usize = 256;

/// Reads one literal piece by piece.
#[derive(Debug, Clone)]
pub(crate) struct LiteralReader {
    notation: Notation,
    stack: Vec<Frame>,
    expect: Expect,
    /// The text that is being read.
    text: Option<Quote>,
}

impl LiteralReader {
    /// A reader of one value.
    pub(crate) fn value(notation: Notation) -> Self {
        Self { notation, stack: Vec::new(), expect: Expect::Value, text: None }
    }

    /// A reader of one object.
    pub(crate) fn object() -> Self {
        Self { expect: Expect::Object, ..Self::value(Notation::default()) }
    }

    /// A reader of assignments, whose opener has been read. The caller writes the `{`.
    pub(crate) fn assignments(notation: Notation) -> Self {
        let stack = vec![Frame::Assignments];
        Self { notation, stack, expect: Expect::KeyOrEnd, text: None }
    }

    /// Reads on. With `last` no more text comes, so that the end of the text ends a word.
    pub(crate) fn read<'text>(
        &mut self,
        text: &'text str,
        last: bool,
        mut out: impl FnMut(&str),
    ) -> LiteralPiece<'text> {
        let mut run = Run { text, from: 0, at: 0, out: &mut out };
        let progress = self.advance(&mut run, last);
        add_steps(run.at);
        run.flush();
        LiteralPiece { read: run.read(), rest: run.rest(), progress }
    }

    /// Whether it stopped inside of a text.
    pub(crate) fn is_in_text(&self) -> bool {
        self.text.is_some()
    }

    /// Whether something was read behind the opener of the outermost brackets.
    pub(crate) fn has_entries(&self) -> bool {
        self.stack.len() != 1 || !matches!(self.expect, Expect::KeyOrEnd | Expect::ValueOrEnd)
    }

    /// Closes all open brackets, if the literal is complete then.
    pub(crate) fn close(&mut self, mut out: impl FnMut(&str)) -> bool {
        if self.text.is_some()
            || !matches!(self.expect, Expect::CommaOrEnd | Expect::KeyOrEnd | Expect::ValueOrEnd)
        {
            return self.expect == Expect::Nothing;
        }
        while let Some(frame) = self.stack.pop() {
            out(frame.closer());
        }
        self.expect = Expect::Nothing;
        true
    }

    fn advance(&mut self, run: &mut Run<'_, '_, impl FnMut(&str)>, last: bool) -> Progress {
        loop {
            if let Some(quote) = self.text {
                match self.read_text(run, quote) {
                    Some(progress) => return progress,
                    None => self.text = None,
                }
                self.after_text();
                continue;
            }
            if self.expect == Expect::Nothing {
                return Progress::Done;
            }
            let Some(byte) = run.byte() else { return Progress::More };
            if byte.is_ascii_whitespace() {
                run.at += 1;
                continue;
            }
            if let Some(progress) = self.token(run, byte, last) {
                return progress;
            }
        }
    }

    /// Reads one token outside of texts.
    fn token(
        &mut self,
        run: &mut Run<'_, '_, impl FnMut(&str)>,
        byte: u8,
        last: bool,
    ) -> Option<Progress> {
        match (self.expect, byte) {
            (Expect::CommaOrEnd, b',') => return self.comma(run, last),
            (Expect::Colon, b':' | b'=') => {
                run.read_as(":");
                self.expect = Expect::Value;
            }
            (Expect::CommaOrEnd | Expect::KeyOrEnd | Expect::ValueOrEnd, _)
                if self.closes(byte) =>
            {
                self.end(run);
            }
            (Expect::Value | Expect::ValueOrEnd | Expect::Key | Expect::KeyOrEnd, b'"' | b'\'') => {
                run.read_as("\"");
                self.text = Some(Quote::Byte(byte));
            }
            (Expect::Object | Expect::Value | Expect::ValueOrEnd, b'{') => {
                self.open(run, "{", Frame::Object, Expect::KeyOrEnd);
            }
            (Expect::Value | Expect::ValueOrEnd, b'[') => {
                self.open(run, "[", Frame::Array, Expect::ValueOrEnd);
            }
            (Expect::Value | Expect::ValueOrEnd, b'(') => {
                self.open(run, "[", Frame::Tuple, Expect::ValueOrEnd);
            }
            (Expect::Value | Expect::ValueOrEnd | Expect::Key | Expect::KeyOrEnd, _) => {
                return self.quoted_or_word(run, byte, last);
            }
            _ => return Some(Progress::Unexpected),
        }
        None
    }

    /// Reads a comma. One in front of a closer is left out.
    fn comma(&mut self, run: &mut Run<'_, '_, impl FnMut(&str)>, last: bool) -> Option<Progress> {
        let mut near = run.bytes().iter().skip(1).take(MOST_SPACE);
        let length = near.len();
        let spaces = near.clone().take_while(|byte| byte.is_ascii_whitespace()).count();
        add_steps(spaces);
        match near.nth(spaces) {
            Some(byte) if self.closes(*byte) => run.replace(1, ""),
            None if length < MOST_SPACE && !last => return Some(Progress::More),
            _ => {
                run.at += 1;
                self.expect = match self.stack.last() {
                    Some(Frame::Object | Frame::Assignments) => Expect::Key,
                    _ => Expect::Value,
                };
            }
        }
        None
    }

    /// Reads a text in the notation's own quotes, or a word.
    fn quoted_or_word(
        &mut self,
        run: &mut Run<'_, '_, impl FnMut(&str)>,
        byte: u8,
        last: bool,
    ) -> Option<Progress> {
        let rest = run.rest();
        let token = &*self.notation.quote;
        if !token.is_empty() && token.as_bytes().first() == Some(&byte) {
            if rest.starts_with(token) {
                run.replace(token.len(), "\"");
                self.text = Some(Quote::Token);
                return None;
            }
            if token.starts_with(rest) && !last {
                return Some(Progress::More);
            }
        }
        let is_key = matches!(self.expect, Expect::Key | Expect::KeyOrEnd);
        let end = rest.bytes().position(|byte| !word::is_word_byte(byte));
        add_steps(end.unwrap_or(rest.len()));
        let word = match end {
            Some(0) => return Some(Progress::Unexpected),
            Some(end) if end > word::LONGEST => return Some(Progress::Unexpected),
            Some(end) => rest.get(..end)?,
            None if rest.len() > word::LONGEST => return Some(Progress::Unexpected),
            None if !last => return Some(Progress::More),
            None => rest,
        };
        if is_key {
            run.replace(0, "\"");
            run.at += word.len();
            run.replace(0, "\"");
            self.expect = Expect::Colon;
            return None;
        }
        let Some(json) = word::word_to_json(word).or_else(|| self.assigned_number(word)) else {
            return Some(Progress::Unexpected);
        };
        if json == word {
            run.at += word.len();
        } else {
            run.replace(word.len(), &json);
        }
        self.after_value();
        None
    }

    /// A number with zeros in front: between assignments a word is nothing else.
    fn assigned_number<'word>(&self, word: &'word str) -> Option<Cow<'word, str>> {
        match self.stack.first() {
            Some(Frame::Assignments) => word::without_leading_zeros(word),
            _ => None,
        }
    }

    /// Reads the inside of a text and its closing quote. Returns nothing at the closing quote.
    fn read_text(
        &mut self,
        run: &mut Run<'_, '_, impl FnMut(&str)>,
        quote: Quote,
    ) -> Option<Progress> {
        let token = std::mem::take(&mut self.notation.quote);
        let stop = match quote {
            Quote::Byte(byte) => byte,
            Quote::Token => token.as_bytes().first().copied().unwrap_or(b'"'),
        };
        let result = loop {
            run.at += match quote {
                Quote::Byte(b'"') => json_run(run.bytes()),
                _ => plain_run(run.bytes(), stop),
            };
            let Some(byte) = run.byte() else { break Some(Progress::More) };
            match quote {
                Quote::Byte(end) if byte == end => {
                    run.read_as("\"");
                    break None;
                }
                Quote::Token if byte == stop && run.rest().starts_with(&*token) => {
                    run.replace(token.len(), "\"");
                    break None;
                }
                Quote::Token if byte == stop && token.starts_with(run.rest()) => {
                    break Some(Progress::More);
                }
                Quote::Byte(_) if byte == b'\\' => {
                    if !escape(run) {
                        break Some(Progress::More);
                    }
                }
                _ if byte < 0x20 || byte == b'"' || byte == b'\\' => run.escape(byte),
                _ => run.at += 1,
            }
        };
        self.notation.quote = token;
        result
    }

    fn after_text(&mut self) {
        match self.expect {
            Expect::Key | Expect::KeyOrEnd => self.expect = Expect::Colon,
            _ => self.after_value(),
        }
    }

    fn after_value(&mut self) {
        self.expect = if self.stack.is_empty() { Expect::Nothing } else { Expect::CommaOrEnd };
    }

    /// Whether a byte closes the innermost frame.
    fn closes(&self, byte: u8) -> bool {
        match self.stack.last() {
            Some(Frame::Object) => byte == b'}',
            Some(Frame::Array) => byte == b']',
            Some(Frame::Tuple) => byte == b')',
            Some(Frame::Assignments) => byte == self.notation.close,
            None => false,
        }
    }

    fn open(
        &mut self,
        run: &mut Run<'_, '_, impl FnMut(&str)>,
        json: &str,
        frame: Frame,
        expect: Expect,
    ) {
        run.read_as(json);
        self.stack.push(frame);
        self.expect = expect;
    }

    fn end(&mut self, run: &mut Run<'_, '_, impl FnMut(&str)>) {
        if let Some(frame) = self.stack.pop() {
            run.read_as(frame.closer());
        }
        self.after_value();
    }
}

impl Frame {
    /// What closes it in JSON.
    fn closer(self) -> &'static str {
        match self {
            Self::Object | Self::Assignments => "}",
            Self::Array | Self::Tuple => "]",
        }
    }
}

/// Reads an escape. Returns false where it is not complete.
fn escape(run: &mut Run<'_, '_, impl FnMut(&str)>) -> bool {
    let rest = run.rest();
    match read_escape(rest) {
        Escape::Character(_, length) => run.at += length,
        Escape::LoneSurrogate => run.replace(6, "\\ufffd"),
        Escape::Incomplete => return false,
        Escape::Unknown => match rest.as_bytes() {
            [_, b'\'', ..] => run.replace(2, "'"),
            // Python leaves out a backslash and the line break after it.
            [_, b'\n', ..] => run.replace(2, ""),
            [_, b'x', digits @ ..] => return hexadecimal_escape(run, digits),
            // An escape that neither JSON nor Python has represents itself.
            _ => run.replace(1, "\\\\"),
        },
    }
    true
}

/// Reads Python's escape of two digits, `\x41`. Returns false where it is not complete.
fn hexadecimal_escape(run: &mut Run<'_, '_, impl FnMut(&str)>, digits: &[u8]) -> bool {
    let digits = digits.get(..2).unwrap_or(digits);
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        run.replace(1, "\\\\");
    } else if digits.len() == 2 {
        run.replace(2, "\\u00");
        run.at += 2;
    } else {
        return false;
    }
    true
}

/// Reads a text, and passes on what it does not change.
struct Run<'text, 'out, F> {
    text: &'text str,
    /// Where the text begins that has not been passed on.
    from: usize,
    /// How far the text was read. Each reader adds the length of what it found there.
    at: usize,
    out: &'out mut F,
}

#[expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "the readers find what they add to `at` in `rest()`, and `from` is an earlier `at`"
)]
impl<'text, F: FnMut(&str)> Run<'text, '_, F> {
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

    /// Passes on what was read so far.
    fn flush(&mut self) {
        if self.from < self.at {
            (self.out)(&self.text[self.from..self.at]);
        }
        self.from = self.at;
    }

    /// Reads so many bytes and writes something else.
    fn replace(&mut self, length: usize, with: &str) {
        self.flush();
        if !with.is_empty() {
            (self.out)(with);
        }
        self.at += length;
        self.from = self.at;
    }

    /// Reads one byte, for which JSON has this one.
    fn read_as(&mut self, json: &str) {
        if self.rest().starts_with(json) { self.at += 1 } else { self.replace(1, json) }
    }

    /// Reads one byte that must be escaped.
    fn escape(&mut self, byte: u8) {
        self.replace(1, escape_ascii_byte(byte).unwrap_or_default());
    }
}
