//! Texts as the inside of a JSON string, and back.

use std::fmt::Write as _;

use prompty_core::work::add_steps;

/// Writes a text as it stands between the quotes of a JSON string.
pub(in crate::reply) fn escape_into(text: &str, mut out: impl FnMut(&str)) {
    add_steps(text.len());
    let mut from = 0;
    for here in Specials::of(text.as_bytes()) {
        if let Some(plain) = text.get(from..here).filter(|plain| !plain.is_empty()) {
            out(plain);
        }
        escape_byte(text.as_bytes().get(here).copied().unwrap_or_default(), &mut out);
        from = here + 1;
    }
    if let Some(plain) = text.get(from..).filter(|plain| !plain.is_empty()) {
        out(plain);
    }
}

/// Writes one quote, backslash or control character as JSON escapes it.
pub(super) fn escape_byte(byte: u8, out: &mut impl FnMut(&str)) {
    match byte {
        b'"' => out("\\\""),
        b'\\' => out("\\\\"),
        b'\n' => out("\\n"),
        b'\r' => out("\\r"),
        b'\t' => out("\\t"),
        _ => {
            let mut escaped = String::with_capacity(6);
            // Writing to a text does not fail.
            let _ = write!(escaped, "\\u{byte:04x}");
            out(&escaped);
        }
    }
}

/// How many bytes from the start need no look: no control character, no backslash, neither `"` nor
/// the given quote.
pub(super) fn plain_run(bytes: &[u8], quote: u8) -> usize {
    let is_special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\' || *byte == quote;
    bytes.iter().position(is_special).unwrap_or(bytes.len())
}

/// How many bytes from the start are the inside of a JSON string as it stands: up to a `"`, a control
/// character, or an escape other than the most frequent ones.
pub(super) fn json_run(bytes: &[u8]) -> usize {
    let mut run = 0;
    for here in Specials::of(bytes) {
        // What is escaped may be special itself.
        if here >= run {
            match bytes.get(here..) {
                Some([b'\\', b'n' | b'"' | b'\\' | b't', ..]) => run = here + 2,
                _ => return here,
            }
        }
    }
    bytes.len()
}

/// The places of control characters, backslashes and `"`.
///
/// Eight bytes are looked at as one number. The numbers begin at places that do not depend on what was
/// found in front of them, so that the processor reads on while an escape is dealt with: in code, which
/// long arguments mostly are, one in twenty bytes is escaped, and `replies` shows 1.5 to 2.5 times
/// the speed of a search from one escape to the next.
struct Specials<'text> {
    words: std::slice::Chunks<'text, u8>,
    /// Where the word that was read last ends.
    end: usize,
    /// What of it is special, and has not been told yet.
    marks: u64,
}

impl<'text> Specials<'text> {
    #[inline]
    fn of(bytes: &'text [u8]) -> Self {
        Self { words: bytes.chunks(8), end: 0, marks: 0 }
    }
}

impl Iterator for Specials<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.marks == 0 {
            let bytes = self.words.next()?;
            let word = match bytes.first_chunk() {
                Some(word) => u64::from_le_bytes(*word),
                None => {
                    bytes.iter().rev().fold(each(b' '), |word, byte| word << 8 | u64::from(*byte))
                }
            };
            // With its second bit turned, what is below 0x21 is a control character or `"`.
            self.marks = bytes_below(word ^ each(0x02), 0x21) | bytes_below(word ^ each(b'\\'), 1);
            self.end += 8;
        }
        let here = self.end - 8 + self.marks.trailing_zeros() as usize / 8;
        self.marks &= self.marks - 1;
        Some(here)
    }
}

/// Marks, with their highest bit, those of eight bytes that are below a bound of at most 0x80.
const fn bytes_below(word: u64, bound: u8) -> u64 {
    let reach = (word & each(0x7f)) + each(0x80 - bound);
    !(reach | word) & each(0x80)
}

/// Eight times the same byte.
const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Reads the inside of a JSON string piece by piece.
#[derive(Debug, Clone, Default)]
pub(in crate::reply) struct Unescaper {
    /// The first half of a pair of escapes that make one character.
    high: Option<u16>,
}

impl Unescaper {
    /// Reads on. Returns how much was read, and whether the closing quote was among it. What is not
    /// read must be given again, with more behind it.
    pub(in crate::reply) fn read(
        &mut self,
        text: &str,
        mut out: impl FnMut(&str),
    ) -> (usize, bool) {
        let mut at = 0;
        loop {
            let rest = text.get(at..).unwrap_or_default();
            let run = memchr::memchr2(b'"', b'\\', rest.as_bytes()).unwrap_or(rest.len());
            add_steps(run);
            if run > 0 {
                self.flush(&mut out);
                out(rest.get(..run).unwrap_or_default());
                at += run;
            }
            let Some(tail) = rest.get(run..).filter(|tail| !tail.is_empty()) else {
                return (at, false);
            };
            if tail.starts_with('"') {
                self.flush(&mut out);
                return (at + 1, true);
            }
            match self.escape(tail, &mut out) {
                0 => return (at, false),
                read => at += read,
            }
        }
    }

    /// Reads the escape at the start of `text`; 0 where it is not whole.
    fn escape(&mut self, text: &str, out: &mut impl FnMut(&str)) -> usize {
        let Some(letter) = text.get(1..).and_then(|rest| rest.chars().next()) else { return 0 };
        if letter == 'u' {
            let Some(digits) = text.get(2..6) else {
                if text.len() >= 6 {
                    self.flush(out);
                    out("\\u");
                    return 2;
                }
                return 0;
            };
            let Ok(unit) = u16::from_str_radix(digits, 16) else {
                self.flush(out);
                out("\\u");
                return 2;
            };
            self.unit(unit, out);
            return 6;
        }
        self.flush(out);
        match letter {
            'n' => out("\n"),
            't' => out("\t"),
            'r' => out("\r"),
            'b' => out("\u{8}"),
            'f' => out("\u{c}"),
            '"' | '\\' | '/' => out(letter.encode_utf8(&mut [0; 4])),
            _ => {
                out("\\");
                out(letter.encode_utf8(&mut [0; 4]));
            }
        }
        1 + letter.len_utf8()
    }

    fn unit(&mut self, unit: u16, out: &mut impl FnMut(&str)) {
        let units = match self.high.take() {
            Some(high) => [high, unit],
            None if (0xd800..0xdc00).contains(&unit) => {
                self.high = Some(unit);
                return;
            }
            None => [unit, 0],
        };
        let units = if units == [unit, 0] { &units[..1] } else { &units[..] };
        for character in char::decode_utf16(units.iter().copied()) {
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            out(character.encode_utf8(&mut [0; 4]));
        }
    }

    /// A first half that no second half followed.
    fn flush(&mut self, out: &mut impl FnMut(&str)) {
        if self.high.take().is_some() {
            out("\u{fffd}");
        }
    }
}
