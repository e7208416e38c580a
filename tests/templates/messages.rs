//! Messages of the assistant, and the tools that they call.

use serde_json::{Map, Value, json};
use typed_prompty::message::{ContentPart, Message, Role, ToolCall, ToolSpec};
use typed_prompty::value::Value as PromptValue;

use super::markers::Markers;

/// A message, and its calls.
#[derive(Debug, Clone)]
pub(crate) struct AssistantMessage {
    pub(crate) reasoning: Option<String>,
    pub(crate) content: Option<String>,
    pub(crate) calls: Vec<MessageCall>,
}

/// A call of a tool.
#[derive(Debug, Clone)]
pub(crate) struct MessageCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

/// Messages of every shape: with and without reasoning, content and calls.
pub(crate) fn samples(markers: &Markers) -> Vec<AssistantMessage> {
    let call = |index: usize| {
        let name = ["weather", "search"][index].to_owned();
        let id = markers.id(&name, index);
        let arguments = json!({"city": "Bonn", "days": 2, "exact": true, "tags": ["sun", "rain"]});
        MessageCall { id, name, arguments }
    };
    let mut samples = Vec::new();
    for reasoning in [None, Some("They ask for Bonn.\nThat is 53111.")] {
        for content in [None, Some("One moment.")] {
            for calls in 0..3 {
                if content.is_some() || calls > 0 {
                    samples.push(AssistantMessage {
                        reasoning: reasoning.map(str::to_owned),
                        content: content.map(str::to_owned),
                        calls: (0..calls).map(call).collect(),
                    });
                }
            }
        }
    }
    samples
}

impl AssistantMessage {
    /// The message in the form that templates get.
    pub(crate) fn to_message(&self) -> Message {
        let call = |call: &MessageCall| {
            ToolCall::new(call.id.clone(), call.name.clone(), call.arguments.to_string())
        };
        let reasoning = self.reasoning.clone().map(ContentPart::Reasoning);
        let content = self.content.clone().map(ContentPart::Text);
        let calls = self.calls.iter().map(call).map(ContentPart::ToolCall);
        let parts: Vec<_> = reasoning.into_iter().chain(content).chain(calls).collect();
        Message::new(Role::Assistant, parts)
    }

    /// The tools that the message calls, and one more.
    pub(crate) fn tools(&self) -> Vec<ToolSpec> {
        let other = MessageCall {
            id: String::new(),
            name: "other".to_owned(),
            arguments: json!({"it": ""}),
        };
        let tools = self.calls.iter().chain([&other]);
        tools.map(MessageCall::tool).collect()
    }
}

impl MessageCall {
    /// A tool with a schema for the call.
    fn tool(&self) -> ToolSpec {
        let schema = PromptValue::from_serialize(&schema(&self.arguments)).unwrap();
        ToolSpec::new(&*self.name, schema.as_object().unwrap().clone()).with_description("Does it.")
    }
}

/// A schema for a value.
pub(crate) fn schema(value: &Value) -> Value {
    match value {
        Value::Null => json!({"type": "null"}),
        Value::Bool(_) => json!({"type": "boolean"}),
        Value::Number(it) if it.is_f64() => json!({"type": "number"}),
        Value::Number(_) => json!({"type": "integer"}),
        Value::String(_) => json!({"type": "string"}),
        Value::Array(items) => {
            let mut kinds: Vec<Value> = Vec::new();
            for kind in items.iter().map(schema) {
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            match kinds.as_slice() {
                [] => json!({"type": "array", "items": {"type": "string"}}),
                [one] => json!({"type": "array", "items": one}),
                _ => json!({"type": "array", "items": {"anyOf": kinds}}),
            }
        }
        Value::Object(entries) => {
            let kinds = entries.iter().map(|(key, it)| (key.clone(), schema(it)));
            json!({"type": "object", "properties": kinds.collect::<Map<_, _>>()})
        }
    }
}
