//! The inside of JSON texts: the length of the part that needs no change, and reading escapes.

use prompty_core::value::internal::json::{Escape, SpecialBytes, read_escape};
use prompty_core::work::add_steps;

/// The number of bytes in front of the first control character, backslash, `"` or given quote.
pub(super) fn plain_run(bytes: &[u8], quote: u8) -> usize {
    let is_special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\' || *byte == quote;
    bytes.iter().position(is_special).unwrap_or(bytes.len())
}

/// The number of bytes in front of the first `"`, control character, or escape that is not one of the
/// most frequent ones. They stand as they are inside a JSON text.
pub(super) fn json_run(bytes: &[u8]) -> usize {
    let mut run = 0;
    for at in SpecialBytes::new(bytes) {
        // What is escaped may be special itself.
        if at >= run {
            match bytes.get(at..) {
                Some([b'\\', b'n' | b'"' | b'\\' | b't', ..]) => run = at + 2,
                _ => return at,
            }
        }
    }
    bytes.len()
}

/// Reads the inside of a JSON text piece by piece and gives it out without its escapes. Returns what
/// was read, and whether the closing quote ends it. What is not read must be given again, with more
/// text after it.
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
            // An escape that JSON does not have stands for itself.
            Escape::Unknown => {
                out("\\");
                1
            }
            Escape::Incomplete => return (&text[..at], false),
        };
    }
}

/// The inside of a whole text, in quotes of any kind, without its escapes.
pub(crate) fn unescape_whole(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    // What closes the text decides about an escape at its end.
    let closed = format!("{text}\"");
    let (mut plain, mut at) = (String::new(), 0);
    while at < text.len()
        && let Some(rest) = closed.get(at..)
    {
        let (read, is_at_quote) = unescape(rest, |piece| plain.push_str(piece));
        at += read.len();
        // A `"` may be between quotes of another kind.
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
    use super::{unescape, unescape_whole};

    #[test]
    fn an_escape_that_may_go_on_waits_for_more() {
        for text in ["a\\", "a\\u00", "a\\ud83d", "a\\ud83d\\ude0"] {
            let mut plain = String::new();
            assert_eq!(unescape(text, |piece| plain.push_str(piece)), ("a", false), "{text}");
            assert_eq!(plain, "a");
        }
    }

    #[test]
    fn a_whole_text_loses_its_escapes() {
        for (text, plain) in [
            ("a\\n\\u00e9\\ud83d\\ude00", "a\né\u{1f600}"),
            ("\\ud83d", "\u{fffd}"),
            ("\\ud83d\\ud83d\\ude00", "\u{fffd}\u{1f600}"),
            ("\\q\\u+123\\", "\\q\\u+123\""),
            ("it\\'s \"it\"", "it\\'s \"it\""),
        ] {
            assert_eq!(unescape_whole(text), plain, "{text}");
        }
    }
}
