//! Serde implementations of messages, tools, media and calls. The forms preserve all content; the
//! documentation of the parent module lists them.
//!
//! The forms have `parts` and `kind` where providers have `content` and `type`. A request body that
//! is assembled from stored messages by hand is therefore refused by the provider, and not misread.

use serde_core::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::convert::{
    expected, message_to_value, part_to_value, read_media, read_message, read_part, read_tool_call,
    read_tool_result,
};
use super::{
    ContentPart, Media, Message, ProviderPart, Strictness, ToolCall, ToolResult, ToolSpec,
    tools_from_openai,
};
use crate::value::internal::Failure;
use crate::value::{Map, Value};

/// The stored value of [`Strictness::WherePossible`].
const WHERE_POSSIBLE: &str = "wherePossible";

/// Implements serde for a type through functions that convert it to and from a value.
macro_rules! impl_serde {
    ($($type:ty: $store:expr, $restore:expr;)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let store: fn(&Self) -> Value = $store;
                store(self).serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let restore: fn(&Value) -> Result<Self, Failure> = $restore;
                let value = <Value as Deserialize>::deserialize(deserializer)?;
                restore(&value).map_err(de::Error::custom)
            }
        }
    )*};
}

impl_serde! {
    Message: |message| message_to_value(message, "parts"), read_message;
    ContentPart: part_to_value, |value| read_part(value, /* depth */ 0);
    Media: Media::to_value, read_media;
    ToolCall: |call| part_to_value(&ContentPart::ToolCall(call.clone())), read_tool_call;
    ToolResult: |result| part_to_value(&ContentPart::ToolResult(result.clone())), restore_result;
    ProviderPart: |part| part_to_value(&ContentPart::Provider(part.clone())), restore_provider_part;
    ToolSpec: store_tool, restore_tool;
}

fn restore_result(value: &Value) -> Result<ToolResult, Failure> {
    let map = value.as_object().ok_or_else(|| expected("a tool result", value))?;
    read_tool_result(map, /* depth */ 0)
}

fn restore_provider_part(value: &Value) -> Result<ProviderPart, Failure> {
    match read_part(value, /* depth */ 0)? {
        ContentPart::Provider(part) => Ok(part),
        _ => Err(expected("a provider part", value)),
    }
}

fn store_tool(spec: &ToolSpec) -> Value {
    let mut tool = Map::from([("kind", "function"), ("name", &spec.name)]);
    tool.insert_some("description", spec.description.as_deref());
    tool.insert("parameters", spec.parameters.clone());
    let strict = match spec.strict {
        Strictness::Off => None,
        Strictness::Never => Some(Value::from(false)),
        Strictness::WherePossible => Some(Value::from(WHERE_POSSIBLE)),
        Strictness::On => Some(Value::from(true)),
    };
    tool.insert_some("strict", strict);
    Value::Object(tool)
}

fn restore_tool(value: &Value) -> Result<ToolSpec, Failure> {
    let tools = tools_from_openai(&Value::from(vec![value.clone()]));
    let tools = tools.map_err(|error| Failure::new(error.to_string()))?;
    let mut tool = tools.into_iter().next().ok_or_else(|| expected("a tool", value))?;
    if value.get("strict").and_then(Value::as_str) == Some(WHERE_POSSIBLE) {
        tool.strict = Strictness::WherePossible;
    }
    Ok(tool)
}
