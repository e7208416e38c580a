//! The body of a request in any protocol.

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
        // `AnyBody::new` has checked what the protocol can express, so this error does not occur.
        serde_json::to_string(&body).map_err(|error| WireError::unsupported(error.to_string()))
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
        // serde keeps only a text, so the text has the help, too.
        let body = AnyBody::new(self).map_err(|error| ser::Error::custom(format!("{error:#}")))?;
        body.serialize(serializer)
    }
}
