//! The markup of a template: the markers of its analysis, the special tokens of the checkpoint, what
//! its own texts hold that is shaped as a marker, and the headers that it writes around turns.

use super::markup::Markup;
use crate::chat::prompt::PromptOptions;
use crate::chat::source::ChatTemplate;
use crate::reply::format::{AnalysisResult, ReplyFormat};
use prompty_core::message::{ContentPart, Message, Role, ToolCall, ToolResult};

/// Texts that no template has of its own.
const WORDS: [&str; 6] = ["zqctla", "zqctlb", "zqctlc", "zqctld", "zqctle", "zqctlf"];
/// A longer line in front of a turn is said by the template, and heads nothing.
const LONGEST_HEADER: usize = 40;
/// Marks of JSON and of calls as code has them: data is full of them.
const PLAIN_MARKS: &str = ":,(){}'\"=.[]-_;/\\";

impl Markup {
    /// All markup of a template.
    pub(in crate::chat) fn find(template: &ChatTemplate) -> Self {
        let mut tokens: Vec<String> = Vec::new();
        let special = template.special_tokens().all().into_iter().map(str::trim);
        tokens.extend(special.map(str::to_owned));
        if let Ok(format) = template.format() {
            of_format(format, &mut tokens);
        }
        let constants = template.engine().string_constants();
        for text in constants {
            shaped(text, Shape::Strict, &mut tokens);
        }
        for text in conversations(template) {
            headers(&text, &mut tokens);
        }
        let special = template.special_tokens().all().into_iter().map(str::to_owned);
        let texts: Vec<String> = constants.iter().cloned().chain(special).collect();
        Self::of(tokens, &texts)
    }
}

/// The markers of a format.
fn of_format(format: &ReplyFormat, tokens: &mut Vec<String>) {
    tokens.extend(format.turn.control_tokens.iter().map(|it| it.trim().to_owned()));
    let turn = &format.turn;
    let mut texts: Vec<&str> = vec![&turn.user_open, &turn.open];
    texts.extend(turn.end.iter().map(|it| &*it.text));
    if let Some(reasoning) = &format.reasoning {
        texts.extend([&*reasoning.open.text, &*reasoning.close.text]);
    }
    texts.extend([&*format.content.open.text, &*format.content.close.text]);
    if let Some(headers) = &format.headers {
        texts.extend([&*headers.open.text, &*headers.end.text]);
        texts.extend(headers.close.iter().map(|it| &*it.text));
    }
    let preserved = AnalysisResult::from_format(format).preserved_tokens;
    texts.extend(preserved.iter().map(String::as_str));
    for text in texts {
        shaped(text, Shape::Any, tokens);
    }
}

/// How sure a text must be markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// It is known to hold markup.
    Any,
    /// It may be any text of the template.
    Strict,
}

/// Adds what in a text is shaped as a marker: `<…>`, `[…]`, or a row of unusual marks.
fn shaped(text: &str, shape: Shape, tokens: &mut Vec<String>) {
    let mut rest = text;
    let mut between = String::new();
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '<' => angled(rest),
            '[' => bracketed(rest, shape),
            _ => None,
        };
        let (front, behind) = match length {
            Some(length) => rest.split_at_checked(length).unwrap_or((rest, "")),
            None => rest.split_at_checked(letter.len_utf8()).unwrap_or((rest, "")),
        };
        match length {
            Some(_) => {
                tokens.push(front.to_owned());
                between.push(' ');
            }
            None => between.push_str(front),
        }
        rest = behind;
    }
    if shape == Shape::Any {
        let words = between.split_whitespace();
        let words = words.map(|it| it.trim_end_matches(|it: char| it.is_alphanumeric()));
        let unusual = words.filter(|word| {
            let is_unusual = |it: char| {
                !it.is_alphanumeric() && !it.is_whitespace() && !PLAIN_MARKS.contains(it)
            };
            word.chars().count() >= 3 && word.contains(is_unusual)
        });
        tokens.extend(unusual.map(str::to_owned));
    }
}

/// How long the marker is that begins with `<`.
fn angled(text: &str) -> Option<usize> {
    let second = text.chars().nth(1)?;
    if second.is_ascii() && !second.is_ascii_alphabetic() && !matches!(second, '/' | '|' | '_') {
        return None;
    }
    let mut end = text.len();
    for (at, letter) in text.char_indices().skip(1) {
        if letter == '>' {
            return (at > 1).then_some(at + 1);
        }
        if letter.is_whitespace() || letter == '<' {
            end = at;
            break;
        }
    }
    // One that is left open, as in front of a name or of attributes.
    (end >= 4).then_some(end)
}

