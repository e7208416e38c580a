//! The body of a request in any protocol.

use prompty_core::message::Message;
use prompty_core::value::Value;
use serde::{Serialize, Serializer, ser};

use super::anthropic::AnthropicBody;
use super::chat::ChatBody;
use super::error::WireError;
use super::protocol::Protocol;
use super::request::Request;
use super::responses::ResponsesBody;

impl Request<'_> {
    /// The body of the HTTP request.
    ///
    /// # Errors
    ///
    /// [`WireErrorKind::Unsupported`](super::WireErrorKind::Unsupported) where the provider cannot take
    /// something; the message says what and where.
    pub fn to_json(&self) -> Result<String, WireError> {
        let body = Body::new(self)?;
        let wrong = |error: &dyn std::fmt::Display| WireError::unsupported(error.to_string());
        let mut json = Vec::with_capacity(self.likely_length());
        serde_json::to_writer(&mut json, &body).map_err(|error| wrong(&error))?;
        String::from_utf8(json).map_err(|error| wrong(&error))
    }

    /// About how long the body is, in bytes: a text that has its room from the start is not copied while it grows.
    fn likely_length(&self) -> usize {
        let texts = |message: &Message| {
            message.content.iter().map(|it| it.as_text().map_or(64, str::len) + 64).sum::<usize>()
        };
        256 + self.messages.iter().map(texts).sum::<usize>()
    }

    /// The body of the HTTP request, as a value.
    ///
    /// # Errors
    ///
    /// As [`to_json`](Self::to_json).
    pub fn to_value(&self) -> Result<Value, WireError> {
        Ok(Value::from_json(&self.to_json()?)?)
    }
}

impl Serialize for Request<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = Body::new(self).map_err(|error| ser::Error::custom(format!("{error:#}")))?;
        body.serialize(serializer)
    }
}

/// The body of a request, of which everything can be sent.
pub(super) enum Body<'r> {
    Chat(ChatBody<'r>),
    Responses(ResponsesBody<'r>),
    Anthropic(AnthropicBody<'r>),
}

impl<'r> Body<'r> {
    pub(super) fn new(request: &'r Request<'_>) -> Result<Self, WireError> {
        match request.protocol {
            Protocol::OpenAiChat | Protocol::OpenAiCompatible => {
                ChatBody::new(request).map(Self::Chat)
            }
            Protocol::OpenAiResponses => ResponsesBody::new(request).map(Self::Responses),
            Protocol::AnthropicMessages => AnthropicBody::new(request).map(Self::Anthropic),
        }
    }
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Chat(body) => body.serialize(serializer),
            Self::Responses(body) => body.serialize(serializer),
            Self::Anthropic(body) => body.serialize(serializer),
        }
    }
}
