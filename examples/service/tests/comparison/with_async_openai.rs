//! The assistant with `async-openai`'s types, `reqwest`, and a parser of server-sent events.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use async_openai::types::chat::{
    ChatCompletionMessageToolCall, ChatCompletionRequestAssistantMessage,
    ChatCompletionRequestMessage, ChatCompletionRequestSystemMessage,
    ChatCompletionRequestToolMessage, ChatCompletionRequestUserMessage,
    ChatCompletionStreamOptions, ChatCompletionTool, ChatCompletionTools, CompletionUsage,
    CreateChatCompletionRequest, CreateChatCompletionResponse, CreateChatCompletionStreamResponse,
    FinishReason, FunctionObject, ResponseFormat, ResponseFormatJsonSchema,
};
use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::StreamExt;
use reqwest::Response;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::shop::{self, Assistant, Endpoint, Failure, Outcome, Question, STEPS, Ticket};

pub struct WithAsyncOpenai {
    provider: Endpoint,
}

impl Assistant for WithAsyncOpenai {
    fn new(provider: Endpoint) -> Self {
        Self { provider }
    }

    async fn support(&self, asked: Question<'_>, mut on_text: impl FnMut(&str)) -> Outcome<String> {
        let mut messages = support_messages(&asked);
        for _ in 0..STEPS {
            let request = CreateChatCompletionRequest {
                model: self.provider.model.clone(),
                messages: messages.clone(),
                tools: Some(tools()),
                stream: Some(true),
                stream_options: Some(ChatCompletionStreamOptions {
                    include_usage: Some(true),
                    ..Default::default()
                }),
                ..Default::default()
            };
            let turn = Turn::read(self.send(&request).await?, &mut on_text).await?;
            self.log(&turn.id, &turn.model, turn.usage.as_ref());
            if turn.calls.is_empty() {
                return Ok(turn.text);
            }
            turn.append_to(&mut messages);
        }
        Err(Failure::TooManySteps)
    }

    async fn triage(&self, complaint: &str) -> Outcome<Ticket> {
        let mut request = CreateChatCompletionRequest {
            model: self.provider.model.clone(),
            messages: vec![
                ChatCompletionRequestSystemMessage::from("Make a ticket of the complaint.").into(),
                ChatCompletionRequestUserMessage::from(complaint).into(),
            ],
            response_format: Some(ResponseFormat::JsonSchema {
                json_schema: ResponseFormatJsonSchema {
                    name: "Ticket".to_owned(),
                    description: None,
                    schema: strict_schema::<Ticket>(),
                    strict: Some(true),
                },
            }),
            ..Default::default()
        };
        loop {
            let text = self.complete(&request).await?;
            let fault = match read_ticket(&text) {
                Ok(ticket) => return Ok(ticket),
                Err(fault) if request.messages.len() > 2 => return Err(Failure::Unfit(fault)),
                Err(fault) => format!("Your answer does not fit: {fault}. Send the JSON alone."),
            };
            request.messages.push(ChatCompletionRequestAssistantMessage::from(text).into());
            request.messages.push(ChatCompletionRequestUserMessage::from(fault).into());
        }
    }
}

impl WithAsyncOpenai {
    async fn send(&self, request: &CreateChatCompletionRequest) -> Outcome<Response> {
        let body = serde_json::to_string(request).map_err(unreadable)?;
        let response = self.provider.post(body).await?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let body = response.text().await?;
        let body = serde_json::from_str(&body).unwrap_or(Value::String(body));
        Err(provider_failure(Some(status.as_u16()), &body))
    }

    async fn complete(&self, request: &CreateChatCompletionRequest) -> Outcome<String> {
        let body = self.send(request).await?.bytes().await?;
        let completion: CreateChatCompletionResponse = read_answer(read_json(&body)?)?;
        self.log(&completion.id, &completion.model, completion.usage.as_ref());
        let Some(choice) = completion.choices.into_iter().next() else {
            return Err(unreadable("the answer has no choice"));
        };
        check_end(choice.finish_reason, choice.message.refusal)?;
        Ok(choice.message.content.unwrap_or_default())
    }

