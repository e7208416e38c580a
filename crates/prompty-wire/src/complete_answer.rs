//! Reads a complete answer, which may be an error.

use std::borrow::Cow;

use prompty_core::value::internal::excerpt;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::answer_reader::{AnswerReader, without_lone_surrogates};
use super::error::{ProviderError, WireError, WireErrorKind, is_error};
use super::fields::{List, Object, with_single_fields};
use super::protocol_reader::DONE;
use prompty_reply::Reply;

/// The field of a body that contains an error.
#[derive(Deserialize)]
struct ErrorBody<'j> {
    #[serde(borrow, default)]
    error: Option<&'j RawValue>,
}

/// Reads a complete answer.
pub(super) fn read(mut reader: AnswerReader, status: u16, body: &[u8]) -> Result<Reply, WireError> {
    let json = without_done(text(status, body)?);
    if json.trim().is_empty() {
        return Err(WireError::new(WireErrorKind::CutOff, "the provider's answer is empty")
            .with_help("send the request again; if the answer stays empty, check the URL"));
    }
    reader.assembler_mut().recorder.discard_events();
    let read = reader.read_complete(json);
    let end = reader.end();
    if let Err(error) = read.and(end) {
        let is_truncated = error.kind() == WireErrorKind::Unreadable
            && serde_json::from_str::<IgnoredAny>(json).is_err_and(|error| error.is_eof());
        let error = if is_truncated { WireError::cut_off() } else { error };
        return Err(match reader.assembler().has_reported() || reader.is_finished() {
            true => error.with_partial(reader.into_reply()),
            false => error,
        });
    }
    if !reader.assembler().has_reported() && !reader.is_finished() {
        let message = format!("the provider's answer does not contain a reply: {}", excerpt(json));
        return Err(WireError::wrong_protocol(message));
    }
    Ok(reader.into_reply())
}

impl WireError {
    /// The error that a provider sent as a complete answer, from its HTTP status and its body. Use
    /// it if you check the status yourself, for example to retry the request.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_wire as wire; }
    /// use typed_prompty::wire::WireError;
    ///
    /// let error = WireError::from_response(429, br#"{"error": {"message": "Slow down"}}"#);
    /// assert!(error.is_retryable());
    /// assert_eq!(error.provider().unwrap().message, "Slow down");
    /// ```
    pub fn from_response(status: u16, body: &[u8]) -> Self {
        error(status, &String::from_utf8_lossy(body))
    }
}

/// Removes the end of a stream, which some gateways append to complete answers.
fn without_done(text: &str) -> &str {
    let before = text.trim_end().strip_suffix(DONE).map(str::trim_end);
    before.map_or(text, |before| before.strip_suffix("data:").unwrap_or(before))
}

/// Whether a status means success.
pub(super) fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

/// The JSON text of an answer, unless its HTTP status means an error.
fn text(status: u16, body: &[u8]) -> Result<&str, WireError> {
    if !is_success(status) {
        return Err(WireError::from_response(status, body));
    }
    // The check of the encoding takes a quarter of the time of a long answer.
    let text = simdutf8::basic::from_utf8(body).map_err(|_| WireError::invalid_encoding())?;
    Ok(text.trim_start_matches('\u{feff}'))
}

/// The JSON text of an answer that is not a reply of a model, unless it is an error.
pub(super) fn json(status: u16, body: &[u8]) -> Result<Cow<'_, str>, WireError> {
    let json = without_lone_surrogates(text(status, body)?);
    let body: Object<ErrorBody<'_>> = WireError::read_json(&json)?;
    match body.0.and_then(|body| body.error).filter(|error| is_error(error.get())) {
        Some(error) => Err(ProviderError::from_json(error.get()).into()),
        None => Ok(json),
    }
}

/// An error from its status and its body: an object, an array with one object, or the text of a
/// proxy.
fn error(status: u16, body: &str) -> WireError {
    let body = &*without_lone_surrogates(body);
    // A duplicate field makes an object unreadable. Then the last one counts.
    let is_unreadable = serde_json::from_str::<Object<ErrorBody<'_>>>(body).is_err();
    let single = is_unreadable.then(|| with_single_fields(body)).flatten();
    let body = single.as_deref().unwrap_or(body);
    let object = serde_json::from_str::<Object<ErrorBody<'_>>>(body).ok().and_then(|it| it.0);
    let first = || {
        let list = serde_json::from_str::<List<Object<ErrorBody<'_>>>>(body).ok()?;
        list.0.into_iter().find_map(|it| it.0)
    };
    let inner = object.or_else(first).and_then(|it| it.error).filter(|it| is_error(it.get()));
    let json = inner.map_or(body, RawValue::get);
    ProviderError { status: Some(status), ..ProviderError::from_json(json) }.into()
}
