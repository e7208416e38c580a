//! Texts as the inside of a JSON string, and back.

use std::fmt::Write as _;

/// Writes a text as it stands between the quotes of a JSON string.
pub(in crate::reply) fn escape_into(text: &str, mut out: impl FnMut(&str)) {
    let mut rest = text;
    loop {
        let run = plain_run(rest.as_bytes(), b'"');
        let Some((plain, tail)) = rest.split_at_checked(run) else { return };
        if !plain.is_empty() {
            out(plain);
        }
        let Some(&special) = tail.as_bytes().first() else { return };
        escape_byte(special, &mut out);
        rest = tail.get(1..).unwrap_or_default();
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
#[inline]
pub(super) fn plain_run(bytes: &[u8], quote: u8) -> usize {
    let is_special = |byte: u8| is_special(byte) || byte == quote;
    let mut run = 0;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let word = word.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let special = special_bytes(word) | bytes_below(word ^ each(quote), 1);
        if special != 0 {
            return run + special.trailing_zeros() as usize / 8;
        }
        run += 8;
    }
    let tail = words.remainder();
    run + tail.iter().position(|byte| is_special(*byte)).unwrap_or(tail.len())
}

/// How many bytes from the start are the inside of a JSON string as it stands: up to a `"`, a control
/// character, or an escape other than the most frequent ones.
#[inline]
pub(super) fn json_run(bytes: &[u8]) -> usize {
    let mut run = 0;
    let mut at = 0;
    let mut words = bytes.chunks_exact(8);
    // The words stand at places that do not depend on what is found in them, so that the processor
    // reads on while it looks at an escape; code in arguments has one in twenty bytes.
    for word in &mut words {
        let word = word.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let mut special = special_bytes(word);
        while special != 0 {
            let here = at + special.trailing_zeros() as usize / 8;
            special &= special - 1;
            if here >= run {
                match escape_length(bytes, here) {
                    0 => return here,
                    length => run = here + length,
                }
            }
        }
        at += 8;
    }
    run = run.max(at);
    while let Some(&byte) = bytes.get(run) {
        match escape_length(bytes, run) {
            0 if is_special(byte) => return run,
            0 => run += 1,
            length => run += length,
        }
    }
    run
}

/// How long the escape is that stands at a place, if it is one of those that most texts have.
fn escape_length(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..) {
        Some([b'\\', b'n' | b'"' | b'\\' | b't', ..]) => 2,
        _ => 0,
    }
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'\\' || byte == b'"'
}

/// Marks the control characters, backslashes and `"` among eight bytes.
const fn special_bytes(word: u64) -> u64 {
    // With its second bit turned, what is below 0x21 is a control character or `"`.
    bytes_below(word ^ each(0x02), 0x21) | bytes_below(word ^ each(b'\\'), 1)
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
