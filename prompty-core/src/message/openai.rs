//! Reads and writes messages and tools in OpenAI's form, which chat APIs and chat templates share.
//!
//! The module `call_form` reads and writes tool calls. The module `convert` reads messages and
//! parts; [`messages_from_openai`] and [`part_from_openai`] are its public names. [`FlatMessage`]
//! divides a message as chat APIs do.

use super::convert::{expected, read_part_map};
use super::{
    ContentPart, Message, ProviderPart, Role, Strictness, ToolCall, ToolChoice, ToolResult,
    ToolSpec, thread_from_value,
};
use crate::error::{Error, ErrorKind};
use crate::value::internal::Failure;
use crate::value::{Map, Value};

/// Reads messages in the form of chat APIs, or in any other that [`Message::from_value`] accepts.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::message::{Message, messages_from_openai};
/// use typed_prompty::value::Value;
///
/// let value = Value::from_json(r#"[{"role": "user", "content": "Hi"}]"#)?;
/// assert_eq!(messages_from_openai(&value)?, [Message::user("Hi")]);
/// # Ok::<(), prompty_core::Error>(())
/// ```
///
/// # Errors
///
/// Returns [`ErrorKind::WrongInput`] if the value has another form. The error has the position in
/// the value, the expected form and the actual kind.
pub fn messages_from_openai(value: &Value) -> Result<Vec<Message>, Error> {
    thread_from_value(value)
}

/// Writes tools in the form of chat APIs:
/// `{type: "function", function: {name, description?, parameters}}`. [`ToolSpec::strict`] is not
/// written.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::message::{ToolSpec, tools_from_openai, tools_to_openai};
/// use typed_prompty::value::Map;
///
/// let tools = [ToolSpec::new("now", Map::new()).with_description("The time.")];
/// let value = tools_to_openai(&tools);
/// assert_eq!(
///     value.to_json(),
///     r#"[{"type": "function", "function": {"name": "now", "description": "The time.", "parameters": {"type": "object", "properties": {}}}}]"#
/// );
/// assert_eq!(tools_from_openai(&value)?[0].name, "now");
/// # Ok::<(), prompty_core::Error>(())
/// ```
pub fn tools_to_openai(tools: &[ToolSpec]) -> Value {
    tools.iter().map(tool_to_openai).collect()
}

fn tool_to_openai(tool: &ToolSpec) -> Value {
    let mut function = Map::from([("name", tool.name.as_str())]);
    function.insert_some("description", tool.description.as_deref());
    let parameters = match tool.parameters.is_empty() {
        true => Map::from([("type", Value::from("object")), ("properties", Map::new().into())]),
        false => tool.parameters.clone(),
    };
    function.insert("parameters", parameters);
    Map::from([("type", Value::from("function")), ("function", function.into())]).into()
}

/// Reads tools in the form of chat APIs, or as an array of `{name, description?, parameters?}`. A
/// tool without `strict` has [`Strictness::Off`], so each provider uses its own default. `null`
/// means no tools.
///
/// # Errors
///
/// Returns [`ErrorKind::WrongInput`] if the value is not an array of tools.
pub fn tools_from_openai(value: &Value) -> Result<Vec<ToolSpec>, Error> {
    let wrong = |cause: Failure| {
        let help =
            "write a tool as `{type: \"function\", function: {name, description, parameters}}`";
        cause.into_error(ErrorKind::WrongInput).with_help(help)
    };
    let items = match value {
        Value::Null => &[],
        _ => value.as_array().ok_or_else(|| wrong(expected("an array of tools", value)))?,
    };
    let mut tools = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let map = item.get("function").unwrap_or(item).as_object().ok_or_else(missing_name);
        let tool = map.and_then(|map| tool_from_openai(map, "parameters", Strictness::Off));
        tools.push(tool.map_err(|cause| wrong(cause.in_index(index)))?);
    }
    Ok(tools)
}

