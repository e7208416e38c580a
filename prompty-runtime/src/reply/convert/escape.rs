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
pub(super) fn plain_run(bytes: &[u8], quote: u8) -> usize {
    let is_special = |byte: u8| byte < 0x20 || byte == quote || byte == b'\\' || byte == b'"';
    // Blocks without a branch inside let the compiler compare many bytes at once; long texts in
    // arguments are the bulk of what is streamed.
    let mut run = 0;
    let mut blocks = bytes.chunks_exact(32);
    for block in &mut blocks {
        if block.iter().fold(false, |found, byte| found | is_special(*byte)) {
            let inside = block.iter().position(|byte| is_special(*byte)).unwrap_or(block.len());
            return run + inside;
        }
        run += block.len();
    }
    let tail = blocks.remainder();
    run + tail.iter().position(|byte| is_special(*byte)).unwrap_or(tail.len())
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
