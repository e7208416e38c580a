//! The inside of JSON strings: the length of the part that needs no change, and reading of escapes.

use prompty_core::value::internal::json::{Escape, SpecialBytes, read_escape};
use prompty_core::work::add_steps;

/// The number of bytes before the first control character, backslash, `"` or given quote.
pub(super) fn plain_run(bytes: &[u8], quote: u8) -> usize {
    let is_special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\' || *byte == quote;
    bytes.iter().position(is_special).unwrap_or(bytes.len())
}

/// The number of bytes before the first `"`, control character, or escape other than the most
/// frequent ones. They can be copied into a JSON string without a change: 4 bytes of `a\nb\x41`.
pub(super) fn json_run(bytes: &[u8]) -> usize {
    // The end of the last escape.
    let mut run = 0;
    for at in SpecialBytes::new(bytes) {
        // An escaped character may be special itself.
        if at >= run {
            match bytes.get(at..) {
                Some([b'\\', b'n' | b'"' | b'\\' | b't', ..]) => run = at + 2,
                _ => return at,
            }
        }
    }
    bytes.len()
}

/// Reads the inside of a JSON string piece by piece, and passes it on without its escapes. Returns
/// the part that was read, and whether the closing quote ends it. The rest must be given again,
/// followed by more text.
#[expect(
    clippy::string_slice,
    reason = "`run` is where memchr found an ASCII byte, and an escape consists of ASCII"
)]
pub(crate) fn unescape(text: &str, mut out: impl FnMut(&str)) -> (&str, bool) {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let run = memchr::memchr2(b'"', b'\\', rest.as_bytes()).unwrap_or(rest.len());
        add_steps(run);
        if run > 0 {
            out(&rest[..run]);
            at += run;
        }
        let special = &rest[run..];
        if special.is_empty() {
            return (text, false);
        }
        if special.starts_with('"') {
            return (&text[..=at], true);
        }
        at += match read_escape(special) {
            Escape::Character(character, length) => {
                out(character.encode_utf8(&mut [0; 4]));
                length
            }
            Escape::LoneSurrogate => {
                out("\u{fffd}");
                6
            }
            // An escape that JSON does not have represents itself.
            Escape::Unknown => {
                out("\\");
                1
            }
            Escape::Incomplete => return (&text[..at], false),
        };
    }
}

/// Removes the escapes from the inside of a complete string, in quotes of any kind.
pub(crate) fn unescape_all(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    // The closing quote decides about an escape at the end.
    let closed = format!("{text}\"");
    let (mut plain, mut at) = (String::new(), 0);
    while at < text.len()
        && let Some(rest) = closed.get(at..)
    {
        let (read, is_at_quote) = unescape(rest, |piece| plain.push_str(piece));
        at += read.len();
        // A `"` may be inside quotes of another kind.
        if is_at_quote && at < closed.len() {
            plain.push('"');
        }
        if read.is_empty() {
            break;
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{unescape, unescape_all};

    #[test]
    fn incomplete_escape_waits_for_more() {
        for text in ["a\\", "a\\u00", "a\\ud83d", "a\\ud83d\\ude0"] {
            let mut plain = String::new();
            assert_eq!(unescape(text, |piece| plain.push_str(piece)), ("a", false), "{text}");
            assert_eq!(plain, "a");
        }
    }

    #[test]
    fn complete_string_loses_its_escapes() {
        for (text, plain) in [
            ("a\\n\\u00e9\\ud83d\\ude00", "a\né\u{1f600}"),
            ("\\ud83d", "\u{fffd}"),
            ("\\ud83d\\ud83d\\ude00", "\u{fffd}\u{1f600}"),
            ("\\q\\u+123\\", "\\q\\u+123\""),
            ("it\\'s \"it\"", "it\\'s \"it\""),
        ] {
            assert_eq!(unescape_all(text), plain, "{text}");
        }
    }
}
