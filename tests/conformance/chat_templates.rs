//! Chat templates: their output, their prompts and capabilities, and the cases of the engine.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;

use prompty_chat::{ChatTemplate, Continuation, PromptOptions};
use prompty_core::message::{messages_from_openai, tools_from_openai};
use prompty_core::value::Map;
use prompty_core::{Error, ErrorKind};
use serde_json::Value;

use crate::frame::{Case, Outcome, Rule};

const REMOVED_CHECK: Rule =
    Rule::named("the reference removes the template's check that rejects this");
const PROBE: Rule = Rule::named("a probe of the reference is not a conversation");
const OTHER_START: Rule = Rule::named("the reference finds another start of the generation prompt");
const REFERENCES_DIFFER: Rule = Rule::named("the references differ");
const JINJA2_FAILS: Rule = Rule::named("Jinja2 fails where the reference continues");
const DEDICATED_HANDLER: Rule =
    Rule::named("a dedicated handler of the reference rewrites the conversation");
const CONTINUED_TEXT: Rule =
    Rule::named("the reference appends a continued text, and `transformers` cuts the prompt");
const UNDETECTED_PARTS: Rule =
    Rule::named("the template writes content parts that the reference does not detect");

/// The time of all cases: noon on 15 January 2025.
pub(crate) const NOON: i64 = 1_736_942_400;

thread_local! {
    /// The compiled templates, by file.
    static TEMPLATES: RefCell<HashMap<PathBuf, ChatTemplate>> = RefCell::new(HashMap::new());
}

/// A template of the reference's folder, compiled once.
pub(crate) fn template(case: &Case<'_>) -> ChatTemplate {
    let file = case.folder.join("templates").join(case.json["template"].as_str().unwrap());
    TEMPLATES.with_borrow_mut(|templates| {
        let read = || {
            let text = std::fs::read_to_string(&file).unwrap();
            ChatTemplate::from_text(&text)
                .unwrap_or_else(|error| panic!("{}: {error:?}", file.display()))
        };
        templates.entry(file.clone()).or_insert_with(read).clone()
    })
}

/// Renders a template with its variables unchanged.
///
/// If an error is expected, any error passes. If Python fails or writes a different text, the
/// result of either reference passes.
pub(crate) fn render(case: &Case<'_>) -> Outcome {
    let mut variables: Map = serde_json::from_value(case.json["jinja_context"].clone()).unwrap();
    // The reference sets these variables in addition to those of the case.
    if let Some(keeps) =
        variables.get("preserve_reasoning").and_then(prompty_core::value::Value::as_bool)
    {
        variables.insert("preserve_thinking", keeps);
        for name in ["clear_thinking", "truncate_history_thinking", "drop_thinking"] {
            variables.insert(name, !keeps);
        }
    }
    if let Some(effort) = variables.get("reasoning_effort").cloned() {
        variables.insert("reasoning_strength", effort);
    }
    let written = template(case).render(&variables, Some(NOON));
    let python = case.json["python_jinja2"].as_str().unwrap_or_default();
    let either = |reference: &Value, found: &Result<String, Error>| match (reference, found) {
        (Value::String(expected), Ok(found)) => expected == found,
        (Value::Null, Err(_)) => true,
        _ => false,
    };
    if either(&case.json["jinja_output"], &written) {
        return Outcome::Passed;
    }
    let passes = match python {
        "error" => written.is_err(),
        "different" => either(&case.json["python_output"], &written),
        _ => false,
    };
    if passes {
        return Outcome::Passed;
    }
    let expected = case.json["jinja_output"].as_str();
    if let (Err(error), Some(_)) = (&written, expected)
        && is_own_check(template(case).text(), error)
    {
        return Outcome::Skipped(REMOVED_CHECK);
    }
    match (&written, expected) {
        (Ok(found), Some(expected)) => Outcome::Failed(difference(found, expected)),
        (found, _) => {
            let error = &case.json["error"];
            Outcome::Failed(format!("expected {expected:?} or error {error}, got {found:?}"))
        }
    }
}

/// Whether a render stopped at a line where the template raises an error, or at the condition
/// before that line.
fn is_own_check(text: &str, error: &Error) -> bool {
    let line = error.place().map_or(0, |place| place.line);
    text.lines().skip(line.saturating_sub(1)).take(2).any(|line| line.contains("raise_exception"))
}

