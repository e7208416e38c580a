//! Visits all data of a request: messages, tools and options. There are two walks over it:
//! [`any_text`] tests each text, and [`replace_texts`] makes a copy with other texts.

use std::borrow::Cow;

use super::prompt_text::{DataSource, MessageField};
use crate::capabilities::Capabilities;
use crate::request::Request;
use prompty_core::message::{ContentPart, Message, Role, ToolCall, ToolChoice, ToolSpec};
use prompty_core::value::{Map, Value};
use prompty_template::jinja::is_python_space;

/// How a template may use a piece of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Usage {
    /// The piece is an independent text. Equal texts may get different replacements.
    Text,
    /// The piece is a name, key or id. Equal names must stay equal, because they mean the same
    /// thing.
    Name,
}

/// A piece of data without the white space that Python strips, which is more than in Rust.
pub(super) fn stripped(text: &str) -> &str {
    text.trim_matches(is_python_space)
}

/// Whether any text in the data passes a test.
///
/// The answer may be `true` although no text passes, but `false` is certain. After `false`, the
/// audit does not search the prompt for data with markup.
pub(super) fn any_text(
    request: &Request<'_>,
    capabilities: &Capabilities,
    test: &mut dyn FnMut(&str) -> bool,
) -> bool {
    let options = &request.options;
    request.messages.iter().any(|message| any_in_message(message, capabilities, test))
        || request.tools.iter().any(|tool| any_in_tool(tool, test))
        || options.documents.iter().any(|document| any_in_value(document, test))
        || options.variables.values().any(|value| any_in_value(value, test))
        || matches!(&options.tool_choice, ToolChoice::Tool(name) if test(name))
}

fn any_in_message(
    message: &Message,
    capabilities: &Capabilities,
    test: &mut dyn FnMut(&str) -> bool,
) -> bool {
    if let Role::Other(role) = &message.role
        && test(role)
    {
        return true;
    }
    message.content.iter().any(|part| any_in_part(part, capabilities, test))
        || message.metadata.iter().any(|(name, value)| test(name) || any_in_value(value, test))
}

fn any_in_part(
    part: &ContentPart,
    capabilities: &Capabilities,
    test: &mut dyn FnMut(&str) -> bool,
) -> bool {
    if let Some(media) = part.as_media() {
        return test(&media.value);
    }
    match part {
        ContentPart::Text(text) | ContentPart::Reasoning(text) => test(text),
        ContentPart::ToolCall(call) => {
            test(&call.id)
                || test(&call.name)
                || any_in_arguments(&call.arguments, capabilities, test)
        }
        ContentPart::ToolResult(result) => {
            test(&result.call_id)
                || test(&result.name)
                || result.content.iter().any(|part| any_in_part(part, capabilities, test))
        }
        // It is not known which fields of another part contain text. So the part is suspect.
        _ => true,
    }
}

/// Tests the strings in arguments. Arguments that are not a JSON object are one string.
fn any_in_arguments(
    arguments: &str,
    capabilities: &Capabilities,
    test: &mut dyn FnMut(&str) -> bool,
) -> bool {
    // Such a template gets the arguments as one string, and others get an object.
    if !capabilities.object_arguments {
        return test(arguments);
    }
    // With escapes, only parsing shows the strings.
    if arguments.contains('\\') {
        return test(arguments)
            || Value::from_json(arguments).is_ok_and(|value| any_in_value(&value, test));
    }
    let is_map = |arguments: &str| matches!(Value::from_json(arguments), Ok(Value::Object(_)));
    strings_without_escapes(arguments).any(&mut *test) || (test(arguments) && !is_map(arguments))
}

/// The strings in JSON without escapes, which are the texts between quotation marks:
/// `{"to": "Bo"}` has `to` and `Bo`. This is faster than parsing.
fn strings_without_escapes(json: &str) -> impl Iterator<Item = &str> {
    json.split('"').skip(1).step_by(2)
}

fn any_in_tool(tool: &ToolSpec, test: &mut dyn FnMut(&str) -> bool) -> bool {
    test(&tool.name)
        || tool.description.as_deref().is_some_and(&mut *test)
        || tool.parameters.iter().any(|(name, value)| test(name) || any_in_value(value, test))
}

fn any_in_value(value: &Value, test: &mut dyn FnMut(&str) -> bool) -> bool {
    match value {
        Value::String(text) => test(text),
        Value::Array(items) => items.iter().any(|item| any_in_value(item, test)),
        Value::Object(map) => map.iter().any(|(name, item)| test(name) || any_in_value(item, test)),
        _ => false,
    }
}

/// Returns the replacement of a text, or `None` to keep it.
pub(super) type ReplaceText<'r> = dyn FnMut(&DataSource, Usage, &str) -> Option<String> + 'r;

