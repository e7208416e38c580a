//! Renders a request whose last message the model continues. The text ends inside of that message.
//!
//! The text is what `transformers` writes, so it lacks what the template leaves out. The exception
//! is reasoning, if the format of replies is known: the model continues from it.

use super::conversation::{self, RenderedText, reply_start, without_common_start};
use super::runner::Renderer;
use crate::adapter::{adapt, adapt_messages, mark_absent_from};
use crate::engine::RenderOutput;
use crate::request::{Continuation, Request};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{ContentPart, Message};
use prompty_core::value::Map;
use prompty_reply::ReplyParser;
use prompty_reply::format::ReplyFormat;

/// Renders a request up to the end of the last message's content or reasoning.
pub(super) fn render(
    renderer: Renderer<'_>,
    request: &Request<'_>,
    continuation: Continuation,
) -> Result<RenderedText, Error> {
    let mut variables = adapt(renderer.template, request);
    let RenderOutput { text, may_have_built_markup } =
        conversation::run_with_old_variables(renderer, request, &mut variables)?;
    let render_messages = |messages| {
        let mut variables: Map = variables.clone();
        variables.insert("messages", messages);
        renderer.run(&variables, request.options.now).map(|written| written.text)
    };
    // A second render has a mark at the end of the continued text. So the prompt is what this
    // render contains before the mark.
    let mark = mark_absent_from(&text);
    let capabilities = renderer.template.capabilities;
    let place = Some((continuation, &*mark));
    let marked = render_messages(adapt_messages(capabilities, &request.messages, place))?;
    let Some((before, _)) = marked.rsplit_once(&*mark) else {
        let field = match continuation {
            Continuation::Content => "content",
            Continuation::Reasoning => "reasoning",
        };
        let message = format!("the template does not write the {field} of the last message");
        let help = "append the text to the generation prompt instead";
        return Err(Error::new(ErrorKind::WrongInput, message).with_help(help));
    };
    // A template that trims its data keeps white space before the mark, but not at the end.
    let text = if text.starts_with(before) { before } else { before.trim_end() };
    // What the last message adds to the text.
    let generation_prompt = match request.messages.split_last() {
        Some((_, others)) if !others.is_empty() => {
            match render_messages(adapt_messages(capabilities, others, None)) {
                Ok(without_last) => without_common_start(text, &without_last),
                Err(_) => text,
            }
        }
        _ => text,
    };
    Ok(RenderedText {
        text: text.to_owned(),
        opening: Some(generation_prompt.to_owned()),
        variables,
        splits_data: may_have_built_markup,
    })
}

/// Like [`render`], but adds reasoning that the template leaves out. Many templates do not write
/// the reasoning of past turns. It is appended to the generation prompt in the format of the
/// model's replies.
pub(super) fn render_completed(
    renderer: Renderer<'_>,
    format: Result<&ReplyFormat, &Error>,
    request: &Request<'_>,
    continuation: Continuation,
) -> Result<RenderedText, Error> {
    let rendered = render(renderer, request, continuation);
    let Some((last, others)) = request.messages.split_last() else { return rendered };
    let reasoning = reasoning_of(last);
    let is_complete = reasoning.trim().is_empty()
        || rendered.as_ref().is_ok_and(|rendered| {
            writes_reasoning(renderer, request, continuation, &rendered.text)
        });
    if is_complete {
        return rendered;
    }
    let format = format.map_err(Error::duplicate)?;
    if format.reasoning.is_none() && format.headers.is_none() {
        return rendered;
    }
    let new_turn = request.for_new_turn(others);
    let mut rendered = conversation::render(renderer, &new_turn)?;
    let mut generation_prompt = rendered.generation_prompt(renderer, request.options.now);
    let content = (continuation == Continuation::Content).then(|| last.text());
    // The part of the reply that the generation prompt contains may already open reasoning.
    let begun = reply_start(&rendered.text, &generation_prompt, &format.turn.open);
    let is_open = ReplyParser::new(format.clone()).with_prompt_tail(begun).starts_in_reasoning();
    let reply = format.write_texts(is_open, &reasoning, content.as_deref());
    rendered.text.push_str(&reply);
    generation_prompt.push_str(&reply);
    rendered.opening = Some(generation_prompt);
    Ok(rendered)
}

/// Whether the template writes the reasoning of the last message. The text may contain the same
/// words elsewhere, so the reasoning is replaced by a mark that the text does not contain.
fn writes_reasoning(
    renderer: Renderer<'_>,
    request: &Request<'_>,
    continuation: Continuation,
    text: &str,
) -> bool {
    let mark = mark_absent_from(text);
    let mut request = request.clone();
    let last = request.messages.to_mut().last_mut();
    for part in last.into_iter().flat_map(|last| last.content.iter_mut()) {
        if let ContentPart::Reasoning(text) = part {
            text.clone_from(&mark);
        }
    }
    let marked = render(renderer, &request, continuation);
    marked
        .is_ok_and(|marked| marked.generation_prompt(renderer, request.options.now).contains(&mark))
}

/// The reasoning of a message.
fn reasoning_of(message: &Message) -> String {
    let parts = message.content.iter().filter_map(|part| match part {
        ContentPart::Reasoning(text) => Some(text.as_str()),
        _ => None,
    });
    parts.collect()
}