    fn log(&self, id: &str, model: &str, usage: Option<&CompletionUsage>) {
        let input = usage.map(|usage| usage.prompt_tokens.into());
        let output = usage.map(|usage| usage.completion_tokens.into());
        self.provider.log(Some(id), Some(model), input, output);
    }
}

// Parses the body of an error. Some providers do not use the form of
// `async_openai::error::WrappedError`: codes may be numbers, and the error may be a string or the
// complete body.
fn provider_failure(status: Option<u16>, body: &Value) -> Failure {
    let error = body.get("error").unwrap_or(body);
    let message = error.as_str().or_else(|| error.get("message")?.as_str());
    let message = message.map_or_else(|| body.to_string(), str::to_owned);
    let kind = error.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_retryable = match status {
        Some(status) => matches!(status, 408 | 409 | 429 | 500..),
        None => ["server_error", "overloaded_error", "rate_limit_error"].contains(&kind),
    };
    Failure::Provider { status, message, is_retryable }
}

fn read_json(json: &[u8]) -> Outcome<Value> {
    serde_json::from_slice(json).map_err(unreadable)
}

// Parses an answer without its service tier, because some hosts use unknown values.
fn read_answer<T: DeserializeOwned>(mut answer: Value) -> Outcome<T> {
    if let Some(fields) = answer.as_object_mut() {
        fields.remove("service_tier");
    }
    serde_json::from_value(answer).map_err(unreadable)
}

fn unreadable(error: impl Display) -> Failure {
    Failure::Unreadable(error.to_string())
}

fn check_end(reason: Option<FinishReason>, refusal: Option<String>) -> Outcome<()> {
    if let Some(refusal) = refusal.filter(|refusal| !refusal.is_empty()) {
        return Err(Failure::Refused(refusal));
    }
    match reason {
        None | Some(FinishReason::Length) => Err(Failure::CutOff),
        Some(FinishReason::ContentFilter) => Err(Failure::Refused("filtered".to_owned())),
        Some(_) => Ok(()),
    }
}

fn support_messages(asked: &Question<'_>) -> Vec<ChatCompletionRequestMessage> {
    let mut system = "You answer customers of Contoso. Be friendly and brief.\n".to_owned();
    if asked.passages.is_empty() {
        system.push_str("Nothing was found. Say so, and offer to ask a colleague.");
    } else {
        system.push_str("Answer from these passages only:");
        for (index, passage) in asked.passages.iter().enumerate() {
            let _ = write!(system, "\n[{}] {}: {}", index + 1, passage.title, passage.text);
        }
    }
    vec![
        ChatCompletionRequestSystemMessage::from(system).into(),
        ChatCompletionRequestUserMessage::from(asked.text).into(),
    ]
}

fn read_ticket(text: &str) -> Result<Ticket, String> {
    let text = text.trim().trim_start_matches("```json").trim_matches('`');
    let ticket: Ticket = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if !(1..=5).contains(&ticket.urgency) {
        return Err(format!("`urgency` is {}, but must be from 1 to 5", ticket.urgency));
    }
    Ok(ticket)
}

// A JSON schema for the strict mode of providers.
fn strict_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let settings = settings.with_transform(RecursiveTransform(|schema: &mut Schema| {
        let Some(object) = schema.as_object_mut() else { return };
        for refused in ["format", "default"] {
            object.remove(refused);
        }
        if let Some(Value::Object(properties)) = object.get("properties") {
            let names = properties.keys().cloned().collect::<Vec<_>>();
            object.insert("required".to_owned(), names.into());
            object.insert("additionalProperties".to_owned(), false.into());
        }
    }));
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

#[derive(Deserialize, JsonSchema)]
struct OrderArguments {
    /// The number of the order.
    number: u32,
}

#[derive(Deserialize, JsonSchema)]
struct CancelArguments {
    /// The number of the order.
    number: u32,
    /// Why the customer does not want it.
    reason: Option<String>,
}

fn tools() -> Vec<ChatCompletionTools> {
    vec![
        tool::<OrderArguments>("order", "Looks up an order."),
        tool::<CancelArguments>("cancel", "Cancels an order that was not sent yet."),
    ]
}

