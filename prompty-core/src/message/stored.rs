//! Messages, tools, media and calls through serde: forms of their own, which keep all that they hold. No
//! provider takes them; the front page of this room lists them.

use serde_core::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::convert::{
    expected, part_to_value, parts_to_value, read_media, read_message, read_part, read_tool_call,
    read_tool_result,
};
use super::{
    ContentPart, Media, Message, ProviderPart, Strictness, ToolCall, ToolResult, ToolSpec,
    tools_from_openai,
};
use crate::value::internal::Failure;
use crate::value::{Map, Value};

/// How the strictness of tools of Rust types is stored.
const WHERE_POSSIBLE: &str = "wherePossible";

/// A type that is stored as a value.
trait Stored: Sized {
    fn store(&self) -> Value;

    fn restore(value: &Value) -> Result<Self, Failure>;
}

impl Stored for Message {
    fn store(&self) -> Value {
        let mut message = Map::from([("role", Value::from(self.role.as_str()))]);
        message.insert("parts", parts_to_value(&self.content));
        if !self.metadata.is_empty() {
            message.insert("metadata", self.metadata.clone());
        }
        Value::Object(message)
    }

    fn restore(value: &Value) -> Result<Self, Failure> {
        read_message(value)
    }
}

impl Stored for ContentPart {
    fn store(&self) -> Value {
        part_to_value(self)
    }

    fn restore(value: &Value) -> Result<Self, Failure> {
        read_part(value, 0)
    }
}

impl Stored for Media {
    fn store(&self) -> Value {
        self.to_value()
    }

    fn restore(value: &Value) -> Result<Self, Failure> {
        read_media(value)
    }
}

impl Stored for ToolCall {
    fn store(&self) -> Value {
        part_to_value(&ContentPart::ToolCall(self.clone()))
    }

    fn restore(value: &Value) -> Result<Self, Failure> {
        read_tool_call(value)
    }
}

impl Stored for ToolResult {
    fn store(&self) -> Value {
        part_to_value(&ContentPart::ToolResult(self.clone()))
    }

    fn restore(value: &Value) -> Result<Self, Failure> {
        let map = value.as_object().ok_or_else(|| expected("a result of a tool", value))?;
        read_tool_result(map, 0)
    }
}

impl Stored for ProviderPart {
    fn store(&self) -> Value {
        part_to_value(&ContentPart::Provider(self.clone()))
    }

    fn restore(value: &Value) -> Result<Self, Failure> {
        match read_part(value, 0)? {
            ContentPart::Provider(part) => Ok(part),
            _ => Err(expected("a part of a provider", value)),
        }
    }
}

impl Stored for ToolSpec {
    fn store(&self) -> Value {
        let mut tool = Map::from([("kind", "function"), ("name", &self.name)]);
        if let Some(description) = &self.description {
            tool.insert("description", description.as_str());
        }
        tool.insert("parameters", self.parameters.clone());
        match self.strict {
            Strictness::Off => {}
            Strictness::Never => {
                tool.insert("strict", false);
            }
            Strictness::WherePossible => {
                tool.insert("strict", WHERE_POSSIBLE);
            }
            Strictness::On => {
                tool.insert("strict", true);
            }
        }
        Value::Object(tool)
    }

    fn restore(value: &Value) -> Result<Self, Failure> {
        let tools = tools_from_openai(&Value::from(vec![value.clone()]));
        let tools = tools.map_err(|error| Failure::new(error.to_string()))?;
        let mut tool = tools.into_iter().next().ok_or_else(|| expected("a tool", value))?;
        if value.get("strict").and_then(Value::as_str) == Some(WHERE_POSSIBLE) {
            tool.strict = Strictness::WherePossible;
        }
        Ok(tool)
    }
}

macro_rules! through_values {
    ($($type:ty)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.store().serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = <Value as Deserialize>::deserialize(deserializer)?;
                Self::restore(&value).map_err(de::Error::custom)
            }
        }
    )*};
}

through_values!(Message ContentPart Media ToolCall ToolResult ProviderPart ToolSpec);
