//! All data of a prompt, piece by piece: looked at, or replaced.

use std::borrow::Cow;

use super::ranges::{DataSource, MessageField};
use crate::chat::capabilities::Capabilities;
use crate::chat::engine;
use crate::chat::prompt::PromptOptions;
use prompty_core::message::{ContentPart, Message, Role, Tool, ToolCall, ToolChoice};
use prompty_core::value::{Map, Value};

/// What a prompt is asked for with.
#[derive(Debug, Clone)]
pub(in crate::chat) struct Asked<'a> {
    pub(in crate::chat) messages: Cow<'a, [Message]>,
    pub(in crate::chat) tools: Cow<'a, [Tool]>,
    pub(in crate::chat) options: Cow<'a, PromptOptions>,
}

/// How a piece of data is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// For what it says.
    Text,
    /// Pieces that say the same mean the same thing: names, keys, ids.
    Name,
}

/// What of a piece of data stays whatever white space a template strips: more than Rust calls so.
pub(super) fn core(text: &str) -> &str {
    engine::stripped(text)
}

/// Looks at each piece of data until one is found.
pub(super) fn any(
    asked: &Asked<'_>,
    can: &Capabilities,
    test: &mut dyn FnMut(&str) -> bool,
) -> bool {
    let mut messages = asked.messages.iter();
    messages.any(|message| in_message(message, can, test))
        || asked.tools.iter().any(|tool| in_tool(tool, test))
        || asked.options.documents.iter().any(|document| in_value(document, test))
        || asked.options.variables.values().any(|value| in_value(value, test))
        || matches!(&asked.options.tool_choice, ToolChoice::Tool(name) if test(name))
}

fn in_message(message: &Message, can: &Capabilities, test: &mut dyn FnMut(&str) -> bool) -> bool {
    if let Role::Other(role) = &message.role
        && test(role)
    {
        return true;
    }
    message.content.iter().any(|part| in_part(part, can, test))
        || message.metadata.iter().any(|(name, value)| test(name) || in_value(value, test))
}

fn in_part(part: &ContentPart, can: &Capabilities, test: &mut dyn FnMut(&str) -> bool) -> bool {
    match part {
        ContentPart::Text(text) | ContentPart::Reasoning(text) => test(text),
        ContentPart::Image(media) | ContentPart::File(media) | ContentPart::Audio(media) => {
            test(&media.value)
        }
        ContentPart::ToolCall(call) => {
            test(&call.id) || test(&call.name) || in_arguments(&call.arguments, can, test)
        }
        ContentPart::ToolResult(result) => {
            test(&result.call_id)
                || test(&result.name)
                || result.content.iter().any(|part| in_part(part, can, test))
        }
        // It is not known where the text of another kind of part stands.
        _ => true,
    }
}

/// The texts of JSON are what stands between its quotes, where nothing is escaped. What is no JSON is
/// a text as a whole.
fn in_arguments(arguments: &str, can: &Capabilities, test: &mut dyn FnMut(&str) -> bool) -> bool {
    if !can.object_arguments {
        return test(arguments);
    }
    if arguments.contains('\\') {
        return test(arguments)
            || Value::from_json(arguments).is_ok_and(|value| in_value(&value, test));
    }
    let is_map = |arguments: &str| matches!(Value::from_json(arguments), Ok(Value::Object(_)));
    arguments.split('"').skip(1).step_by(2).any(&mut *test)
        || (test(arguments) && !is_map(arguments))
}

fn in_tool(tool: &Tool, test: &mut dyn FnMut(&str) -> bool) -> bool {
    test(&tool.name)
        || tool.description.as_deref().is_some_and(&mut *test)
        || tool.parameters.iter().any(|(name, value)| test(name) || in_value(value, test))
}

fn in_value(value: &Value, test: &mut dyn FnMut(&str) -> bool) -> bool {
    match value {
        Value::String(text) => test(text),
        Value::Array(items) => items.iter().any(|item| in_value(item, test)),
        Value::Object(map) => map.iter().any(|(name, item)| test(name) || in_value(item, test)),
        _ => false,
    }
}

/// Another text in the place of one, or nothing where it stays.
pub(super) type Replace<'r> = dyn FnMut(&DataSource, Use, &str) -> Option<String> + 'r;

