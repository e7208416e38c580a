//! Replies: the reply tests of the reference, and the turns that each template writes.

use prompty_chat::{ChatTurn, Continuation, PromptOptions};
use prompty_core::message::{ToolChoice, messages_from_openai, tools_from_openai};
use prompty_core::value::Value as PromptValue;
use prompty_reply::{CallsInReasoning, FinishReason, Reply, ReplyOptions};
use serde_json::Value;

use crate::chat_templates::{NOON, template};
use crate::frame::{Case, Outcome, Rule};
use crate::replies_of_others::untrue_call;

const OTHER_READING: Rule =
    Rule::named("the other interpretation of a call inside reasoning is an option");
const UNREAD_TURN: Rule = Rule::named("the reference does not read the turn back");
const NO_MARKUP: Rule = Rule::named("the template does not render the call's markup");

/// A reply that the tests of the reference require.
///
/// Texts are compared without white space at their ends, names and ids exactly, and arguments as
/// JSON values. Arguments that are not JSON count as empty.
pub(crate) fn reply(case: &Case<'_>) -> Outcome {
    if let Some(rule) = skip_rule(case) {
        return Outcome::Skipped(rule);
    }
    let expected = &case.json["expect"];
    let outcome = compare_turn(case, expected, CallsInReasoning::ByOpener, true);
    let other_readings = [CallsInReasoning::End, CallsInReasoning::Text];
    let passes = |reading| matches!(compare_turn(case, expected, reading, true), Outcome::Passed);
    match outcome {
        Outcome::Failed(_) if other_readings.into_iter().any(passes) => {
            Outcome::Skipped(OTHER_READING)
        }
        outcome => outcome,
    }
}

/// A turn that the template wrote. Turns that the reference does not read back are skipped.
pub(crate) fn roundtrip(case: &Case<'_>) -> Outcome {
    if case.json["verdict"] != "agree" {
        return Outcome::Skipped(UNREAD_TURN);
    }
    compare_turn(case, &case.json["actual"], CallsInReasoning::ByOpener, false)
}