/// A copy of the request with texts of its data replaced.
pub(super) fn replace_texts(
    request: &Request<'_>,
    capabilities: &Capabilities,
    replace: &mut ReplaceText<'_>,
) -> Request<'static> {
    let mut request = Request {
        messages: Cow::Owned(request.messages.to_vec()),
        tools: Cow::Owned(request.tools.to_vec()),
        options: Cow::Owned(request.options.clone().into_owned()),
    };
    for (index, message) in request.messages.to_mut().iter_mut().enumerate() {
        let source = |field| DataSource::Message { index, field };
        if let Role::Other(role) = &message.role
            && let Some(role) = replace(&source(MessageField::Role), Usage::Name, role)
        {
            message.role = Role::Other(role.into());
        }
        for part in &mut *message.content {
            replace_part(part, index, MessageField::Content, capabilities, replace);
        }
        message.metadata = replace_map(&message.metadata, &source(MessageField::Metadata), replace);
    }
    for (index, tool) in request.tools.to_mut().iter_mut().enumerate() {
        let source = DataSource::Tool { index };
        update(&mut tool.name, &source, Usage::Name, replace);
        if let Some(description) = &mut tool.description {
            update(description, &source, Usage::Text, replace);
        }
        tool.parameters = replace_map(&tool.parameters, &source, replace);
    }
    let options = request.options.to_mut();
    for (index, document) in options.documents.iter_mut().enumerate() {
        *document = replace_value(document, &DataSource::Document { index }, replace);
    }
    let replace_variable = |(name, value): (&str, &Value)| {
        let source = DataSource::Variable { name: name.to_owned() };
        (name.to_owned(), replace_value(value, &source, replace))
    };
    options.variables = options.variables.iter().map(replace_variable).collect();
    if let ToolChoice::Tool(name) = &mut options.tool_choice {
        update(name, &DataSource::ToolChoice, Usage::Name, replace);
    }
    request
}

fn update(text: &mut String, source: &DataSource, usage: Usage, replace: &mut ReplaceText<'_>) {
    if let Some(other) = replace(source, usage, text) {
        *text = other;
    }
}

fn replace_part(
    part: &mut ContentPart,
    index: usize,
    field: MessageField,
    capabilities: &Capabilities,
    replace: &mut ReplaceText<'_>,
) {
    let source = |field| DataSource::Message { index, field };
    if let Some(media) = part.as_media_mut() {
        return update(&mut media.value, &source(field), Usage::Text, replace);
    }
    match part {
        ContentPart::Text(text) => update(text, &source(field), Usage::Text, replace),
        ContentPart::Reasoning(text) => {
            update(text, &source(MessageField::Reasoning), Usage::Text, replace);
        }
        ContentPart::ToolCall(call) => replace_call(call, index, capabilities, replace),
        ContentPart::ToolResult(result) => {
            update(&mut result.call_id, &source(MessageField::CallId), Usage::Name, replace);
            update(&mut result.name, &source(MessageField::ToolName), Usage::Name, replace);
            for part in &mut result.content {
                replace_part(part, index, MessageField::ToolResult, capabilities, replace);
            }
        }
        // Its fields are not known, so it stays. `any_in_part` reports it as suspect.
        _ => {}
    }
}

fn replace_call(
    call: &mut ToolCall,
    index: usize,
    capabilities: &Capabilities,
    replace: &mut ReplaceText<'_>,
) {
    let source = |field| DataSource::Message { index, field };
    update(&mut call.id, &source(MessageField::CallId), Usage::Name, replace);
    update(&mut call.name, &source(MessageField::ToolName), Usage::Name, replace);
    let source = source(MessageField::Arguments);
    let value = Value::from_json(&call.arguments).ok().filter(|_| capabilities.object_arguments);
    match value {
        Some(Value::Object(map)) => {
            let mut is_changed = false;
            let mut replace_and_note = |source: &DataSource, usage: Usage, text: &str| {
                let other = replace(source, usage, text);
                is_changed |= other.is_some();
                other
            };
            let map = replace_map(&map, &source, &mut replace_and_note);
            if is_changed {
                call.arguments = Value::from(map).to_json();
            }
        }
        _ => update(&mut call.arguments, &source, Usage::Text, replace),
    }
}

/// A copy of the map with its keys and the strings in its values replaced.
fn replace_map(map: &Map, source: &DataSource, replace: &mut ReplaceText<'_>) -> Map {
    let replace_entry = |(name, value): (&str, &Value)| {
        let value = replace_value(value, source, replace);
        (replace(source, Usage::Name, name).unwrap_or_else(|| name.to_owned()), value)
    };
    map.iter().map(replace_entry).collect()
}

fn replace_value(value: &Value, source: &DataSource, replace: &mut ReplaceText<'_>) -> Value {
    match value {
        Value::String(text) => {
            // In a schema, a single word is a name; a text with white space is a sentence.
            let is_schema = matches!(source, DataSource::Tool { .. });
            let is_name = is_schema && !text.contains(char::is_whitespace);
            let usage = if is_name { Usage::Name } else { Usage::Text };
            replace(source, usage, text).map_or_else(|| value.clone(), Value::from)
        }
        Value::Array(items) => {
            items.iter().map(|item| replace_value(item, source, replace)).collect()
        }
        Value::Object(map) => replace_map(map, source, replace).into(),
        other => other.clone(),
    }
}