/// Replaces pieces of data.
pub(super) fn replaced(
    asked: &Asked<'_>,
    can: &Capabilities,
    replace: &mut Replace<'_>,
) -> Asked<'static> {
    let mut asked = Asked {
        messages: Cow::Owned(asked.messages.to_vec()),
        tools: Cow::Owned(asked.tools.to_vec()),
        options: Cow::Owned(asked.options.clone().into_owned()),
    };
    for (index, message) in asked.messages.to_mut().iter_mut().enumerate() {
        let of = |field| DataSource::Message { index, field };
        if let Role::Other(role) = &message.role
            && let Some(role) = replace(&of(MessageField::Role), Use::Name, role)
        {
            message.role = Role::Other(role.into());
        }
        for part in &mut *message.content {
            replace_part(part, index, MessageField::Content, can, replace);
        }
        message.metadata = replace_map(&message.metadata, &of(MessageField::Metadata), replace);
    }
    for (index, tool) in asked.tools.to_mut().iter_mut().enumerate() {
        let source = DataSource::Tool { index };
        set(&mut tool.name, &source, Use::Name, replace);
        if let Some(description) = &mut tool.description {
            set(description, &source, Use::Text, replace);
        }
        tool.parameters = replace_map(&tool.parameters, &source, replace);
    }
    let options = asked.options.to_mut();
    for (index, document) in options.documents.iter_mut().enumerate() {
        *document = replace_value(document, &DataSource::Document { index }, replace);
    }
    let of_variable = |(name, value): (&str, &Value)| {
        let source = DataSource::Variable { name: name.to_owned() };
        (name.to_owned(), replace_value(value, &source, replace))
    };
    options.variables = options.variables.iter().map(of_variable).collect();
    if let ToolChoice::Tool(name) = &mut options.tool_choice {
        set(name, &DataSource::ToolChoice, Use::Name, replace);
    }
    asked
}

fn set(text: &mut String, source: &DataSource, usage: Use, replace: &mut Replace<'_>) {
    if let Some(other) = replace(source, usage, text) {
        *text = other;
    }
}

fn replace_part(
    part: &mut ContentPart,
    index: usize,
    field: MessageField,
    can: &Capabilities,
    replace: &mut Replace<'_>,
) {
    let of = |field| DataSource::Message { index, field };
    match part {
        ContentPart::Text(text) => set(text, &of(field), Use::Text, replace),
        ContentPart::Reasoning(text) => {
            set(text, &of(MessageField::Reasoning), Use::Text, replace);
        }
        ContentPart::Image(media) | ContentPart::File(media) | ContentPart::Audio(media) => {
            set(&mut media.value, &of(field), Use::Text, replace);
        }
        ContentPart::ToolCall(call) => replace_call(call, &of, can, replace),
        ContentPart::ToolResult(result) => {
            set(&mut result.call_id, &of(MessageField::CallId), Use::Name, replace);
            set(&mut result.name, &of(MessageField::ToolName), Use::Name, replace);
            for part in &mut result.content {
                replace_part(part, index, MessageField::ToolResult, can, replace);
            }
        }
        _ => {}
    }
}

fn replace_call(
    call: &mut ToolCall,
    of: &dyn Fn(MessageField) -> DataSource,
    can: &Capabilities,
    replace: &mut Replace<'_>,
) {
    set(&mut call.id, &of(MessageField::CallId), Use::Name, replace);
    set(&mut call.name, &of(MessageField::ToolName), Use::Name, replace);
    let source = of(MessageField::Arguments);
    let value = Value::from_json(&call.arguments).ok().filter(|_| can.object_arguments);
    match value {
        Some(Value::Object(map)) => {
            let mut is_changed = false;
            let mut note = |source: &DataSource, usage: Use, text: &str| {
                let other = replace(source, usage, text);
                is_changed |= other.is_some();
                other
            };
            let map = replace_map(&map, &source, &mut note);
            if is_changed {
                call.arguments = Value::from(map).to_json();
            }
        }
        _ => set(&mut call.arguments, &source, Use::Text, replace),
    }
}

/// Replaces in what a map holds, and its names.
fn replace_map(map: &Map, source: &DataSource, replace: &mut Replace<'_>) -> Map {
    let of_entry = |(name, value): (&str, &Value)| {
        let value = replace_value(value, source, replace);
        (replace(source, Use::Name, name).unwrap_or_else(|| name.to_owned()), value)
    };
    map.iter().map(of_entry).collect()
}

fn replace_value(value: &Value, source: &DataSource, replace: &mut Replace<'_>) -> Value {
    match value {
        Value::String(text) => {
            // The words of a schema name something; what has blanks says something.
            let names = matches!(source, DataSource::Tool { .. });
            let is_name = names && !text.contains(char::is_whitespace);
            let usage = if is_name { Use::Name } else { Use::Text };
            replace(source, usage, text).map_or_else(|| value.clone(), Value::from)
        }
        Value::Array(items) => {
            items.iter().map(|item| replace_value(item, source, replace)).collect()
        }
        Value::Object(map) => replace_map(map, source, replace).into(),
        other => other.clone(),
    }
}
