//! Reads a whole answer, which may be an error.

use prompty_core::value::internal::excerpt;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::{ProviderError, WireError};
use super::fields::Object;
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
    let json = text(status, body)?;
    reader.read(json)?;
    reader.end();
    if !reader.told().has_told() && !reader.is_finished() {
        let message = format!("the answer of the provider holds no reply: {}", excerpt(json));
        let help = "check that the URL and the protocol belong together";
        return Err(WireError::unreadable(message).with_help(help));
    }
    Ok(reader.into_reply())
}

/// The JSON text of an answer by its HTTP status, unless that says that it is an error.
fn text(status: u16, body: &[u8]) -> Result<&str, WireError> {
    if !(200..300).contains(&status) {
        return Err(error(status, &String::from_utf8_lossy(body)));
    }
    std::str::from_utf8(body)
        .map_err(|_| WireError::unreadable("the answer of the provider is no UTF-8"))
}

/// The JSON text of an answer that is no reply of a model, unless it is an error.
pub(super) fn json(status: u16, body: &[u8]) -> Result<&str, WireError> {
    let json = text(status, body)?;
    let body: Object<ErrorBody<'_>> = serde_json::from_str(json).map_err(WireError::no_event)?;
    match body.0.and_then(|body| body.error).filter(|error| is_error(error.get())) {
        Some(error) => Err(ProviderError::from_json(error.get()).into()),
        None => Ok(json),
    }
}

/// Whether the field `error` of an answer holds one.
fn is_error(json: &str) -> bool {
    !matches!(json, "null" | "false" | "\"\"" | "{}")
}

/// An error by its status and its body, which may be a text of a proxy.
fn error(status: u16, body: &str) -> WireError {
    let inner = serde_json::from_str::<ErrorBody<'_>>(body).ok().and_then(|it| it.error);
    let said = inner.map_or(body, RawValue::get);
    ProviderError { status: Some(status), ..ProviderError::from_json(said) }.into()
}
