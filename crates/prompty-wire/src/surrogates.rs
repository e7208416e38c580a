//! Joins characters that a server split into two events.
//!
//! A server that splits text by UTF-16 units ends one event with a high surrogate, such as
//! `\ud83d`, and begins the next one with the low surrogate.

use std::borrow::Cow;

/// The length of an escape such as `\ud83d`, in bytes.
const ESCAPE: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Surrogate {
    High,
    Low,
}

/// Joins the surrogates of characters that are split into two events.
#[derive(Debug, Clone, Default)]
pub(super) struct SurrogateJoiner {
    /// The escape of a high surrogate that ended a text.
    high: Option<Box<str>>,
}

impl SurrogateJoiner {
    /// Completes a character whose high surrogate ended the previous event, and removes a high
    /// surrogate at the end of this event, which belongs to the next one.
    pub(super) fn join<'j>(&mut self, json: &'j str) -> Cow<'j, str> {
        let mut json = Cow::Borrowed(json);
        let begins_text =
            |before: &str| before.strip_suffix('"').is_some_and(|it| !escapes_next(it));
        let low = escapes(&json, Surrogate::Low).find(|escape| begins_text(escape.before));
        if let (Some(high), Some(low)) = (&self.high, low) {
            json = Cow::Owned([low.before, high, low.text, low.after].concat());
            self.high = None;
        }
        let high = escapes(&json, Surrogate::High).find(|escape| escape.after.starts_with('"'));
        if let Some(high) = high {
            self.high = Some(high.text.into());
            json = Cow::Owned([high.before, high.after].concat());
        }
        json
    }
}

/// The escape of a surrogate in JSON, with the JSON around it.
struct SurrogateEscape<'j> {
    before: &'j str,
    text: &'j str,
    after: &'j str,
}

/// The escapes of surrogates: high ones are `\ud8…` to `\udb…`, low ones `\udc…` to `\udf…`.
fn escapes(json: &str, kind: Surrogate) -> impl Iterator<Item = SurrogateEscape<'_>> {
    let is_surrogate = move |escape: &str| match escape.as_bytes() {
        [b'\\', b'u', b'd' | b'D', third, rest @ ..] => {
            let found = match third {
                b'8' | b'9' | b'a' | b'b' | b'A' | b'B' => Some(Surrogate::High),
                b'c'..=b'f' | b'C'..=b'F' => Some(Surrogate::Low),
                _ => None,
            };
            found == Some(kind) && rest.iter().all(u8::is_ascii_hexdigit)
        }
        _ => false,
    };
    json.match_indices("\\u").filter_map(move |(at, _)| {
        let (before, rest) = json.split_at_checked(at)?;
        let (text, after) = rest.split_at_checked(ESCAPE)?;
        (is_surrogate(text) && !escapes_next(before)).then_some(SurrogateEscape {
            before,
            text,
            after,
        })
    })
}

/// Whether a text ends with a backslash that escapes the next character.
fn escapes_next(before: &str) -> bool {
    before.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}
