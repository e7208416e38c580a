//! The body of a request in any protocol.

use prompty_core::message::Message;
use prompty_core::value::Value;
use serde::{Serialize, Serializer, ser};

use super::error::WireError;
use super::protocol_dispatch::AnyBody;
use super::request::Request;

impl Request<'_> {
    /// The body of the HTTP request.
    ///
    /// # Errors
    ///
    /// Returns an error of [`WireErrorKind::Unsupported`](super::WireErrorKind::Unsupported) if the
    /// protocol cannot express something. The message says what and where.
    pub fn to_json(&self) -> Result<String, WireError> {
        let body = AnyBody::new(self)?;
        let wrong = |error: &dyn std::fmt::Display| WireError::unsupported(error.to_string());
        let mut json = Vec::with_capacity(self.likely_length());
        serde_json::to_writer(&mut json, &body).map_err(|error| wrong(&error))?;
        String::from_utf8(json).map_err(|error| wrong(&error))
    }

    /// An estimate of the length of the body in bytes, so that the buffer is allocated once.
    fn likely_length(&self) -> usize {
        let texts = |message: &Message| {
            message.content.iter().map(|it| it.as_text().map_or(64, str::len) + 64).sum::<usize>()
        };
        256 + self.messages.iter().map(texts).sum::<usize>()
    }

    /// The body of the HTTP request, as a [`Value`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`to_json`](Self::to_json).
    pub fn to_value(&self) -> Result<Value, WireError> {
        Ok(Value::from_json(&self.to_json()?)?)
    }
}

impl Serialize for Request<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = AnyBody::new(self).map_err(|error| ser::Error::custom(format!("{error:#}")))?;
        body.serialize(serializer)
    }
}
