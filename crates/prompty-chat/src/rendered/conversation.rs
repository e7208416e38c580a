//! The text that a template writes for a whole conversation, and its end, which opens the assistant's
//! turn.

use super::runner::Runner;
use crate::adapted::{adapt, adapt_messages};
use crate::audited::split_before_end;
use crate::capabilities::ProbedTemplate;
use crate::engine::{self, Written};
use crate::request::Request;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{Message, tools_to_openai};
use prompty_core::value::{Map, Value};

/// A text that a template wrote, and the facts of that run.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) text: String,
    /// The variables that the template was rendered with.
    pub(crate) variables: Map,
    /// Whether the template used some text in another way than as a whole.
    pub(crate) splits_data: bool,
    pub(super) opening: Opening,
}

/// The end of a text, which opens the assistant's turn.
#[derive(Debug)]
pub(super) enum Opening {
    /// It was found while the text was rendered; it may be empty.
    Known(String),
    /// A comparison with another render shows it.
    Compared,
}

/// Renders the messages of a request. Nothing is continued.
pub(super) fn render(runner: Runner<'_>, request: &Request<'_>) -> Result<Rendered, Error> {
    let mut variables = adapt(runner.template, request);
    let Written { text, rewrites } = run(runner, request, &mut variables)?;
    let opening = match request.options.add_generation_prompt {
        true => Opening::Compared,
        false => Opening::Known(String::new()),
    };
    Ok(Rendered { text, variables, splits_data: rewrites, opening })
}

impl Rendered {
    /// The end of the text that opens the assistant's turn, with what the model continues; empty
    /// where the text has none.
    pub(super) fn generation_prompt(&self, runner: Runner<'_>, now: Option<i64>) -> String {
        let Self { text, variables, opening, .. } = self;
        if let Opening::Known(generation_prompt) = opening {
            return generation_prompt.clone();
        }
        let render = |variables: &Map| runner.run(variables, now).map(|written| written.text);
        let mut without = variables.clone();
        without.insert("add_generation_prompt", false);
        // Some templates refuse a conversation that ends so; then this comparison shows nothing.
        if let Ok(without) = render(&without)
            && let Some(opening) = text.strip_prefix(&*without)
        {
            return opening.to_owned();
        }
        // The template writes the end of this conversation differently, too. A turn opens in the same
        // way behind every conversation, so one that ends with the user's turn shows how.
        let mut short = variables.clone();
        short.insert(
            "messages",
            adapt_messages(runner.template.capabilities, &[Message::user("Hi")]),
        );
        let Ok(with) = render(&short) else { return String::new() };
        short.insert("add_generation_prompt", false);
        let opening = match render(&short) {
            Ok(without) => without_common_start(&with, &without),
            Err(_) => &with,
        };
        if text.ends_with(opening) { opening.to_owned() } else { String::new() }
    }
}

/// Renders. If that fails, it is tried again with the variables that older templates were given.
pub(super) fn run(
    runner: Runner<'_>,
    request: &Request<'_>,
    variables: &mut Map,
) -> Result<Written, Error> {
    let ProbedTemplate { engine, .. } = runner.template;
    let now = request.options.now;
    let error = match runner.run(variables, now) {
        Err(error) if error.kind() == ErrorKind::Render => error,
        other => return other,
    };
    let is_missing = |variables: &Map, name: &str| {
        engine.variables().iter().any(|variable| variable == name) && !variables.contains_key(name)
    };
    let known = variables.len();
    if is_missing(variables, "functions") {
        variables.insert("functions", functions(request));
    }
    for name in ["datetime", "date_string"] {
        if is_missing(variables, name) {
            variables.insert(name, engine::date(now, "%b %d %Y"));
        }
    }
    if variables.len() == known { Err(error) } else { runner.run(variables, now) }
}

/// The tools as older templates were given them: a JSON list of functions, or an empty text.
fn functions(request: &Request<'_>) -> String {
    let tools = tools_to_openai(request.offered_tools());
    let tools = tools.as_array().unwrap_or_default().iter();
    let functions: Vec<Value> = tools.filter_map(|tool| tool.get("function").cloned()).collect();
    if functions.is_empty() { String::new() } else { Value::from(functions).to_json() }
}

/// The rest of a text, without what it has in common with another from the start.
pub(super) fn without_common_start<'t>(text: &'t str, other: &str) -> &'t str {
    let (mut text, mut other) = (text.chars(), other.chars());
    loop {
        let rest = text.as_str();
        match (text.next(), other.next()) {
            (Some(a), Some(b)) if a == b => {}
            _ => return rest,
        }
    }
}

/// The part of a reply that a prompt contains already: what follows the opener of the assistant's turn.
pub(crate) fn begun_reply<'text>(
    text: &'text str,
    generation_prompt: &str,
    turn_open: &str,
) -> &'text str {
    let (_, added) = split_before_end(text, generation_prompt.len());
    // The opener may have begun in front of what the generation prompt adds.
    let (_, end) = split_before_end(text, added.len() + turn_open.len());
    for opener in [turn_open, turn_open.trim_end()] {
        if opener.is_empty() {
            continue;
        }
        if let Some((_, tail)) = end.split_once(opener) {
            return tail;
        }
    }
    without_common_start(added, turn_open)
}

#[cfg(test)]
mod tests {
    use super::begun_reply;

    #[test]
    fn a_begun_reply_follows_the_opener_of_the_turn() {
        let open = "<|a|>\n";
        for (text, generation_prompt, begun) in [
            ("<|u|>Hi<|a|>\n", "<|a|>\n", ""),
            ("<|u|>Hi<|a|>\n<muse>", "<|a|>\n<muse>", "<muse>"),
            // The template adds nothing for a turn: the opener is the end of the user's message.
            ("<|u|>Hi<|a|>\n", "", ""),
            ("<|u|>Hi<|a|>\n<muse>Hm", "<muse>Hm", "<muse>Hm"),
            // The opener has lost its white space.
            ("<|u|>Hi<|a|>", "<|a|>", ""),
            // A continued message contains the opener itself.
            ("<|u|>Hi<|a|>\nSay <|a|>\n", "<|a|>\nSay <|a|>\n", "Say <|a|>\n"),
        ] {
            assert_eq!(begun_reply(text, generation_prompt, open), begun, "{text:?}");
        }
    }
}
