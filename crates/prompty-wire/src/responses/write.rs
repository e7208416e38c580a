//! Writes requests for OpenAI's responses (Prompty §7.4).

use std::borrow::Cow;
use std::collections::BTreeMap;

use prompty_core::message::{
    ContentPart, Media, MediaPlace, Message, ProviderPart, Role, ToolCall, ToolChoice, ToolResult,
};
use prompty_core::value::{Map, Value};
use serde::{Serialize, Serializer};

use super::parse::{OWN_NAMES, is_message_part};
use super::{CALL_FIELDS, PROTOCOL};
use crate::call_fields::written_fields;
use crate::call_ids::CallIds;
use crate::entries::{
    EntryWriter, JsonNumber, ToolFunction, join_texts, message_text, tool_parameters,
};
use crate::error::{Result, WireError};
use crate::media;
use crate::originals::{PartPlace, WrittenForm};
use crate::protocol::Protocol;
use crate::provider_parts::{self, is_result};
use crate::request::Request;
use crate::response_format::AnswerForm;

/// The body of a request.
pub(crate) struct ResponsesBody<'r> {
    request: &'r Request<'r>,
    instructions: Option<Cow<'r, str>>,
    input: Vec<InputItem<'r>>,
    tools: Vec<WrittenForm<'r, ResponsesTool<'r>>>,
    answer: Option<AnswerForm<'r>>,
}

enum InputItem<'r> {
    Message {
        role: &'r str,
        content: InputContent<'r>,
        phase: Option<&'r Value>,
        more: Option<&'r Map>,
    },
    Call {
        id: Cow<'r, str>,
        name: Cow<'r, str>,
        call: &'r ToolCall,
        arguments: &'r str,
    },
    Result {
        id: Cow<'r, str>,
        output: InputContent<'r>,
        call: Option<&'r ToolCall>,
    },
    Provider(&'r Value),
}

