//! Formats of calls that stand in the instructions to the model: an example in the prompt's text.
//!
//! An example is prose. It shows a call only if it is an object with nothing but a name and arguments, and
//! what stands around it is markup or touches it.

use super::align::Piece;
use super::conversation::{KEY, Offer, Style, USER};
use super::probe::Prober;
use prompty_reply::format::{CallShape, JsonCall, Marker, ReplyFormat, Text, Tools};

/// The most letters of the words that stand for a value in an example.
const LONGEST_WORDS: usize = 400;

/// A format of calls that only the instructions to the model show.
///
/// What a model is told is no proof of what it writes, so nobody takes a candidate but the author of the
/// program:
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
    /// The format, with all else as the analysis found it.
    pub format: ReplyFormat,
    /// The text that shows it.
    pub evidence: String,
    /// Where that text begins in the output of the probe `the instructions for tools`, in bytes.
    pub place: usize,
}

/// The calls that a text shows.
#[derive(Debug)]
pub(super) struct Example {
    tools: Tools,
    text: String,
    place: usize,
}

/// Finds the examples of calls in the instructions.
pub(super) fn find(prober: &mut Prober<'_>, style: Style) -> Vec<Example> {
    let ask = vec![style.ask(USER)];
    let name = "the instructions for tools";
    let output = prober.render_conversation(name, ask, Offer::Everywhere).unwrap_or_default();
    let told = output.rsplit_once(USER).map_or("", |(told, _)| told);
    let mut found: Vec<Example> = Vec::new();
    for (at, _) in told.match_indices('{') {
        // The other calls of a list belong to the example of the first.
        if found.last().is_none_or(|it| at >= it.place + it.text.len()) {
            found.extend(example(told, at));
        }
    }
    found
}

impl Example {
    /// The format with these calls in it, if they open in another way than those that it has.
    pub(super) fn candidate(self, format: &ReplyFormat) -> Option<Candidate> {
        let openers = |it: &Tools| [&*it.section_open.text, &*it.call_open.text].concat();
        let own = openers(&self.tools);
        if format.tools.as_ref().is_some_and(|it| own.is_empty() || openers(it) == own) {
            return None;
        }
        let format = ReplyFormat { tools: Some(self.tools), ..format.clone() };
        Some(Candidate { format, evidence: self.text, place: self.place })
    }
}

/// The call that an object shows, with what stands around it.
fn example(told: &str, at: usize) -> Option<Example> {
    let (front, object) = told.split_at_checked(at)?;
    let (call, after) = read_object(object)?;
    let list = front.trim_end().strip_suffix('[').zip(behind_list(after));
    let (front, after) = list.unwrap_or((front, after));
    let open = opener(front, list.is_some())?;
    let close = closer(&Marker::new(open), Piece::whole(after))?;
    let place = front.len() - open.len();
    let text = told.get(place..told.len() - after.len() + close.len())?;
    let tools = Tools::new(CallShape::Json(call));
    let mut tools = match list {
        Some(_) => tools.with_section(open, close),
        None => tools.with_call(open, close),
    };
    tools.array = list.is_some();
    Some(Example { tools, text: text.to_owned(), place })
}

/// What opens the calls: a tag in front of them, or a word that touches their list.
fn opener(front: &str, is_list: bool) -> Option<&str> {
    let piece = Piece::whole(front);
    let Some(at) = piece.last_marker() else {
        let is_of_word = |it: char| it.is_alphanumeric() || it == '_';
        return match is_list {
            true => front.strip_prefix(front.trim_end_matches(is_of_word)),
            false => Some(""),
        };
    };
    let marker = front.get(at..)?;
    let is_opener = !marker.trim_end().contains(char::is_whitespace) && !marker.contains('/');
    (is_opener && marker.matches('\n').count() < 2).then_some(marker)
}

/// What closes them: the mirrored tag, which has to be there, or a token that follows at once.
fn closer<'t>(open: &Marker, behind: Piece<'t>) -> Option<&'t str> {
    let end = match open.mirrored_closer() {
        Some(close) => behind.len() - behind.without_start_of(&close)?.len(),
        None if open.is_markup() && behind.text().starts_with('<') => behind.first_marker()?,
        None => 0,
    };
    Some(behind.to(end).text())
}

/// The rest behind a list, of which the first call was read.
fn behind_list(behind: &str) -> Option<&str> {
    let mut rest = behind.trim_start();
    while !rest.starts_with(']') {
        let other = || read_object(rest).map(|(_, behind)| behind);
        let between = [",", "..."].into_iter().find_map(|it| rest.strip_prefix(it));
        rest = between.or_else(other)?.trim_start();
    }
    rest.strip_prefix(']')
}

/// Reads `{"name": WORDS, "arguments": WORDS}`, also with doubled braces. Returns what follows, too.
fn read_object(text: &str) -> Option<(JsonCall, &str)> {
    let braces = if text.starts_with("{{") { 2 } else { 1 };
    let mut rest = text.get(braces..)?;
    let mut keys: Vec<&str> = Vec::new();
    for end in [',', '}'] {
        let (key, behind) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
        let value = behind.trim_start().strip_prefix(':')?;
        let (words, behind) = value.split_at_checked(end_of_words(value)?)?;
        // What is declared to the model is no call.
        if words.contains(KEY) {
            return None;
        }
        keys.push(key);
        rest = behind.strip_prefix(end)?;
    }
    let rest = rest.get(braces - 1..)?;
    let key_of = |words: &[&str]| {
        let key = keys.iter().find(|key| words.iter().any(|it| key.contains(it)))?;
        Some(Text::Owned((*key).to_owned()))
    };
    let (name_field, args_field) = (key_of(&["name", "tool"])?, key_of(&["arg", "param"])?);
    let order = keys.iter().map(|it| Text::Owned((*it).to_owned())).collect();
    let call = JsonCall { name_field, args_field, order, ..JsonCall::default() };
    Some((call, rest))
}

/// Where what stands for a value ends: at a comma or a brace outside of brackets and quotes.
fn end_of_words(text: &str) -> Option<usize> {
    let (mut depth, mut is_quoted) = (0_usize, false);
    for (at, letter) in text.char_indices().take(LONGEST_WORDS) {
        match letter {
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
