//! Collects the markup of a template: the markers of its analysis, the special tokens of the model,
//! strings that look like markers in the template, and the headers that it writes around turns.

use super::markup::Markup;
use crate::capabilities::ProbedTemplate;
use crate::rendering::{PromptBudget, Renderer};
use crate::request::{PromptOptions, Request};
use prompty_core::error::Error;
use prompty_core::message::{ContentPart, Message, Role, ToolCall, ToolResult};
use prompty_core::work::add_steps;
use prompty_reply::format::{AnalysisResult, ReplyFormat};

/// Strings that no template contains: a stem, and one letter.
const SENTINELS: [&str; 6] = ["zqctla", "zqctlb", "zqctlc", "zqctld", "zqctle", "zqctlf"];
const SENTINEL_STEM: &str = "zqctl";
/// The maximum length of a header, in bytes. A longer line before a turn is a sentence of the
/// template.
const LONGEST_HEADER: usize = 40;
/// Punctuation of JSON and of calls in code, which is common in data.
const COMMON_PUNCTUATION: &str = ":,(){}'\"=.[]-_;/\\";

/// All markup of a template. `format` is the format of the model's replies, if it is known.
///
/// # Errors
///
/// Returns an error in the same cases as [`Markup::new`].
pub(crate) fn collect_markup(
    template: ProbedTemplate<'_>,
    format: Option<&ReplyFormat>,
) -> Result<Markup, Error> {
    let special_tokens = template.tokens.all();
    let mut tokens: Vec<String> =
        special_tokens.iter().map(|token| token.trim().to_owned()).collect();
    if let Some(format) = format {
        add_markers_of_format(format, &mut tokens);
    }
    let constants = template.engine.string_constants();
    for text in constants {
        add_markers(text, Certainty::Possible, &mut tokens);
    }
    for text in conversations(template) {
        add_headers(&text, &mut tokens);
    }
    let special_tokens = special_tokens.into_iter().map(str::to_owned);
    let texts: Vec<String> = constants.iter().cloned().chain(special_tokens).collect();
    Markup::new(tokens, &texts)
}

/// Adds the markers of a format.
fn add_markers_of_format(format: &ReplyFormat, tokens: &mut Vec<String>) {
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
        add_markers(text, Certainty::Known, tokens);
    }
}

/// How certain it is that a text contains markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// The text is known to contain markup.
    Known,
    /// The text is any string of the template.
    Possible,
}

/// Adds the parts of a text that look like markers: `<…>`, `[…]`, or unusual punctuation.
fn add_markers(text: &str, certainty: Certainty, tokens: &mut Vec<String>) {
    let mut characters = text.chars();
    let mut between = String::new();
    loop {
        let rest = characters.as_str();
        let Some(character) = characters.next() else { break };
        let length = match character {
            '<' => angle_marker_length(rest),
            '[' => bracket_marker_length(rest, certainty),
            _ => None,
        };
        match length.and_then(|length| rest.split_at_checked(length)) {
            Some((marker, after)) => {
                tokens.push(marker.to_owned());
                // The texts on both sides of a marker are separate words.
                between.push(' ');
                characters = after.chars();
            }
            None => between.push(character),
        }
        add_steps(rest.len() - characters.as_str().len());
    }
    if certainty == Certainty::Known {
        // Words of unusual signs, without the letters at their end: `]~b]` of `]~b]user`.
        let words = between.split_whitespace();
        let words = words.map(|it| it.trim_end_matches(|it: char| it.is_alphanumeric()));
        let unusual = words.filter(|word| {
            let is_unusual = |it: char| {
                !it.is_alphanumeric() && !it.is_whitespace() && !COMMON_PUNCTUATION.contains(it)
            };
            word.chars().count() >= 3 && word.contains(is_unusual)
        });
        tokens.extend(unusual.map(str::to_owned));
    }
}

