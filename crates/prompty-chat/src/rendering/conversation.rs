//! Renders a complete conversation, and finds the end of the text that opens the assistant's turn.

use super::runner::Renderer;
use crate::adapter::{adapt, adapt_messages};
use crate::audit::split_before_end;
use crate::capabilities::ProbedTemplate;
use crate::engine::{self, RenderOutput};
use crate::request::Request;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{Message, tools_to_openai};
use prompty_core::value::{Map, Value};

/// The text that a template wrote, and facts of that run.
#[derive(Debug)]
pub(crate) struct RenderedText {
    pub(crate) text: String,
    /// The variables that the template was rendered with.
    pub(crate) variables: Map,
    /// Whether the template split or changed a text instead of writing it unchanged.
    pub(crate) splits_data: bool,
    /// The end of the text that opens the assistant's turn, which may be empty. `None` if it is
    /// found by comparison with another render.
    pub(super) opening: Option<String>,
}

/// Renders the messages of a request, without a continued message.
pub(super) fn render(renderer: Renderer<'_>, request: &Request<'_>) -> Result<RenderedText, Error> {
    let mut variables = adapt(renderer.template, request);
    let RenderOutput { text, may_have_built_markup } =
        run_with_old_variables(renderer, request, &mut variables)?;
    let opening = (!request.options.add_generation_prompt).then(String::new);
    Ok(RenderedText { text, variables, splits_data: may_have_built_markup, opening })
}

impl RenderedText {
    /// The end of the text that opens the assistant's turn, with the text that the model continues.
    /// It is empty if the text has no such end.
    pub(super) fn generation_prompt(&self, renderer: Renderer<'_>, now: Option<i64>) -> String {
        let Self { text, variables, opening, .. } = self;
        if let Some(generation_prompt) = opening {
            return generation_prompt.clone();
        }
        let render = |variables: &Map| renderer.run(variables, now).map(|written| written.text);
        let mut without = variables.clone();
        without.insert("add_generation_prompt", false);
        // Some templates refuse this conversation without a generation prompt.
        if let Ok(without) = render(&without)
            && let Some(opening) = text.strip_prefix(&*without)
        {
            return opening.to_owned();
        }
        // The template also writes the end of this conversation differently. All turns open in the
        // same way, so a short conversation shows how.
        let mut short = variables.clone();
        short.insert(
            "messages",
            adapt_messages(renderer.template.capabilities, &[Message::user("Hi")], None),
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

/// Renders the template. If that fails, it is tried again with variables that older templates need,
/// and these are added to `variables`.
pub(super) fn run_with_old_variables(
    renderer: Renderer<'_>,
    request: &Request<'_>,
    variables: &mut Map,
) -> Result<RenderOutput, Error> {
    let ProbedTemplate { engine, .. } = renderer.template;
    let now = request.options.now;
    let error = match renderer.run(variables, now) {
        Err(error) if error.kind() == ErrorKind::Render => error,
        other => return other,
    };
    let is_missing = |variables: &Map, name: &str| {
        engine.variables().iter().any(|variable| variable == name) && !variables.contains_key(name)
    };
    let count_before = variables.len();
    if is_missing(variables, "functions") {
        variables.insert("functions", functions(request));
    }
    for name in ["datetime", "date_string"] {
        if is_missing(variables, name) {
            variables.insert(name, engine::date(now, "%b %d %Y"));
        }
    }
    if variables.len() == count_before { Err(error) } else { renderer.run(variables, now) }
}

/// The tools in the form for older templates: a JSON list of functions, or an empty string.
fn functions(request: &Request<'_>) -> String {
    let tools = tools_to_openai(request.offered_tools());
    let tools = tools.as_array().unwrap_or_default().iter();
    let functions: Vec<Value> = tools.filter_map(|tool| tool.get("function").cloned()).collect();
    if functions.is_empty() { String::new() } else { Value::from(functions).to_json() }
}

/// The rest of `text` after the start that it has in common with `other`.
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

/// The part of a reply that a prompt already contains: the text after the opener of the turn.
pub(crate) fn reply_start<'text>(
    text: &'text str,
    generation_prompt: &str,
    turn_open: &str,
) -> &'text str {
    let (_, added) = split_before_end(text, generation_prompt.len());
    // The opener may begin before the generation prompt.
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
    use super::reply_start;

    #[test]
    fn a_reply_starts_after_the_opener_of_the_turn() {
        let open = "<|a|>\n";
        for (text, generation_prompt, begun) in [
            ("<|u|>Hi<|a|>\n", "<|a|>\n", ""),
            ("<|u|>Hi<|a|>\n<muse>", "<|a|>\n<muse>", "<muse>"),
            // The template adds no generation prompt: the opener is the end of the user's message.
            ("<|u|>Hi<|a|>\n", "", ""),
            ("<|u|>Hi<|a|>\n<muse>Hm", "<muse>Hm", "<muse>Hm"),
            // The opener has lost its trailing white space.
            ("<|u|>Hi<|a|>", "<|a|>", ""),
            // A continued message contains the opener itself.
            ("<|u|>Hi<|a|>\nSay <|a|>\n", "<|a|>\nSay <|a|>\n", "Say <|a|>\n"),
        ] {
            assert_eq!(reply_start(text, generation_prompt, open), begun, "{text:?}");
        }
    }
}