#[derive(Serialize)]
#[serde(untagged)]
enum InputContent<'r> {
    Text(&'r str),
    Parts(Vec<InputPart<'r>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum InputPart<'r> {
    InputText {
        text: &'r str,
    },
    OutputText {
        text: &'r str,
    },
    InputImage {
        image_url: Cow<'r, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<&'r str>,
    },
    InputFile {
        #[serde(skip_serializing_if = "Option::is_none")]
        filename: Option<&'r str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_data: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_url: Option<&'r str>,
    },
    #[serde(untagged)]
    Provider(&'r Value),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponsesTool<'r> {
    Function(ToolFunction<'r>),
}

impl<'r> ResponsesBody<'r> {
    pub(crate) fn new(request: &'r Request<'_>) -> Result<Self> {
        request.check()?;
        request.check_no_budget()?;
        let answer = request.answer_form()?;
        // A part of the conversation that the provider stores is not in the messages.
        let has_entry = |name| request.additional().get(name).is_some_and(|value| !value.is_null());
        let mut writer = ResponsesWriter {
            request,
            ids: CallIds::new(request),
            calls: BTreeMap::new(),
            instructions: Vec::new(),
            input: Vec::with_capacity(request.messages.len()),
        };
        let is_stored = has_entry("previous_response_id") || has_entry("conversation");
        if is_stored {
            writer.ids.allow_stored_calls();
        }
        for (index, message) in request.messages.iter().enumerate() {
            writer.add_message(index, message).map_err(|error| error.in_message(index))?;
        }
        writer.ids.end_conversation()?;
        request.check_messages(writer.input.is_empty() && !is_stored && !has_entry("prompt"))?;
        let tools = request.tool_forms(|tool| {
            let parameters = tool_parameters(tool, request.protocol)?;
            let strict = parameters.strict();
            Ok(ResponsesTool::Function(ToolFunction::new(tool, parameters, strict)))
        })?;
        Ok(Self {
            request,
            instructions: join_texts(writer.instructions),
            input: writer.input,
            tools,
            answer,
        })
    }
}

/// A message of the model, with the properties that each of its texts needs.
struct ModelMessage<'r> {
    message: &'r Message,
    /// Whether it contains provider items. The provider refuses reasoning without an item after it,
    /// even an empty one.
    has_items: bool,
    /// Whether it contains only texts.
    is_text: bool,
}

struct ResponsesWriter<'r> {
    request: &'r Request<'r>,
    ids: CallIds<'r>,
    /// The calls, by their ids in the body. The type of a result depends on its call.
    calls: BTreeMap<Cow<'r, str>, &'r ToolCall>,
    instructions: Vec<Cow<'r, str>>,
    input: Vec<InputItem<'r>>,
}

impl<'r> ResponsesWriter<'r> {
    fn add_message(&mut self, index: usize, message: &'r Message) -> Result<()> {
        self.ids.begin_message(message)?;
        let is_text = message.content.iter().all(|part| matches!(part, ContentPart::Text(_)));
        let has_more = self.request.has_originals(index, message);
        match &message.role {
            // Leading system messages become instructions. Later ones stay in place.
            Role::System | Role::Developer if self.input.is_empty() && is_text && !has_more => {
                self.instructions.push(message_text(message));
                Ok(())
            }
            Role::Assistant => self.add_model_message(index, message),
            Role::System | Role::Developer | Role::User | Role::Tool => {
                self.add_input_message(index, message)
            }
            role => Err(WireError::unknown_role(role)),
        }
    }

    /// Adds a message of the user, the system or a tool. Results in it become items before it.
    fn add_input_message(&mut self, index: usize, message: &'r Message) -> Result<()> {
        let mut parts = Vec::with_capacity(message.content.len());
        for (place, part) in message.content.iter().enumerate() {
            match part {
                ContentPart::ToolResult(result) => {
                    let item = self.result_item((index, place), result)?;
                    self.input.push(item);
                }
                ContentPart::Provider(part) if may_answer_model(part, &message.role) => {
                    let id =
                        provider_parts::object_of(part)?.get("call_id").and_then(Value::as_str);
                    id.map_or(Ok(()), |id| self.ids.register_provider_result(id))?;
                    self.input.push(InputItem::Provider(&part.value));
                }
                part => parts.push(self.part((index, place, None), part, &message.role)?),
            }
        }
        let has_items = message.content.iter().any(|it| !matches!(it, ContentPart::Text(_)));
        // All parts became items. A message without any parts stays an empty message.
        if parts.is_empty() && has_items {
            return Ok(());
        }
        if message.role == Role::Tool {
            return Err(WireError::missing_call_id());
        }
        let (role, content) = (message.role.as_str(), InputContent::new(parts));
        let more = self.request.own_metadata(message);
        self.input.push(InputItem::Message { role, content, phase: None, more });
        Ok(())
    }

    /// Converts a part of the user, the system or a tool, unless its original JSON is kept.
    fn part(&self, place: PartPlace, part: &'r ContentPart, role: &Role) -> Result<InputPart<'r>> {
        match self.request.original(place) {
            Some(original) => Ok(InputPart::Provider(original)),
            None => input_part(part, role, self.request.is_from_own_protocol()),
        }
    }

    /// Converts the result of a call.
    fn result_item(
        &mut self,
        (index, place): (usize, usize),
        result: &'r ToolResult,
    ) -> Result<InputItem<'r>> {
        let id = self.ids.register_result(result)?;
        let call = self.calls.get(&id).copied();
        if let Some(original) = self.request.original((index, place, None)) {
            return Ok(InputItem::Provider(original));
        }
        let parts = result.content.iter().enumerate();
        let parts =
            parts.map(|(inner, part)| self.part((index, place, Some(inner)), part, &Role::Tool));
        let output = InputContent::new(parts.collect::<Result<_, _>>()?);
        Ok(InputItem::Result { id, output, call })
    }

    /// Adds a message of the model. Its texts become messages between the other items, in their
    /// order.
    fn add_model_message(&mut self, index: usize, message: &'r Message) -> Result<()> {
        let mut parts = message.content.iter();
        let is_text = parts.clone().all(|part| matches!(part, ContentPart::Text(_)));
        let has_items = parts.any(|part| matches!(part, ContentPart::Provider(_)));
        let properties = ModelMessage { message, has_items, is_text };
        let mut texts = Vec::new();
        for (place, part) in message.content.iter().enumerate() {
            let original = self.request.original((index, place, None));
            match part {
                ContentPart::Text(text) => {
                    texts
                        .push(original.map_or(InputPart::OutputText { text }, InputPart::Provider));
                }
                ContentPart::ToolCall(call) => {
                    self.flush_texts(&mut texts, &properties);
                    let arguments = self.ids.arguments(call)?;
                    let (id, name) = (self.ids.register_call(call), self.ids.name(call));
                    self.calls.insert(id.clone(), call);
                    let item = InputItem::Call { id, name, call, arguments };
                    self.input.push(original.map_or(item, InputItem::Provider));
                }
                ContentPart::Provider(part) if part.protocol == PROTOCOL => {
                    provider_parts::object_of(part)?;
                    if part.kind().is_some_and(is_message_part) {
                        texts.push(InputPart::Provider(&part.value));
                    } else {
                        self.flush_texts(&mut texts, &properties);
                        self.add_provider_item(part)?;
                    }
                }
                // Parts of another provider have no meaning here, and reasoning is a provider item.
                ContentPart::Provider(_) | ContentPart::Reasoning(_) => {}
                other => return Err(WireError::unsupported_part(other.kind(), &Role::Assistant)),
            }
        }
        self.flush_texts(&mut texts, &properties);
        Ok(())
    }

    /// Writes the collected texts of the model as a message, unless they are empty.
    fn flush_texts(&mut self, texts: &mut Vec<InputPart<'r>>, properties: &ModelMessage<'r>) {
        let texts = std::mem::take(texts);
        let ModelMessage { message, has_items, is_text } = *properties;
        let more = self.request.own_metadata(message);
        let has_content =
            |part: &InputPart<'_>| !matches!(part, InputPart::OutputText { text: "" });
        // An empty text is written only if an item needs it, or if the message has other fields.
        let is_required =
            has_items && !texts.is_empty() || is_text && more.is_some_and(|more| !more.is_empty());
        if is_required || texts.iter().any(has_content) {
            // The provider wants the phase back: whether the text is the answer or a comment before
            // it.
            let phase = message.metadata.get("phase").filter(|phase| phase.as_str().is_some());
            let (role, content) = (Role::Assistant.as_str(), InputContent::new(texts));
            self.input.push(InputItem::Message { role, content, phase, more });
        }
    }

    /// Adds a provider item of the model. It must not be a message or a result, so that a stored
    /// part cannot appear to come from another role.
    fn add_provider_item(&mut self, part: &'r ProviderPart) -> Result<()> {
        let value = &part.value;
        let kind = value.get("type").and_then(Value::as_str).map_or("", str::trim);
        match kind {
            _ if value.get("role").is_some() || kind.is_empty() || kind == "message" => {
                Err(WireError::unsupported("a provider part cannot be a message")
                    .with_help("add it to the request as a `Message`"))
            }
            _ if answers_model(part) && !self.request.is_from_own_protocol() => {
                Err(WireError::unsupported_part(kind, &Role::Assistant))
            }
            _ => {
                if let Some(id) = value.get("call_id").and_then(Value::as_str) {
                    self.ids.register_provider_call(id);
                }
                // It refers to an item that the provider stores, which may be a call.
                if kind == "item_reference" {
                    self.ids.allow_stored_calls();
                }
                self.input.push(InputItem::Provider(value));
                Ok(())
            }
        }
    }
}

/// Results of tools that the provider may run itself. In that case they are in the model's turn.
const RESULTS_OF_BOTH: [&str; 2] = ["shell_call_output", "tool_search_output"];

/// The item with which the user answers the model's request for approval.
const MCP_APPROVAL: &str = "mcp_approval_response";

/// Whether a part answers the model, and only a tool or the user may send it.
fn answers_model(part: &ProviderPart) -> bool {
    let is_of_both = part.kind().is_some_and(|kind| RESULTS_OF_BOTH.contains(&kind));
    part.kind() == Some(MCP_APPROVAL) || is_result(part, Protocol::OpenAiResponses) && !is_of_both
}

/// Whether a part is an answer that the role may give: tools give results, and the user approves.
fn may_answer_model(part: &ProviderPart, role: &Role) -> bool {
    match role {
        Role::Tool => is_result(part, Protocol::OpenAiResponses),
        Role::User => part.protocol == PROTOCOL && part.kind() == Some(MCP_APPROVAL),
        _ => false,
    }
}

/// Converts a part of the user, the system or a tool. A body of this protocol may contain parts
/// that are unknown here.
fn input_part<'r>(
    part: &'r ContentPart,
    role: &Role,
    is_from_own_protocol: bool,
) -> Result<InputPart<'r>> {
    let accepts_media = matches!(role, Role::User | Role::Tool);
    match part {
        ContentPart::Text(text) => Ok(InputPart::InputText { text }),
        ContentPart::Image(media) if accepts_media => Ok(InputPart::InputImage {
            image_url: media::url(media)?,
            detail: media::detail(media),
        }),
        ContentPart::File(media) if accepts_media => file_part(media),
        ContentPart::Provider(part) => {
            // Only parts of a message are allowed: a separate item could appear to come from
            // another role.
            let may_send = |kind: &str| is_from_own_protocol || kind.starts_with("input_");
            provider_parts::part_for_role(role, part, PROTOCOL, may_send).map(InputPart::Provider)
        }
        other => Err(WireError::unsupported_part(other.kind(), role)),
    }
}

fn file_part(media: &Media) -> Result<InputPart<'_>> {
    let filename = media.name.as_deref();
    Ok(match media.place()? {
        MediaPlace::Url(url) => {
            InputPart::InputFile { filename, file_data: None, file_url: Some(url) }
        }
        _ => {
            let file_data = Some(media.to_url()?);
            InputPart::InputFile { filename: filename.or(Some("file")), file_data, file_url: None }
        }
    })
}