/// The length of the marker at the start of a text that begins with `<`: of `<|end|>`, `</a>` or
/// `<function=`, but not of `<=` or `< b`.
fn angle_marker_length(text: &str) -> Option<usize> {
    let second = text.chars().nth(1)?;
    if second.is_ascii() && !second.is_ascii_alphabetic() && !matches!(second, '/' | '|' | '_') {
        return None;
    }
    let mut end = text.len();
    for (at, character) in text.char_indices().skip(1) {
        add_steps(1);
        if character == '>' {
            return (at > 1).then_some(at + 1);
        }
        if character.is_whitespace() || character == '<' {
            end = at;
            break;
        }
    }
    // A marker without its end, for example before a name or attributes. A shorter one, such as the
    // `<yz` in `x <yz`, may be a comparison.
    (end >= 4).then_some(end)
}

/// The length of the marker at the start of a text that begins with `[`: of `[/INST]`, but not of
/// `[1]`, and of `[see]` only in a text that is known to contain markup.
fn bracket_marker_length(text: &str, certainty: Certainty) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let word = inner.strip_prefix('/').unwrap_or(inner);
    // Read only to the end of the word, so that each character of a text is read once.
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let after = word.trim_start_matches(is_word);
    let length = word.len() - after.len();
    add_steps(length);
    after.strip_prefix(']')?;
    let word = word.get(..length)?;
    let capitals = word.chars().filter(char::is_ascii_uppercase).count();
    let is_marker = word.chars().count() >= 2
        && !word.chars().all(|it| it.is_ascii_digit())
        && (certainty == Certainty::Known || capitals >= 2);
    let slash = usize::from(inner.starts_with('/'));
    is_marker.then_some("[".len() + slash + length + "]".len())
}

/// The template's output for conversations of sentinels: one without calls and one with calls, the
/// longest that the template accepts.
fn conversations(template: ProbedTemplate<'_>) -> Vec<String> {
    let [system, user, answer, next_user, result, argument] = SENTINELS;
    let call = ToolCall::new("zqctlid01", "zqctlname", format!("{{\"zqctlkey\": \"{argument}\"}}"));
    let instructions = Message::system(system);
    let question = Message::user(user);
    let reply = Message::assistant(answer);
    let next_question = Message::user(next_user);
    let calling = Message::new(Role::Assistant, [ContentPart::ToolCall(call)]);
    let result = Message::from(ToolResult::new("zqctlid01", result).with_name("zqctlname"));
    let without_calls = [
        vec![&instructions, &question, &reply, &next_question],
        vec![&question, &reply, &next_question],
        vec![&question],
    ];
    let with_calls = [
        vec![&question, &calling, &result, &reply, &next_question],
        vec![&question, &calling, &result],
    ];
    let options = PromptOptions::new();
    let budget = PromptBudget::new(template.engine);
    let renderer = Renderer { template, format: None, budget: &budget };
    let render = |messages: &Vec<&Message>| {
        let messages: Vec<Message> = messages.iter().copied().cloned().collect();
        let request = Request::new(&messages, &[], &options).ok()?;
        let text = renderer.render(&request).ok()?.text;
        text.contains(user).then_some(text)
    };
    let without_calls = without_calls.iter().find_map(render);
    let with_calls = with_calls.iter().find_map(render);
    without_calls.into_iter().chain(with_calls).collect()
}

