//! Reads a whole answer, which may be an error.

use prompty_core::value::internal::excerpt;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::{ProviderError, WireError};
use super::reader::Reader;
use crate::reply::Reply;

/// Where an error stands in a body.
#[derive(Deserialize)]
struct ErrorBody<'j> {
    #[serde(borrow, default)]
    error: Option<&'j RawValue>,
}

/// Reads a whole answer.
pub(super) fn read(mut reader: Reader, status: u16, body: &[u8]) -> Result<Reply, WireError> {
    if !is_success(status) {
        return Err(error(status, &String::from_utf8_lossy(body)));
    }
    let Ok(json) = std::str::from_utf8(body) else {
        return Err(WireError::unreadable("the answer of the provider is no UTF-8"));
    };
    reader.read(json)?;
    reader.end();
    if !reader.told().has_told() && !reader.is_finished() {
        let message = format!("the answer of the provider holds no reply: {}", excerpt(json));
        let help = "check that the URL and the protocol belong together";
        return Err(WireError::unreadable(message).with_help(help));
    }
    Ok(reader.into_reply())
}

impl WireError {
    /// The error that a provider sent as a whole answer, by its HTTP status and its body. It is for those who
    /// look at the status themselves, for example to send the request again.
    ///
    /// ```
    /// use prompty_model::wire::WireError;
    ///
    /// let error = WireError::from_response(429, br#"{"error": {"message": "Slow down"}}"#);
    /// assert!(error.is_retryable());
    /// assert_eq!(error.provider().unwrap().message, "Slow down");
    /// ```
    pub fn from_response(status: u16, body: &[u8]) -> Self {
        error(status, &String::from_utf8_lossy(body))
    }
}

/// Whether a status says that the body is an answer.
pub(super) fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

/// An error by its status and its body, which may be a text of a proxy.
fn error(status: u16, body: &str) -> WireError {
    let inner = serde_json::from_str::<ErrorBody<'_>>(body).ok().and_then(|it| it.error);
    let said = inner.map_or(body, RawValue::get);
    ProviderError { status: Some(status), ..ProviderError::from_json(said) }.into()
}