/// Reads a tool from a map with its name and, under `schema_key`, the schema of its arguments.
///
/// # Errors
///
/// Returns an error if the map has no name, or if its schema is not an object.
#[doc(hidden)]
pub fn tool_from_openai(
    map: &Map,
    schema_key: &str,
    default_strictness: Strictness,
) -> Result<ToolSpec, Failure> {
    let name = map.get("name").and_then(Value::as_str).ok_or_else(missing_name)?;
    let parameters = match map.get(schema_key) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(parameters)) => parameters.clone(),
        Some(other) => return Err(expected("an object", other).in_name(schema_key)),
    };
    let mut tool = ToolSpec::new(name, parameters);
    tool.description = map.get("description").and_then(Value::as_str).map(ToOwned::to_owned);
    tool.strict = match map.get("strict").and_then(Value::as_bool) {
        Some(true) => Strictness::On,
        // `Strictness::Off` would mean that the tool does not set it.
        Some(false) => Strictness::Never,
        None => default_strictness,
    };
    Ok(tool)
}

fn missing_name() -> Failure {
    Failure::new("missing `name` of the tool")
}

/// Writes the choice of tools in the form of chat APIs.
#[doc(hidden)]
pub fn tool_choice_to_openai(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::None => "none".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Tool(name) => {
            let function = Map::from([("name", name.as_str())]);
            Map::from([("type", Value::from("function")), ("function", function.into())]).into()
        }
    }
}

/// Reads a part in the form of chat APIs, such as `{type: "image_url", image_url: {url}}`.
///
/// # Errors
///
/// Returns an error if the map has another form.
#[doc(hidden)]
pub fn part_from_openai(map: &Map) -> Result<ContentPart, Failure> {
    read_part_map(map, /* depth */ 0)
}

/// A message as chat APIs divide it: texts and media are separate from reasoning and calls. Each
/// result of a tool is a separate message.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct FlatMessage<'m> {
    /// The name of the role.
    pub role: &'m str,
    /// Texts and media.
    pub content: Vec<&'m ContentPart>,
    /// The reasoning of all parts, if there is any.
    pub reasoning: Option<String>,
    /// The calls of tools.
    pub calls: Vec<&'m ToolCall>,
    /// The result, if this message is the result of a tool.
    pub result: Option<&'m ToolResult>,
    /// The parts that only one provider understands.
    pub provider: Vec<&'m ProviderPart>,
    /// The message's metadata.
    pub metadata: &'m Map,
}

/// The messages in order, with each result of a tool as a separate message after the other parts. A
/// message with a text and two results becomes three.
#[doc(hidden)]
pub fn flat_messages(messages: &[Message]) -> Vec<FlatMessage<'_>> {
    let mut list = Vec::with_capacity(messages.len());
    for message in messages {
        let mut flat = FlatMessage::new(message.role.as_str(), &message.metadata);
        let mut results = Vec::new();
        for part in &message.content {
            match part {
                ContentPart::Reasoning(text) => {
                    flat.reasoning.get_or_insert_default().push_str(text);
                }
                ContentPart::ToolCall(call) => flat.calls.push(call),
                ContentPart::ToolResult(result) => results.push(result),
                ContentPart::Provider(part) => flat.provider.push(part),
                _ => flat.content.push(part),
            }
        }
        // A message without any parts is kept.
        let is_only_results = !results.is_empty()
            && flat.content.is_empty()
            && flat.calls.is_empty()
            && flat.provider.is_empty()
            && flat.reasoning.is_none();
        if !is_only_results {
            list.push(flat);
        }
        for result in results {
            list.push(FlatMessage {
                content: result.content.iter().collect(),
                result: Some(result),
                ..FlatMessage::new(Role::Tool.as_str(), &message.metadata)
            });
        }
    }
    list
}

impl<'m> FlatMessage<'m> {
    fn new(role: &'m str, metadata: &'m Map) -> Self {
        let (content, calls, provider) = (Vec::new(), Vec::new(), Vec::new());
        Self { role, content, reasoning: None, calls, result: None, provider, metadata }
    }

    /// Whether all of the content is text.
    pub fn is_text(&self) -> bool {
        self.content.iter().all(|part| matches!(part, ContentPart::Text(_)))
    }
}

/// The keys that a message itself sets. Metadata may come from outside and must not replace them.
const OWN_KEYS: [&str; 7] = [
    "role",
    "content",
    "reasoning",
    "reasoning_content",
    "tool_calls",
    "tool_call_id",
    "function_call",
];

/// Adds metadata to a message. Existing entries, calls, results and reasoning are not changed.
#[doc(hidden)]
pub fn add_metadata(map: &mut Map, metadata: &Map) {
    for (key, value) in metadata.iter() {
        if !map.contains_key(key) && !OWN_KEYS.contains(&key) {
            map.insert(key, value.clone());
        }
    }
}
