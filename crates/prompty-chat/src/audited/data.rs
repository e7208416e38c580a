//! A walk over all data of a request, which tests or replaces each text.

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
    /// The piece is a text on its own.
    Text,
    /// The piece names something: equal names, keys or ids mean the same thing.
    Name,
}

/// A piece of data without the white space that a template may strip, which is more than what Rust
/// calls white space.
pub(super) fn stripped(text: &str) -> &str {
    text.trim_matches(is_python_space)
}

/// Whether any text in the data passes a test.
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
        // Where another kind of part has its text is not known.
        _ => true,
    }
}

/// In JSON without escapes, the texts are what stands between quotes. Arguments that are not JSON are
/// one text.
fn any_in_arguments(
    arguments: &str,
    capabilities: &Capabilities,
    test: &mut dyn FnMut(&str) -> bool,
) -> bool {
    if !capabilities.object_arguments {
        return test(arguments);
    }
    if arguments.contains('\\') {
        return test(arguments)
            || Value::from_json(arguments).is_ok_and(|value| any_in_value(&value, test));
    }
    let is_map = |arguments: &str| matches!(Value::from_json(arguments), Ok(Value::Object(_)));
    arguments.split('"').skip(1).step_by(2).any(&mut *test)
        || (test(arguments) && !is_map(arguments))
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

/// Gives the replacement of a text; `None` where the text stays.
pub(super) type Replace<'r> = dyn FnMut(&DataSource, Usage, &str) -> Option<String> + 'r;

/// The request with texts of its data replaced.
pub(super) fn replace_texts(
    request: &Request<'_>,
    capabilities: &Capabilities,
    replace: &mut Replace<'_>,
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
        set(&mut tool.name, &source, Usage::Name, replace);
        if let Some(description) = &mut tool.description {
            set(description, &source, Usage::Text, replace);
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
        set(name, &DataSource::ToolChoice, Usage::Name, replace);
    }
    request
}

fn set(text: &mut String, source: &DataSource, usage: Usage, replace: &mut Replace<'_>) {
    if let Some(other) = replace(source, usage, text) {
        *text = other;
    }
}

fn replace_part(
    part: &mut ContentPart,
    index: usize,
    field: MessageField,
    capabilities: &Capabilities,
    replace: &mut Replace<'_>,
) {
    let source = |field| DataSource::Message { index, field };
    if let Some(media) = part.as_media_mut() {
        return set(&mut media.value, &source(field), Usage::Text, replace);
    }
    match part {
        ContentPart::Text(text) => set(text, &source(field), Usage::Text, replace),
        ContentPart::Reasoning(text) => {
            set(text, &source(MessageField::Reasoning), Usage::Text, replace);
        }
        ContentPart::ToolCall(call) => replace_call(call, index, capabilities, replace),
        ContentPart::ToolResult(result) => {
            set(&mut result.call_id, &source(MessageField::CallId), Usage::Name, replace);
            set(&mut result.name, &source(MessageField::ToolName), Usage::Name, replace);
            for part in &mut result.content {
                replace_part(part, index, MessageField::ToolResult, capabilities, replace);
            }
        }
        _ => {}
    }
}

fn replace_call(
    call: &mut ToolCall,
    index: usize,
    capabilities: &Capabilities,
    replace: &mut Replace<'_>,
) {
    let source = |field| DataSource::Message { index, field };
    set(&mut call.id, &source(MessageField::CallId), Usage::Name, replace);
    set(&mut call.name, &source(MessageField::ToolName), Usage::Name, replace);
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
        _ => set(&mut call.arguments, &source, Usage::Text, replace),
    }
}

/// The map with its names and the texts of its values replaced.
fn replace_map(map: &Map, source: &DataSource, replace: &mut Replace<'_>) -> Map {
    let replace_entry = |(name, value): (&str, &Value)| {
        let value = replace_value(value, source, replace);
        (replace(source, Usage::Name, name).unwrap_or_else(|| name.to_owned()), value)
    };
    map.iter().map(replace_entry).collect()
}

fn replace_value(value: &Value, source: &DataSource, replace: &mut Replace<'_>) -> Value {
    match value {
        Value::String(text) => {
            // In a schema, a single word names something; a text with white space is a sentence.
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