/// How long the marker is that begins with `[`.
fn bracketed(text: &str, shape: Shape) -> Option<usize> {
    let end = text.find(']')?;
    let inner = text.get(1..end)?;
    let word = inner.strip_prefix('/').unwrap_or(inner);
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let capitals = word.chars().filter(char::is_ascii_uppercase).count();
    let is_marker = word.chars().count() >= 2
        && word.chars().all(is_word)
        && !word.chars().all(|it| it.is_ascii_digit())
        && (shape == Shape::Any || capitals >= 2);
    is_marker.then_some(end + 1)
}

/// What a template writes for conversations of words: the first that it takes, of those with calls
/// and of those without.
fn conversations(template: &ChatTemplate) -> Vec<String> {
    let [system, user, answer, next, result, argument] = WORDS;
    let call = ToolCall::new("zqctlid01", "zqctlname", format!("{{\"zqctlkey\": \"{argument}\"}}"));
    let called = [
        Message::user(user),
        Message::new(Role::Assistant, [ContentPart::ToolCall(call)]),
        Message::new(
            Role::Tool,
            [ContentPart::ToolResult(ToolResult::new("zqctlid01", result).with_name("zqctlname"))],
        ),
        Message::assistant(answer),
        Message::user(next),
    ];
    let spoken = [
        Message::system(system),
        Message::user(user),
        Message::assistant(answer),
        Message::user(next),
    ];
    let options = PromptOptions::new();
    let write = |messages: &[Message]| {
        let written = template.written(messages, &[], &options, false).ok()?;
        written.text.contains(user).then_some(written.text)
    };
    let first = |tries: &[&[Message]]| tries.iter().find_map(|messages| write(messages));
    let without = first(&[&spoken, spoken.get(1..).unwrap_or_default()]);
    let without = without.or_else(|| write(spoken.get(1..2).unwrap_or_default()));
    let with = first(&[&called, called.get(..3).unwrap_or_default()]);
    without.into_iter().chain(with).collect()
}

/// Adds the headers in a text: the lines that stand next to what somebody says.
fn headers(text: &str, tokens: &mut Vec<String>) {
    let mut rest = text;
    let mut chunks = Vec::new();
    while let Some((at, word)) =
        WORDS.iter().filter_map(|word| Some((rest.find(word)?, word))).min_by_key(|(at, _)| *at)
    {
        let (chunk, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
        chunks.push(chunk);
        rest = behind.get(word.len()..).unwrap_or_default();
    }
    chunks.push(rest);
    for (index, chunk) in chunks.iter().enumerate() {
        // What stands in front of the first may be a text that the template says by itself.
        if index > 0 {
            shaped(chunk, Shape::Any, tokens);
        }
        let last = chunk.trim_end().lines().last().unwrap_or_default();
        let mut of_last = Vec::new();
        shaped(last, Shape::Any, &mut of_last);
        let has_none = !of_last.iter().any(|token| token.starts_with(['<', '[']));
        tokens.extend(of_last);
        let is_name = |it: char| it.is_alphanumeric() || it.is_whitespace();
        let says = last.ends_with(['.', '!', '?', '"', '}']) || last.len() > LONGEST_HEADER;
        let is_data = last.starts_with(['{', '"']) || last.contains("zqctl");
        if has_none && !says && !is_data && last.contains(|it: char| !is_name(it)) {
            tokens.push(format!("\n{}", last.trim()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Shape, shaped};
    use crate::chat::ChatTemplate;
    use crate::chat::control::markup::Markup;

    #[test]
    fn markers_are_told_by_their_shape() {
        let of = |text: &str, shape| {
            let mut tokens = Vec::new();
            shaped(text, shape, &mut tokens);
            tokens
        };
        assert_eq!(
            of("<|im_end|>\n<|im_start|>user\n", Shape::Any),
            ["<|im_end|>", "<|im_start|>"]
        );
        assert_eq!(of("<function=", Shape::Strict), ["<function="]);
        assert_eq!(of("<param name=\"", Shape::Any), ["<param"]);
        assert_eq!(of("[/INST] [1] [x] [see]", Shape::Strict), ["[/INST]"]);
        assert_eq!(of("]~b]user\n", Shape::Any), ["]~b]"]);
        assert_eq!(of("{\"name\": \"", Shape::Any), [""; 0]);
        assert_eq!(of("a < b, 1 <2", Shape::Any), [""; 0]);
    }

    #[test]
    fn the_headers_of_turns_are_markup_too() {
        let template = ChatTemplate::from_text(
            "{% for m in messages %}{% if m.role == 'user' %}\n\nUser: {{ m.content }}\
             {% else %}\n\n### Answer:\n{{ m.content }}{% endif %}{% endfor %}",
        );
        let markup = Markup::find(&template.unwrap());
        assert_eq!(markup.tokens(), ["\n### Answer:", "\nUser:", "###"]);
    }
}