fn tool<T: JsonSchema>(name: &str, description: &str) -> ChatCompletionTools {
    ChatCompletionTools::Function(ChatCompletionTool {
        function: FunctionObject {
            name: name.to_owned(),
            description: Some(description.to_owned()),
            parameters: Some(strict_schema::<T>()),
            strict: Some(true),
        },
    })
}

fn execute(name: &str, arguments: &str) -> Result<String, String> {
    match name {
        "order" => {
            let OrderArguments { number } = read_arguments(name, arguments)?;
            serde_json::to_string(&shop::order(number)?).map_err(|error| error.to_string())
        }
        "cancel" => {
            let CancelArguments { number, reason } = read_arguments(name, arguments)?;
            shop::cancel(number, reason.as_deref())
        }
        _ => Err(format!("unknown tool `{name}`, available tools: `order` and `cancel`")),
    }
}

fn read_arguments<T: DeserializeOwned>(name: &str, arguments: &str) -> Result<T, String> {
    serde_json::from_str(arguments)
        .map_err(|error| format!("the arguments of `{name}` do not fit: {error}"))
}

// An answer of the model that is arriving.
#[derive(Default)]
struct Turn {
    id: String,
    model: String,
    text: String,
    refusal: Option<String>,
    calls: BTreeMap<u32, ChatCompletionMessageToolCall>,
    end: Option<FinishReason>,
    usage: Option<CompletionUsage>,
}

impl Turn {
    async fn read(response: Response, on_text: &mut impl FnMut(&str)) -> Outcome<Self> {
        let mut turn = Self::default();
        let mut events = response.bytes_stream().eventsource();
        while let Some(event) = events.next().await {
            let event = event.map_err(|error| match error {
                EventStreamError::Transport(error) => error.into(),
                error => unreadable(error),
            })?;
            if event.data == "[DONE]" {
                break;
            }
            let event = read_json(event.data.as_bytes())?;
            if event.get("error").is_some() {
                return Err(provider_failure(None, &event));
            }
            turn.add(read_answer(event)?, on_text);
        }
        check_end(turn.end, turn.refusal.take())?;
        Ok(turn)
    }

    fn add(&mut self, chunk: CreateChatCompletionStreamResponse, on_text: &mut impl FnMut(&str)) {
        (self.id, self.model) = (chunk.id, chunk.model);
        self.usage = chunk.usage.or(self.usage.take());
        let Some(choice) = chunk.choices.into_iter().next() else { return };
        self.end = choice.finish_reason.or(self.end);
        if let Some(text) = choice.delta.content.filter(|text| !text.is_empty()) {
            on_text(&text);
            self.text.push_str(&text);
        }
        if let Some(refusal) = choice.delta.refusal {
            self.refusal.get_or_insert_default().push_str(&refusal);
        }
        for piece in choice.delta.tool_calls.unwrap_or_default() {
            let call = self.calls.entry(piece.index).or_default();
            if let Some(id) = piece.id {
                call.id = id;
            }
            let Some(function) = piece.function else { continue };
            call.function.name.push_str(&function.name.unwrap_or_default());
            call.function.arguments.push_str(&function.arguments.unwrap_or_default());
        }
    }

    // Appends the answer and the results of its calls to the conversation.
    fn append_to(self, messages: &mut Vec<ChatCompletionRequestMessage>) {
        let calls: Vec<_> = self.calls.into_values().collect();
        let assistant = ChatCompletionRequestAssistantMessage {
            content: (!self.text.is_empty()).then(|| self.text.into()),
            tool_calls: Some(calls.iter().cloned().map(Into::into).collect()),
            ..Default::default()
        };
        messages.push(assistant.into());
        for call in calls {
            let result = execute(&call.function.name, &call.function.arguments);
            let result = result.unwrap_or_else(|error| format!("error: {error}"));
            let result =
                ChatCompletionRequestToolMessage { tool_call_id: call.id, content: result.into() };
            messages.push(result.into());
        }
    }
}
