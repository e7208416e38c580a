//! Conversions from and to the types of the crate `async-openai`, for services that use its client.
//!
//! Requests convert with `TryFrom`.
//!
//! ```
//! # mod typed_prompty { pub use prompty_core::message; pub use prompty_wire as wire; }
//! use async_openai::types::chat::CreateChatCompletionRequest;
//! use typed_prompty::message::Message;
//! use typed_prompty::wire::Request;
//!
//! let messages = [Message::system("Be brief."), Message::user("Where is Bonn?")];
//! let request = Request::new("gpt-4o", &messages).with_temperature(0.2);
//! let theirs = CreateChatCompletionRequest::try_from(&request)?;
//! assert_eq!((theirs.model.as_str(), theirs.messages.len()), ("gpt-4o", 2));
//!
//! let ours = Request::try_from(&theirs)?;
//! assert_eq!(ours.messages(), messages);
//! # Ok::<(), prompty_wire::WireError>(())
//! ```
//!
//! These types do not have the options and parts of other servers, which are lost in the
//! conversion. They also cannot hold every answer. [`ReplyReader::push_bytes`] and
//! [`Protocol::read`] read the bytes themselves.

use async_openai::types::chat::{
    ChatCompletionRequestMessage, ChatCompletionTools, CreateChatCompletionRequest,
    CreateChatCompletionResponse, CreateChatCompletionStreamResponse,
};
use async_openai::types::responses::{CreateResponse, Response, ResponseStreamEvent};
use prompty_core::message::{Message, ToolSpec};
use prompty_core::value::Value;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::WireError;
use super::{Protocol, ReplyReader, Request};
use prompty_reply::{Events, Reply};

/// The model of requests of which only the messages or tools are used.
const NO_MODEL: &str = "none";

/// Converts messages into those of `async-openai`.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_wire as wire; }
/// use async_openai::types::chat::ChatCompletionRequestMessage;
/// use typed_prompty::message::Message;
/// use typed_prompty::wire::async_openai::messages;
///
/// let messages = messages(&[Message::user("Hello")])?;
/// assert!(matches!(messages[0], ChatCompletionRequestMessage::User(_)));
/// # Ok::<(), prompty_wire::WireError>(())
/// ```
///
/// # Errors
///
/// Returns the errors of [`Request::to_json`].
pub fn messages(messages: &[Message]) -> Result<Vec<ChatCompletionRequestMessage>, WireError> {
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    Ok(CreateChatCompletionRequest::try_from(&Request::new(NO_MODEL, messages))?.messages)
}

/// Converts the messages of `async-openai`.
///
/// # Errors
///
/// Returns the errors of [`Request::from_value`].
pub fn from_messages(messages: &[ChatCompletionRequestMessage]) -> Result<Vec<Message>, WireError> {
    let body = CreateChatCompletionRequest { messages: messages.to_vec(), ..Default::default() };
    Request::try_from(&body).map(Request::into_messages)
}

/// Converts tools into those of `async-openai`.
///
/// # Errors
///
/// Returns the errors of [`Request::to_json`].
pub fn tools(tools: &[ToolSpec]) -> Result<Vec<ChatCompletionTools>, WireError> {
    let messages = [Message::user("?")];
    let request = Request::new(NO_MODEL, &messages).with_tools(tools);
    let request = CreateChatCompletionRequest::try_from(&request)?;
    Ok(request.tools.unwrap_or_default())
}

impl TryFrom<&Request<'_>> for CreateChatCompletionRequest {
    type Error = WireError;

    /// # Errors
    ///
    /// Returns the errors of [`Request::to_json`].
    fn try_from(request: &Request<'_>) -> Result<Self, WireError> {
        into_theirs(request, Protocol::OpenAiChat)
    }
}

impl TryFrom<&Request<'_>> for CreateResponse {
    type Error = WireError;

    /// # Errors
    ///
    /// Returns the errors of [`Request::to_json`].
    fn try_from(request: &Request<'_>) -> Result<Self, WireError> {
        into_theirs(request, Protocol::OpenAiResponses)
    }
}

impl TryFrom<&CreateChatCompletionRequest> for Request<'static> {
    type Error = WireError;

    /// # Errors
    ///
    /// Returns the errors of [`Request::from_value`].
    fn try_from(request: &CreateChatCompletionRequest) -> Result<Self, WireError> {
        from_theirs(request, Protocol::OpenAiChat)
    }
}

impl TryFrom<&CreateResponse> for Request<'static> {
    type Error = WireError;

    /// # Errors
    ///
    /// Returns the errors of [`Request::from_value`].
    fn try_from(request: &CreateResponse) -> Result<Self, WireError> {
        from_theirs(request, Protocol::OpenAiResponses)
    }
}

/// The reply of a chat completion.
///
/// # Errors
///
/// Returns the errors of [`Protocol::read`].
pub fn from_completion(completion: &CreateChatCompletionResponse) -> Result<Reply, WireError> {
    Protocol::OpenAiChat.read(200, json(completion)?.as_bytes())
}

/// The reply of a response.
///
/// # Errors
///
/// Returns the errors of [`Protocol::read`].
pub fn from_response(response: &Response) -> Result<Reply, WireError> {
    Protocol::OpenAiResponses.read(200, json(response)?.as_bytes())
}

impl ReplyReader {
    /// Reads a chunk from the client of `async-openai`, and returns the new events. The client does
    /// not pass on `[DONE]`.
    ///
    /// # Errors
    ///
    /// Returns an error if the chunk cannot be written as JSON.
    pub fn push_chunk(
        &mut self,
        chunk: &CreateChatCompletionStreamResponse,
    ) -> Result<Events<'_>, WireError> {
        Ok(self.push(&json(chunk)?))
    }

    /// Reads an event of a response from the client of `async-openai`, and returns the new events.
    /// The protocol of the reader must be [`Protocol::OpenAiResponses`].
    ///
    /// # Errors
    ///
    /// Returns an error if the event cannot be written as JSON.
    pub fn push_response_event(
        &mut self,
        event: &ResponseStreamEvent,
    ) -> Result<Events<'_>, WireError> {
        Ok(self.push(&json(event)?))
    }
}

fn into_theirs<T: DeserializeOwned>(
    request: &Request<'_>,
    protocol: Protocol,
) -> Result<T, WireError> {
    let body = request.clone().with_protocol(protocol).to_json()?;
    serde_json::from_str(&body).map_err(|error| {
        WireError::unsupported(format!(
            "the types of `async-openai` cannot represent the request: {error}"
        ))
        .with_help("send the body of `to_json` instead")
    })
}

fn from_theirs<T: Serialize>(
    request: &T,
    protocol: Protocol,
) -> Result<Request<'static>, WireError> {
    Request::from_value(protocol, &Value::from_serialize(request)?)
}

fn json<T: Serialize>(theirs: &T) -> Result<String, WireError> {
    serde_json::to_string(theirs).map_err(|error| WireError::unreadable(error.to_string()))
}
