//! Characters that a server cut in two. Servers that cut texts by UTF-16 end one event with the first half of a character,
//! as an escape, and begin the next one with the second.

use std::borrow::Cow;

use prompty_core::text::slice;

/// How long an escape such as `\ud83d` is, in bytes.
const ESCAPE: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// Joins the halves of characters that stand in two events.
#[derive(Debug, Clone, Default)]
pub(super) struct Halves {
    /// The escape of a first half that ended a text.
    first: Option<Box<str>>,
}

impl Halves {
    /// The JSON of an event, in which a text that begins with a second half begins with the whole character, and none
    /// ends with a first half: that belongs to the next event.
    pub(super) fn join<'j>(&mut self, json: &'j str) -> Cow<'j, str> {
        let mut json = Cow::Borrowed(json);
        if let (Some(first), Some(at)) = (&self.first, second_half(&json)) {
            json = Cow::Owned([slice(&json, ..at), first, slice(&json, at..)].concat());
            self.first = None;
        }
        if let Some(at) = first_half(&json) {
            let end = at + ESCAPE;
            self.first = Some(slice(&json, at..end).into());
            json = Cow::Owned([slice(&json, ..at), slice(&json, end..)].concat());
        }
        json
    }
}

/// Where a second half begins a text.
fn second_half(json: &str) -> Option<usize> {
    let begins_text = |at: usize| at > 0 && json.as_bytes().get(at - 1) == Some(&b'"');
    escapes(json, Half::Second).find(|at| begins_text(*at) && !is_escaped(json, at - 1))
}

/// Where a first half ends a text.
fn first_half(json: &str) -> Option<usize> {
    escapes(json, Half::First).find(|at| json.as_bytes().get(at + ESCAPE) == Some(&b'"'))
}

/// Where escapes of halves begin: first ones are `\ud8…` to `\udb…`, second ones `\udc…` to `\udf…`.
fn escapes<'j>(json: &'j str, half: Half) -> impl Iterator<Item = usize> + 'j {
    let is_half = move |at: &usize| match json.as_bytes().get(*at..at + ESCAPE) {
        Some([b'\\', b'u', b'd' | b'D', third, rest @ ..]) => {
            let found = match third {
                b'8' | b'9' | b'a' | b'b' | b'A' | b'B' => Some(Half::First),
                b'c'..=b'f' | b'C'..=b'F' => Some(Half::Second),
                _ => None,
            };
            found == Some(half) && rest.iter().all(u8::is_ascii_hexdigit)
        }
        _ => false,
    };
    json.match_indices("\\u").map(|(at, _)| at).filter(is_half).filter(|at| !is_escaped(json, *at))
}

/// Whether a backslash in front of a byte takes its meaning.
fn is_escaped(json: &str, at: usize) -> bool {
    let before = slice(json, ..at).bytes().rev();
    before.take_while(|byte| *byte == b'\\').count() % 2 == 1
}
