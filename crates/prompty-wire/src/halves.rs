//! Characters that a server cut in two. Servers that cut texts by UTF-16 end one event with the first half of a character,
//! as an escape, and begin the next one with the second.

use std::borrow::Cow;

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
        if let (Some(first), Some(second)) = (&self.first, second_half(&json)) {
            json = Cow::Owned([second.before, first, second.text, second.after].concat());
            self.first = None;
        }
        if let Some(first) = first_half(&json) {
            self.first = Some(first.text.into());
            json = Cow::Owned([first.before, first.after].concat());
        }
        json
    }
}

/// The escape of a half in JSON.
struct Escape<'j> {
    before: &'j str,
    text: &'j str,
    after: &'j str,
}

/// The second half that begins a text.
fn second_half(json: &str) -> Option<Escape<'_>> {
    let begins_text = |before: &str| before.strip_suffix('"').is_some_and(|it| !escapes_next(it));
    escapes(json, Half::Second).find(|escape| begins_text(escape.before))
}

/// The first half that ends a text.
fn first_half(json: &str) -> Option<Escape<'_>> {
    escapes(json, Half::First).find(|escape| escape.after.starts_with('"'))
}

/// The escapes of halves: first ones are `\ud8…` to `\udb…`, second ones `\udc…` to `\udf…`.
fn escapes(json: &str, half: Half) -> impl Iterator<Item = Escape<'_>> {
    let is_half = move |escape: &str| match escape.as_bytes() {
        [b'\\', b'u', b'd' | b'D', third, rest @ ..] => {
            let found = match third {
                b'8' | b'9' | b'a' | b'b' | b'A' | b'B' => Some(Half::First),
                b'c'..=b'f' | b'C'..=b'F' => Some(Half::Second),
                _ => None,
            };
            found == Some(half) && rest.iter().all(u8::is_ascii_hexdigit)
        }
        _ => false,
    };
    json.match_indices("\\u").filter_map(move |(at, _)| {
        let (before, rest) = json.split_at_checked(at)?;
        let (text, after) = rest.split_at_checked(ESCAPE)?;
        (is_half(text) && !escapes_next(before)).then_some(Escape { before, text, after })
    })
}

/// Whether the backslash at the end of a text takes the meaning of what follows.
fn escapes_next(before: &str) -> bool {
    before.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}