/// Whether each call that is reported as complete is one of the turn that the template wrote.
pub(crate) fn calls_are_true(case: &Case<'_>) -> Outcome {
    let turn = match turn(case, CallsInReasoning::ByOpener) {
        Ok(turn) => turn,
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    let reply = turn.parser.parse(case.json["output"].as_str().unwrap());
    let meant = case.json["intent"]["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
    untrue_call(&reply, meant).map_or(Outcome::Passed, Outcome::Failed)
}

/// The rule by which a case is skipped before it is run.
fn skip_rule(case: &Case<'_>) -> Option<Rule> {
    let has_call = !case.json["expect"]["tool_calls"].as_array().is_none_or(Vec::is_empty);
    let format = template(case).format().ok()?.clone();
    if has_call && format.tools.is_none() {
        return Some(NO_MARKUP);
    }
    None
}

fn compare_turn(
    case: &Case<'_>,
    expected: &Value,
    reading: CallsInReasoning,
    with_ids: bool,
) -> Outcome {
    let turn = match turn(case, reading) {
        Ok(turn) => turn,
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    let output = case.json["output"].as_str().unwrap();
    let is_partial = case.json["is_partial"] == true;
    let reply = match is_partial {
        true => turn.parser.parse_partial(output),
        false => turn.parser.parse(output),
    };
    if let Some(cut) = differing_cut(&turn, output, is_partial, &reply) {
        return Outcome::Failed(format!("the result differs for the chunks {cut}"));
    }
    let (found, wanted) = (
        ReplyContent::from_reply(&reply, with_ids, is_partial),
        ReplyContent::from_expected(expected, with_ids),
    );
    if found == wanted {
        return Outcome::Passed;
    }
    Outcome::Failed(format!(
        "expected {wanted:?}, got {found:?}, malformed: {:?}",
        reply.malformed()
    ))
}

/// The prompt of the case, and the parser of its reply.
pub(crate) fn turn(
    case: &Case<'_>,
    reading: CallsInReasoning,
) -> Result<ChatTurn, prompty_core::Error> {
    let inputs = &case.json["inputs"];
    let value = |value: &Value| PromptValue::from_serialize(value).unwrap();
    let messages = messages_from_openai(&value(&inputs["messages"]))?;
    let tools = tools_from_openai(&value(&inputs["tools"]))?;
    let mut reply = ReplyOptions::default()
        .with_calls_in_reasoning(reading)
        .with_reasoning_in_content(inputs["reasoning_format"] == "none")
        .with_prepend_continued(inputs["continue_final_message"] != "none");
    if !inputs["json_schema"].is_null() {
        reply = reply.with_content_schema(value(&inputs["json_schema"]));
    }
    let mut options = PromptOptions::new()
        .with_thinking(inputs["enable_thinking"] == true)
        .with_tool_choice(match inputs["tool_choice"].as_str() {
            Some("required") => ToolChoice::Required,
            Some("none") => ToolChoice::None,
            _ => ToolChoice::Auto,
        })
        .with_reply(reply)
        .with_now(NOON);
    for (name, value) in inputs["chat_template_kwargs"].as_object().into_iter().flatten() {
        options = options.with_variable(name, PromptValue::from_serialize(value).unwrap());
    }
    options = match inputs["continue_final_message"].as_str() {
        Some("content") => options.with_continuation(Continuation::Content),
        Some("reasoning_content") => options.with_continuation(Continuation::Reasoning),
        _ => options.with_generation_prompt(inputs["add_generation_prompt"] == true),
    };
    let template = template(case);
    let mut turn = template.apply(&messages, &tools, &options)?;
    // Our prompt is the one of `transformers`. If the prompt of the reference differs, the reply
    // belongs to that prompt.
    let prompt = case.json["llama_cpp"]["prompt"].as_str().unwrap();
    if turn.prompt != prompt {
        turn.parser = template.parser_for_prompt(prompt, &tools, &options.reply)?;
    }
    Ok(turn)
}

/// The chunks of the output that change the result.
fn differing_cut(
    turn: &ChatTurn,
    output: &str,
    is_partial: bool,
    expected: &Reply,
) -> Option<String> {
    let read = |pieces: &mut dyn Iterator<Item = &str>| {
        let mut stream = turn.parser.stream();
        let mut reply = Reply::default();
        for piece in pieces {
            stream.push(piece).for_each(|event| reply.add(event));
        }
        if !is_partial {
            stream.finish(FinishReason::End).for_each(|event| reply.add(event));
        }
        reply
    };
    if read(&mut output.split("").filter(|piece| !piece.is_empty())) != *expected {
        return Some("characters".to_owned());
    }
    for (cut, _) in output.char_indices() {
        let (left, right) = output.split_at(cut);
        if read(&mut [left, right].into_iter()) != *expected {
            return Some(format!("{left:?} and {right:?}"));
        }
    }
    // A simple random generator gives the lengths of the chunks.
    let mut state = output.len() as u64;
    let mut rest = output;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let wanted = 1 + (state >> 33) as usize % 9;
        let end = rest.char_indices().nth(wanted).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    (read(&mut pieces.iter().copied()) != *expected).then(|| format!("{pieces:?}"))
}

/// The content of a reply, in the form that the reference compares.
#[derive(Debug, PartialEq)]
struct ReplyContent {
    reasoning: String,
    content: String,
    /// The name, the arguments as a value, and the id of each call.
    calls: Vec<(String, Value, String)>,
}

impl ReplyContent {
    fn from_reply(reply: &Reply, with_ids: bool, is_partial: bool) -> Self {
        let calls = reply.calls().iter().filter(|call| call.complete || is_partial);
        Self {
            reasoning: reply.reasoning().trim().to_owned(),
            content: reply.content().trim().to_owned(),
            calls: calls
                .map(|call| {
                    let id = if with_ids { call.id.clone() } else { String::new() };
                    (call.name.clone(), arguments(&call.arguments), id)
                })
                .collect(),
        }
    }

    fn from_expected(message: &Value, with_ids: bool) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        Self {
            reasoning: text(&message["reasoning_content"]).trim().to_owned(),
            content: text(&message["content"]).trim().to_owned(),
            calls: calls
                .map(|call| {
                    let id = if with_ids { text(&call["id"]) } else { String::new() };
                    (text(&call["name"]), arguments(&text(&call["arguments"])), id)
                })
                .collect(),
        }
    }
}

/// Parses arguments; `null` if they are not JSON.
fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}
