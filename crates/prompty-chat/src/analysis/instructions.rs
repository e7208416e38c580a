//! Detects formats of calls in the instructions to the model, from an example in the prompt's text.
//!
//! An example is prose. An object in it counts as a call only if it has exactly a name and
//! arguments, and if the text around it is markup or directly next to it.

use super::conversation::{KEY, MessageStyle, ToolOffer, USER};
use super::piece::Piece;
use super::probe::FormatProber;
use prompty_reply::format::{CallShape, JsonCall, Marker, ReplyFormat, Text, Tools};

/// The maximum length of the placeholder for a value in an example, in characters.
const LONGEST_PLACEHOLDER: usize = 400;

/// A format of calls that only the instructions to the model show.
///
/// Instructions do not prove what the model writes. So a candidate is only used if the author of
/// the program selects it:
///
/// ```
/// # mod typed_prompty { pub use prompty_chat as chat; }
/// use typed_prompty::chat::{Candidate, ChatTemplate};
///
/// let text = "{% if tools %}Call with <do>{\"name\": NAME, \"arguments\": {...}}</do>{% endif %}\
///     {% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}";
/// let template = ChatTemplate::from_text(text)?;
/// let candidate: &Candidate = &template.analysis()?.candidates()[0];
/// assert_eq!(candidate.evidence, "<do>{\"name\": NAME, \"arguments\": {...}}</do>");
///
/// let template = template.with_format(candidate.format.clone());
/// assert!(template.format()?.tools.is_some());
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Candidate {
    /// The format, with the calls of the example. The rest is from the analysis.
    pub format: ReplyFormat,
    /// The text of the example.
    pub evidence: String,
    /// The position of that text in the output of the probe `the instructions for tools`, in bytes.
    pub place: usize,
}

/// An example of calls in a text.
#[derive(Debug)]
pub(super) struct Example {
    tools: Tools,
    text: String,
    place: usize,
}

/// Finds the examples of calls in the instructions.
pub(super) fn find(prober: &mut FormatProber<'_>, style: MessageStyle) -> Vec<Example> {
    let ask = vec![style.ask(USER)];
    let name = "the instructions for tools";
    let output = prober.render_conversation(name, ask, ToolOffer::Everywhere).unwrap_or_default();
    let instructions = output.rsplit_once(USER).map_or("", |(instructions, _)| instructions);
    let mut found: Vec<Example> = Vec::new();
    for (at, _) in instructions.match_indices('{') {
        // The other calls of a list belong to the example of the first.
        if found.last().is_none_or(|it| at >= it.place + it.text.len()) {
            found.extend(example(instructions, at));
        }
    }
    found
}

impl Example {
    /// The format with the calls of this example. If the format already has calls, the example must
    /// have another opener than those: otherwise it only describes them.
    pub(super) fn candidate(self, format: &ReplyFormat) -> Option<Candidate> {
        let opener_of = |it: &Tools| [&*it.section_open.text, &*it.call_open.text].concat();
        let opener = opener_of(&self.tools);
        if format.tools.as_ref().is_some_and(|it| opener.is_empty() || opener_of(it) == opener) {
            return None;
        }
        let format = ReplyFormat { tools: Some(self.tools), ..format.clone() };
        Some(Candidate { format, evidence: self.text, place: self.place })
    }
}

/// The example at the offset of an object, with the text around it.
fn example(instructions: &str, at: usize) -> Option<Example> {
    let (front, object) = instructions.split_at_checked(at)?;
    let (call, after) = read_object(object)?;
    let list = front.trim_end().strip_suffix('[').zip(after_list(after));
    let (front, after) = list.unwrap_or((front, after));
    let open = opener(front, list.is_some())?;
    let close = closer(&Marker::new(open), Piece::new(after))?;
    let place = front.len() - open.len();
    let text = instructions.get(place..instructions.len() - after.len() + close.len())?;
    let tools = Tools::new(CallShape::Json(call));
    let mut tools = match list {
        Some(_) => tools.with_section(open, close),
        None => tools.with_call(open, close),
    };
    tools.array = list.is_some();
    Some(Example { tools, text: text.to_owned(), place })
}

/// The opener of the calls: a tag before them, or a word directly before their list. It is empty if
/// there is neither, and `None` if the tag cannot be an opener, so there is no example.
fn opener(front: &str, is_list: bool) -> Option<&str> {
    let Some(at) = Piece::new(front).last_marker_start() else {
        let is_of_word = |it: char| it.is_alphanumeric() || it == '_';
        return match is_list {
            true => front.strip_prefix(front.trim_end_matches(is_of_word)),
            false => Some(""),
        };
    };
    let marker = front.get(at..)?;
    let is_opener = !marker.trim_end().contains(char::is_whitespace) && !marker.contains('/');
    // After an empty line, the object is not in the tag.
    (is_opener && marker.matches('\n').count() < 2).then_some(marker)
}

/// The closer of the calls: the mirrored tag, which is required, or a token directly after them.
fn closer<'t>(open: &Marker, following: Piece<'t>) -> Option<&'t str> {
    let end = match open.mirrored_closer() {
        Some(close) => following.len() - following.strip_trimmed_prefix(&close)?.len(),
        None if open.is_markup() && following.text().starts_with('<') => {
            following.first_marker_end()?
        }
        None => 0,
    };
    Some(following.to(end).text())
}

/// The rest after a list whose first call was already read: of `, {"name": …}, ...]</do>`, it is
/// `</do>`.
fn after_list(following: &str) -> Option<&str> {
    let mut rest = following.trim_start();
    while !rest.starts_with(']') {
        let other = || read_object(rest).map(|(_, following)| following);
        let between = [",", "..."].into_iter().find_map(|it| rest.strip_prefix(it));
        rest = between.or_else(other)?.trim_start();
    }
    rest.strip_prefix(']')
}

/// Reads `{"name": NAME, "arguments": {...}}`, where the values are placeholders. The braces around
/// it may be doubled, as in a format string. Returns the rest as well.
fn read_object(text: &str) -> Option<(JsonCall, &str)> {
    let braces = if text.starts_with("{{") { 2 } else { 1 };
    let mut rest = text.get(braces..)?;
    let mut keys: Vec<&str> = Vec::new();
    for end in [',', '}'] {
        let (key, following) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
        let value = following.trim_start().strip_prefix(':')?;
        let (placeholder, following) = value.split_at_checked(end_of_placeholder(value)?)?;
        // The declaration of a tool is not a call.
        if placeholder.contains(KEY) {
            return None;
        }
        keys.push(key);
        rest = following.strip_prefix(end)?;
    }
    let rest = rest.get(braces - 1..)?;
    let key_with = |words: &[&str]| {
        let key = keys.iter().find(|key| words.iter().any(|it| key.contains(it)))?;
        Some(Text::Owned((*key).to_owned()))
    };
    let (name_field, args_field) = (key_with(&["name", "tool"])?, key_with(&["arg", "param"])?);
    let order = keys.iter().map(|it| Text::Owned((*it).to_owned())).collect();
    let call = JsonCall { name_field, args_field, order, ..JsonCall::default() };
    Some((call, rest))
}

/// The end of a placeholder for a value: a comma or a brace outside of brackets and quotes.
fn end_of_placeholder(text: &str) -> Option<usize> {
    let (mut depth, mut is_quoted) = (0_usize, false);
    for (at, character) in text.char_indices().take(LONGEST_PLACEHOLDER) {
        match character {
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '{' | '[' | '(' => depth += 1,
            ',' | '}' if depth == 0 => return Some(at),
            '}' | ']' | ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}