/// Makes a prompt from a conversation.
pub(crate) fn prompt(case: &Case<'_>) -> Outcome {
    let Some(inputs) = case.json.get("inputs") else {
        return Outcome::Skipped(PROBE);
    };
    let value = |name: &str| -> prompty_core::value::Value {
        serde_json::from_value(inputs[name].clone()).unwrap()
    };
    let messages = messages_from_openai(&value("messages")).unwrap();
    let tools = tools_from_openai(&value("tools")).unwrap();
    let mut options = PromptOptions::new().with_now(NOON);
    options.add_generation_prompt = inputs["add_generation_prompt"].as_bool().unwrap_or(true);
    // The reference sets these variables for every template.
    options = options
        .with_variable("enable_thinking", inputs["enable_thinking"].as_bool().unwrap_or(true))
        .with_variable("datetime", "Jan 15 2025")
        .with_variable("date_string", "15 Jan 2025");
    let more: Map = serde_json::from_value(inputs["chat_template_kwargs"].clone()).unwrap();
    for (name, value) in more.iter() {
        options = options.with_variable(name, value.clone());
    }
    options = match inputs["continue_final_message"].as_str() {
        Some("content") => options.with_continuation(Continuation::Content),
        Some("reasoning_content") => options.with_continuation(Continuation::Reasoning),
        _ => options,
    };
    let found = template(case).prompt(&messages, &tools, &options);
    let reference = case.json.get("llama_cpp").unwrap_or(case.json);
    let python = case.json["python_jinja2"].as_str().unwrap_or("same");
    let text = reference.get("prompt").or(case.json.get("jinja_output")).and_then(Value::as_str);
    let is_continued = options.continuation.is_some();
    match (found, text) {
        (Err(_), None) => Outcome::Passed,
        (Ok(found), Some(text)) if found.text == text => {
            let expected = reference["generation_prompt"].as_str().unwrap_or_default();
            match &*found.generation_prompt {
                opened if !options.add_generation_prompt || opened == expected => Outcome::Passed,
                opened if expected.is_empty() || expected.ends_with(opened) => {
                    Outcome::Skipped(OTHER_START)
                }
                opened => Outcome::Failed(format!(
                    "generation prompt: expected {expected:?}, got {opened:?}"
                )),
            }
        }
        (Ok(found), _)
            if [true, false].into_iter().any(|adapted| {
                render_unadapted(case, inputs, adapted).is_ok_and(|text| text == found.text)
            }) =>
        {
            Outcome::Passed
        }
        (_, _) if python != "same" => Outcome::Skipped(REFERENCES_DIFFER),
        (Err(_), _) if render_unadapted(case, inputs, false).is_err() => {
            Outcome::Skipped(JINJA2_FAILS)
        }
        (_, _) if reference["handler"].as_str().is_some_and(|it| it != "autoparser") => {
            Outcome::Skipped(DEDICATED_HANDLER)
        }
        (_, _) if is_continued => Outcome::Skipped(CONTINUED_TEXT),
        (Ok(found), Some(text)) => Outcome::Failed(difference(&found.text, text)),
        (found, expected) => Outcome::Failed(format!("expected {expected:?}, got {found:?}")),
    }
}

/// The result of `transformers`, which does not adapt messages. The messages are those of the
/// request, or those that the reference adapted.
fn render_unadapted(case: &Case<'_>, inputs: &Value, adapted: bool) -> Result<String, Error> {
    let context = case.json["jinja_context"].clone();
    let mut variables: Map = serde_json::from_value(context).unwrap_or_default();
    if !adapted {
        let messages: prompty_core::value::Value =
            serde_json::from_value(inputs["messages"].clone()).unwrap();
        variables.insert("messages", messages);
    }
    let adds = inputs["add_generation_prompt"].as_bool().unwrap_or(true);
    variables.insert("add_generation_prompt", adds);
    template(case).render(&variables, Some(NOON))
}

/// The capabilities of a template.
pub(crate) fn capabilities(case: &Case<'_>) -> Outcome {
    let template = template(case);
    let can = template.capabilities();
    let found = [
        ("supports_string_content", can.string_content),
        ("supports_system_role", can.system_role),
        ("supports_tools", can.tools),
        ("supports_tool_calls", can.tool_calls),
        ("supports_object_arguments", can.object_arguments),
        ("supports_parallel_tool_calls", can.parallel_calls),
        ("supports_typed_content", can.parts_content),
    ];
    let caps = &case.json["caps"];
    let wrong = found.iter().find(|(name, found)| caps[*name] != *found);
    match wrong {
        None => Outcome::Passed,
        Some(("supports_typed_content", true)) => Outcome::Skipped(UNDETECTED_PARTS),
        Some((name, found)) => Outcome::Failed(format!("`{name}` is {}, not {found}", caps[*name])),
    }
}

/// Renders a template of the engine's cases.
pub(crate) fn jinja(case: &Case<'_>) -> Outcome {
    let text = case.json["template_source"].as_str().unwrap();
    let variables: Map = serde_json::from_value(case.json["context"].clone()).unwrap();
    let written = ChatTemplate::from_text(text).and_then(|it| it.render(&variables, Some(NOON)));
    match (written, &case.json["expect"]) {
        (Ok(found), Value::String(expected)) if found == *expected => Outcome::Passed,
        (Err(error), Value::Null) if error.kind() != ErrorKind::Limit => Outcome::Passed,
        (found, expected) => Outcome::Failed(format!("expected {expected}, got {found:?}")),
    }
}

/// The first difference between two texts.
pub(crate) fn difference(found: &str, expected: &str) -> String {
    let same = found.chars().zip(expected.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(30);
    let part = |text: &str| text.chars().skip(from).take(90).collect::<String>();
    format!("at {same}: expected {:?}, got {:?}", part(expected), part(found))
}