/// Adds the headers in a text: the lines before the content of messages. Example: for the text
/// `### User:\nzqctlb\n\n### Answer:\nzqctlc`, the headers are `\n### User:` and `\n### Answer:`.
fn add_headers(text: &str, tokens: &mut Vec<String>) {
    add_steps(text.len());
    let mut at = 0;
    let mut chunks = Vec::new();
    for (start, _) in text.match_indices(SENTINEL_STEM) {
        let (Some(chunk), Some(rest)) = (text.get(at..start), text.get(start..)) else { continue };
        let Some(sentinel) = SENTINELS.iter().find(|it| rest.starts_with(**it)) else { continue };
        chunks.push(chunk);
        at = start + sentinel.len();
    }
    chunks.extend(text.get(at..));
    for (index, chunk) in chunks.iter().enumerate() {
        // The text before the first sentinel may be a sentence of the template.
        if index > 0 {
            add_markers(chunk, Certainty::Known, tokens);
        }
        let Some(last_line) = chunk.trim_end().lines().last() else { continue };
        let mut markers = Vec::new();
        add_markers(last_line, Certainty::Known, &mut markers);
        let has_tag = markers.iter().any(|token| token.starts_with(['<', '[']));
        tokens.extend(markers);
        let is_word = |it: char| it.is_alphanumeric() || it.is_whitespace();
        let is_sentence =
            last_line.ends_with(['.', '!', '?', '"', '}']) || last_line.len() > LONGEST_HEADER;
        let is_data = last_line.starts_with(['{', '"']) || last_line.contains(SENTINEL_STEM);
        // A line with a tag is found by its tag. A header without one has punctuation, as in
        // `User:`: words alone are common in data.
        if !has_tag && !is_sentence && !is_data && last_line.contains(|it: char| !is_word(it)) {
            tokens.push(format!("\n{}", last_line.trim()));
        }
    }
}

#[cfg(test)]
mod tests {
    use work_counting::{assert_linear, count_work};

    use super::{Certainty, add_headers, add_markers, collect_markup};
    use crate::capabilities::{Capabilities, ProbedTemplate};
    use crate::engine::Engine;
    use crate::probes::ProbeLimits;
    use crate::special_tokens::SpecialTokens;
    use prompty_template::RenderLimits;

    #[test]
    fn markers_are_detected_by_their_shape() {
        let markers = |text: &str, certainty| {
            let mut tokens = Vec::new();
            add_markers(text, certainty, &mut tokens);
            tokens
        };
        assert_eq!(
            markers("<|im_end|>\n<|im_start|>user\n", Certainty::Known),
            ["<|im_end|>", "<|im_start|>"]
        );
        assert_eq!(markers("<function=", Certainty::Possible), ["<function="]);
        assert_eq!(markers("<param name=\"", Certainty::Known), ["<param"]);
        assert_eq!(markers("[/INST] [1] [x] [see]", Certainty::Possible), ["[/INST]"]);
        assert_eq!(markers("]~b]user\n", Certainty::Known), ["]~b]"]);
        assert_eq!(markers("{\"name\": \"", Certainty::Known), [""; 0]);
        assert_eq!(markers("a < b, 1 <2", Certainty::Known), [""; 0]);
    }

    #[test]
    fn the_headers_of_turns_are_markup_too() {
        let text = "{% for m in messages %}{% if m.role == 'user' %}\n\nUser: {{ m.content }}\
             {% else %}\n\n### Answer:\n{{ m.content }}{% endif %}{% endfor %}";
        let engine = Engine::compile(text, RenderLimits::default()).unwrap();
        let tokens = SpecialTokens::new();
        let (capabilities, budget) = Capabilities::probe(&engine, &tokens, ProbeLimits::default());
        let (engine, tokens, capabilities) = (&engine, &tokens, &capabilities);
        let template = ProbedTemplate { engine, tokens, capabilities, budget };
        let markup = collect_markup(template, None).unwrap();
        assert_eq!(markup.tokens(), ["\n### Answer:", "\nUser:", "###"]);
    }

    #[test]
    fn markers_are_collected_in_work_that_grows_with_the_text() {
        let texts = ["[", "<", "<a", "[/", "zqctla", "zqctla<a>", "[A", "zqctlb\n"];
        for part in texts {
            assert_linear(part, 500, |size| {
                let text = part.repeat(size);
                count_work(|| {
                    add_markers(&text, Certainty::Known, &mut Vec::new());
                    add_headers(&text, &mut Vec::new());
                })
                .1
            });
        }
    }
}