impl<'r> InputContent<'r> {
    fn new(parts: Vec<InputPart<'r>>) -> Self {
        match parts.as_slice() {
            [] => Self::Text(""),
            [InputPart::InputText { text } | InputPart::OutputText { text }] => Self::Text(text),
            _ => Self::Parts(parts),
        }
    }
}

impl Serialize for ResponsesBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { request, instructions, input, tools, answer } = self;
        let options = &request.options;
        let mut body = EntryWriter::new(serializer.serialize_map(None)?);
        body.put("model", &*request.model)?;
        body.put_set("instructions", instructions.as_deref())?;
        body.put("input", input)?;
        body.put_set("temperature", options.temperature.map(JsonNumber))?;
        body.put_set("max_output_tokens", options.max_output_tokens)?;
        body.put_set("top_p", options.top_p.map(JsonNumber))?;
        if !tools.is_empty() {
            body.put("tools", tools)?;
            body.put_set("tool_choice", tool_choice(&request.tool_choice))?;
            body.put_set("parallel_tool_calls", options.allow_multiple_tool_calls)?;
        }
        body.put_set("text", answer.as_ref().map(|answer| output_text(answer, request)))?;
        body.put_set("reasoning", reasoning_entry(request))?;
        if let Some(cache) = &request.prompt_cache {
            body.put_set("prompt_cache_key", cache.key.as_deref())?;
            body.put_set("prompt_cache_retention", cache.time.as_deref())?;
        }
        if request.is_streaming {
            body.put("stream", &true)?;
        }
        body.end(request.additional_entries())
    }
}

