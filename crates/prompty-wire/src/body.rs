//! The body of a request in any protocol.

use prompty_core::message::ContentPart;
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
        let unsupported = |error: &dyn std::fmt::Display| WireError::unsupported(error.to_string());
        let mut json = Vec::with_capacity(self.estimated_length());
        // `AnyBody::new` has checked what the protocol can express, so these errors do not occur.
        serde_json::to_writer(&mut json, &body).map_err(|error| unsupported(&error))?;
        String::from_utf8(json).map_err(|error| unsupported(&error))
    }

    /// The body of the HTTP request, as a [`Value`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`to_json`](Self::to_json).
    pub fn to_value(&self) -> Result<Value, WireError> {
        Ok(Value::from_json(&self.to_json()?)?)
    }

    /// An estimate of the length of the body in bytes, so that the buffer is allocated once.
    fn estimated_length(&self) -> usize {
        // 64 bytes for the JSON around each part, 64 for a part that is not text, 256 for the rest.
        let parts = self.messages.iter().flat_map(|message| &*message.content);
        let length = |part: &ContentPart| part.as_text().map_or(64, str::len) + 64;
        256 + parts.map(length).sum::<usize>()
    }
}

impl Serialize for Request<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // serde keeps only a text, so the text has the help, too.
        let body = AnyBody::new(self).map_err(|error| ser::Error::custom(format!("{error:#}")))?;
        body.serialize(serializer)
    }
}