/// Which tools may be called; `None` if the model decides, which is the default.
fn tool_choice(choice: &ToolChoice) -> Option<Value> {
    Some(match choice {
        ToolChoice::None => "none".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Tool(name) => Map::from([("type", "function"), ("name", name)]).into(),
        _ => return None,
    })
}

/// The entry `text`: the response format, and the request's other options of texts.
fn output_text(answer: &AnswerForm<'_>, request: &Request<'_>) -> Map {
    let mut format = Map::from([("type", answer.kind())]);
    let schema = answer.named_schema().unwrap_or_default();
    format.extend(schema.iter().map(|(name, value)| (name, value.clone())));
    let mut text = Map::from([("format", format)]);
    if let Some(Value::Object(more)) = request.additional().get("text") {
        let more = more.iter().filter(|(name, _)| *name != "format");
        text.extend(more.map(|(name, value)| (name, value.clone())));
    }
    text
}

/// The entry `reasoning`.
fn reasoning_entry(request: &Request<'_>) -> Option<Map> {
    let own = request.reasoning.as_ref()?;
    let mut reasoning = Map::new();
    let off = (own.is_on == Some(false)).then_some("none");
    if let Some(effort) = own.effort.as_deref().or(off) {
        reasoning.insert("effort", effort);
    }
    if let Some(summary) = &own.summary {
        reasoning.insert("summary", &**summary);
    }
    (!reasoning.is_empty()).then_some(reasoning)
}

impl Serialize for InputItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Self::Provider(value) = self {
            return value.serialize(serializer);
        }
        let mut item = EntryWriter::new(serializer.serialize_map(None)?);
        match self {
            Self::Message { role, content, phase, more } => {
                item.put("role", role)?;
                item.put("content", content)?;
                item.put_set("phase", phase.as_ref())?;
                let more = more.iter().flat_map(|more| more.iter());
                item.end(more.filter(|(name, _)| !OWN_NAMES.contains(name)))
            }
            Self::Call { id, name, call, arguments } => {
                let (kind, field) = match call.free_text {
                    true => ("custom_tool_call", "input"),
                    false => ("function_call", "arguments"),
                };
                item.put("type", kind)?;
                item.put("call_id", id)?;
                item.put("name", name)?;
                item.put(field, arguments)?;
                item.end(written_fields(call, PROTOCOL, CALL_FIELDS))
            }
            Self::Result { id, output, call } => {
                let kind = match call {
                    Some(call) if call.free_text => "custom_tool_call_output",
                    _ => "function_call_output",
                };
                item.put("type", kind)?;
                item.put("call_id", id)?;
                item.put("output", output)?;
                // The result goes to the program that made the call.
                let caller =
                    call.iter().flat_map(|call| written_fields(call, PROTOCOL, &["caller"]));
                item.end(caller)
            }
            Self::Provider(_) => item.end(std::iter::empty()),
        }
    }
}
