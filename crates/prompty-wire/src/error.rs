//! The errors between a service and a provider: one type, with the reply so far.

use std::fmt;

use prompty_core::diagnostic::Place;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{ProviderPart, Role};
use prompty_core::value::internal::excerpt;
use prompty_core::work::add_steps;
use serde::Deserialize;

use super::fields::{Object, TOO_MANY, Text, is_empty_json, json_objects, with_single_fields};
use prompty_reply::provider::is_failure;
use prompty_reply::{FinishReason, Reply, ReplyError, ReplyErrorKind};

/// The help for an answer with too many items.
pub(super) const FEWER_ITEMS: &str = "request a shorter answer, or fewer choices or images";

/// The result of functions of this crate.
pub(super) type Result<T, E = WireError> = std::result::Result<T, E>;

/// An error between a service and a provider.
///
/// `Display` gives the message in one line; `{:#}` adds the help. Of the provider's answer, both
/// contain only its error message.
///
/// ```
/// # mod typed_prompty { pub use prompty_wire as wire; }
/// use typed_prompty::wire::{Protocol, WireErrorKind};
///
/// let body = br#"{"error": {"message": "Rate limit reached", "type": "requests", "code": null}}"#;
/// let error = Protocol::OpenAiChat.read(429, body).unwrap_err();
/// assert_eq!(error.kind(), WireErrorKind::Provider);
/// assert_eq!(error.to_string(), "the provider answered with status 429: Rate limit reached");
/// assert!(error.is_retryable());
/// ```
#[derive(Clone)]
pub struct WireError {
    inner: Box<ErrorData>,
}

#[derive(Clone)]
struct ErrorData {
    kind: WireErrorKind,
    message: String,
    help: Option<String>,
    provider: Option<ProviderError>,
    partial: Option<Reply>,
    /// The kind and the place for the conversion into an [`Error`]: those of the original error.
    converted: (ErrorKind, Option<Place>),
    /// Whether JSON has the same field twice.
    is_duplicate_field: bool,
}

/// The kinds of [`WireError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WireErrorKind {
    /// The request contains something that the provider does not accept.
    Unsupported,
    /// The provider answered with an error.
    Provider,
    /// The answer does not follow the protocol.
    Unreadable,
    /// The answer ended early.
    CutOff,
    /// The model refused to answer, or the provider's filter stopped it.
    Refused,
    /// The connection broke.
    Transport,
}

/// An error that a provider sent. Missing fields are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ProviderError {
    /// The status of the HTTP response, if the error was the complete answer. In a stream, and in
    /// an answer with a success status, it is the error's code if that is a number from 400 to 599.
    pub status: Option<u16>,
    /// The provider's message.
    pub message: String,
    /// Its type, such as `invalid_request_error`.
    pub kind: Option<String>,
    /// Its code, such as `model_not_found`.
    pub code: Option<String>,
    /// The request parameter that caused it.
    pub parameter: Option<String>,
}

impl WireError {
    pub(super) fn new(kind: WireErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        let (provider, partial, converted) = (None, None, (ErrorKind::Provider, None));
        Self {
            inner: Box::new(ErrorData {
                kind,
                message,
                help: None,
                provider,
                partial,
                converted,
                is_duplicate_field: false,
            }),
        }
    }

    pub(super) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(WireErrorKind::Unsupported, message)
    }

    pub(super) fn unreadable(message: impl Into<String>) -> Self {
        Self::new(WireErrorKind::Unreadable, message)
    }

    /// An answer that is not of the protocol.
    pub(super) fn wrong_protocol(message: impl Into<String>) -> Self {
        Self::unreadable(message).with_help("check that the URL and the protocol match")
    }

    /// An answer that is not text.
    pub(super) fn invalid_encoding() -> Self {
        Self::wrong_protocol("the provider's answer is not valid UTF-8")
    }

    /// An answer that ended early.
    pub(super) fn cut_off() -> Self {
        Self::new(WireErrorKind::CutOff, "the provider's answer ended early").with_help(
            "use the reply so far in `partial()`, or send the request again with more time",
        )
    }

    /// A message with the role `tool` that does not name a call.
    pub(super) fn missing_call_id() -> Self {
        Self::unsupported("a message with the role `tool` does not name the call that it answers")
            .with_help("create it from a result: `Message::from(ToolResult::new(call_id, text))`")
    }

    /// A role that the protocol does not support.
    pub(super) fn unknown_role(role: &Role) -> Self {
        Self::unsupported(format!("the protocol does not support the role `{role}`"))
            .with_help("use `system`, `developer`, `user`, `assistant` or `tool`")
    }

    /// Media, or another part, that the protocol does not accept from a role.
    pub(super) fn unsupported_part(kind: &str, role: &Role) -> Self {
        let message =
            format!("the protocol does not support `{kind}` parts from the role `{role}`");
        let help = match kind {
            "image" | "file" | "audio" if *role != Role::User => "put it into a user message",
            "audio" => "use chat completions, or send text",
            "mcp_approval_response" => "put it into a user message",
            kind if kind == "tool_result" || kind.ends_with("_output") => {
                "put it into a message with the role `tool`"
            }
            _ => "remove it",
        };
        Self::unsupported(message).with_help(help)
    }

    /// A provider part of another protocol that cannot be left out.
    pub(super) fn foreign_part(part: &ProviderPart) -> Self {
        let kind = part.kind().unwrap_or("part");
        let message = format!("only the protocol `{}` supports the part `{kind}`", part.protocol);
        Self::unsupported(message).with_help("send it as text, an image or a file")
    }

    /// Adds the index of the message that caused the error.
    pub(super) fn in_message(mut self, index: usize) -> Self {
        self.inner.message = format!("message {index}: {}", self.inner.message);
        self
    }

    /// An event, or a complete answer, that is not a JSON object.
    fn invalid_json(json: &str) -> Self {
        Self::wrong_protocol(format!("cannot read the provider's answer: {}", excerpt(json)))
    }

    /// Reads JSON of an event, or of a complete answer.
    pub(super) fn read_json<'j, T: Deserialize<'j>>(json: &'j str) -> Result<T, Self> {
        add_steps(json.len());
        serde_json::from_str(json).map_err(|error| Self::unreadable_json(&error))
    }

    /// JSON that is not an answer, with the reason.
    fn unreadable_json(error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let mut own = Self::wrong_protocol(format!("cannot read the provider's answer: {message}"));
        // `serde` has no other sign of the cause than its message.
        own.inner.is_duplicate_field = error.is_data() && message.starts_with("duplicate field");
        match error.is_data() && message.starts_with(TOO_MANY) {
            true => own.with_help(FEWER_ITEMS),
            false => own,
        }
    }

    /// Whether a field that may be there once is there again.
    pub(super) fn is_duplicate_field(&self) -> bool {
        self.inner.is_duplicate_field
    }

    /// Content of a form that the reader does not know. Without an error it would be lost.
    pub(super) fn unknown_content(json: &str) -> Self {
        Self::wrong_protocol(format!(
            "the provider's answer has content of an unknown form: {}",
            excerpt(json)
        ))
    }

    /// Reads the fields of an event, or of a complete answer, which must be an object.
    pub(super) fn read_object<'j, T: Deserialize<'j>>(json: &'j str) -> Result<T, Self> {
        add_steps(json.len());
        // `serde` also reads the fields of a struct from an array.
        if !json.trim_ascii_start().starts_with('{') {
            return Err(Self::invalid_json(json));
        }
        serde_json::from_str(json).map_err(|error| match error.is_data() {
            true => Self::unreadable_json(&error),
            false => Self::invalid_json(json),
        })
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.inner.help = Some(help.into());
        self
    }

    pub(super) fn with_partial(mut self, partial: Reply) -> Self {
        self.inner.partial = Some(partial);
        self
    }

    /// The kind of the error.
    pub fn kind(&self) -> WireErrorKind {
        self.inner.kind
    }

    /// An instruction to fix it, if one is known.
    pub fn help(&self) -> Option<&str> {
        self.inner.help.as_deref()
    }

    /// The provider's error, if it answered with one.
    pub fn provider(&self) -> Option<&ProviderError> {
        self.inner.provider.as_ref()
    }

    /// The reply before the error. Calls that had not ended are not complete.
    pub fn partial(&self) -> Option<&Reply> {
        self.inner.partial.as_ref()
    }

    /// Whether the provider sent a message in addition to the status.
    pub(super) fn has_provider_message(&self) -> bool {
        self.provider().is_some_and(|error| !error.message.trim().is_empty())
    }

    /// Whether the same request may succeed later: the provider is overloaded or limits the rate,
    /// or the connection broke.
    pub fn is_retryable(&self) -> bool {
        match self.kind() {
            WireErrorKind::Transport => true,
            // A reply that ended at a token limit, or was filtered, would end there again. Without
            // a reason, or with a normal one, the body was cut: the model may even have finished.
            WireErrorKind::CutOff => self.partial().is_none_or(|reply| {
                let is_cut = |reason| {
                    matches!(
                        reason,
                        FinishReason::End | FinishReason::Stop | FinishReason::ToolCalls
                    )
                };
                let mut replies = std::iter::once(reply).chain(reply.alternatives());
                replies.any(|reply| {
                    reply.finish_reason().is_none_or(is_cut)
                        || reply.finish_word().is_some_and(is_failure)
                })
            }),
            WireErrorKind::Provider => self.provider().is_some_and(ProviderError::is_temporary),
            WireErrorKind::Unsupported | WireErrorKind::Unreadable | WireErrorKind::Refused => {
                false
            }
        }
    }
}

impl ProviderError {
    /// Whether the error may disappear without a change of the request.
    fn is_temporary(&self) -> bool {
        // The quota of an account does not recover by itself.
        if self.matches_name("insufficient_quota") {
            return false;
        }
        match self.status {
            Some(status) => matches!(status, 408 | 409 | 425 | 429 | 500..),
            // A stream has no status.
            None => {
                ["rate_limit", "overloaded", "server_error", "api_error", "timeout"]
                    .iter()
                    .any(|name| self.matches_name(name))
                    || self.code.as_deref().is_some_and(is_failure)
            }
        }
    }

    fn matches_name(&self, name: &str) -> bool {
        [&self.kind, &self.code].into_iter().flatten().any(|it| it.contains(name))
    }
}

impl From<ProviderError> for WireError {
    fn from(error: ProviderError) -> Self {
        let detail = match error.message.trim() {
            "" => String::new(),
            message => format!(": {message}"),
        };
        let message = match error.status {
            Some(status) => format!("the provider answered with status {status}{detail}"),
            None => format!("the provider sent an error{detail}"),
        };
        let mut own = Self::new(WireErrorKind::Provider, message);
        let help = match error.status {
            Some(401 | 403) => Some("check the API key and its access to the model"),
            Some(404) => Some("check the base URL and the model name"),
            Some(400 | 422) => Some("check the options of the request"),
            _ if error.matches_name("insufficient_quota") => Some("check the quota of the account"),
            _ if error.is_temporary() => Some("wait, then send the request again"),
            _ => None,
        };
        own.inner.help = help.map(str::to_owned);
        own.inner.provider = Some(error);
        own
    }
}

json_objects! {
    /// The fields of an error in all protocols.
    #[derive(Default)]
    struct ErrorFields<'j> {
        message: Text<'j>,
        #[serde(rename = "type")]
        kind: Text<'j>,
        code: Text<'j>,
        param: Text<'j>,
        detail: Text<'j>,
    }
}

impl ProviderError {
    /// Reads an error from JSON: an object or a string.
    pub(super) fn from_json(json: &str) -> Self {
        if let Ok(Text(message)) = serde_json::from_str::<Text<'_>>(json)
            && !message.is_empty()
        {
            let status = status_of(&message);
            return Self { status, message: message.into_owned(), ..Self::default() };
        }
        let from_object = |json: &str| {
            let fields: Object<ErrorFields<'_>> = serde_json::from_str(json).ok()?;
            Some(Self::from_fields(&fields.0?, json))
        };
        from_object(json)
            .or_else(|| from_object(&with_single_fields(json)?))
            .unwrap_or_else(|| Self { message: shortened(json), ..Self::default() })
    }

    fn from_fields(fields: &ErrorFields<'_>, json: &str) -> Self {
        let text = |text: &Text<'_>| text.get().map(str::to_owned);
        let message = text(&fields.message).or_else(|| text(&fields.detail));
        Self {
            status: fields.code.get().and_then(status_of),
            message: message.unwrap_or_else(|| shortened(json)),
            kind: text(&fields.kind),
            code: text(&fields.code),
            parameter: text(&fields.param),
        }
    }
}

/// A code as an HTTP status. Some gateways send the status of another server as the code.
fn status_of(code: &str) -> Option<u16> {
    code.parse().ok().filter(|status| (400..600).contains(status))
}

/// Whether the field `error` of an answer contains an error.
pub(super) fn is_error(json: &str) -> bool {
    !is_empty_json(json)
}

/// The beginning of a provider's text.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 2_000;
    let mut shortened: String = text.chars().take(LONGEST).collect();
    if shortened.len() < text.len() {
        shortened.push('…');
    }
    shortened
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)?;
        match &self.inner.help {
            Some(help) if f.alternate() => write!(f, "\n  = help: {help}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for WireError {
    /// The kind, then the message with its help, as `unwrap` shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self:#}", self.inner.kind)
    }
}

impl std::error::Error for WireError {}

impl From<WireError> for Error {
    fn from(error: WireError) -> Self {
        let (kind, place) = error.inner.converted.clone();
        let mut own = Self::new(kind, error.to_string());
        if let Some(place) = place {
            own = own.with_place(place);
        }
        if let Some(help) = error.help() {
            own = own.with_help(help);
        }
        own.with_source(error)
    }
}

impl From<ReplyError> for WireError {
    /// An unusable answer, with the reply as [`WireError::partial`].
    fn from(error: ReplyError) -> Self {
        let kind = match error.kind() {
            ReplyErrorKind::Refused => WireErrorKind::Refused,
            _ => WireErrorKind::CutOff,
        };
        let mut own = Self::new(kind, error.to_string());
        own.inner.help = error.help().map(str::to_owned);
        own.with_partial(error.into_reply())
    }
}

impl From<Error> for WireError {
    /// An input that cannot be sent, such as media that is neither a URL nor data. It converts back
    /// into an error of the same kind.
    fn from(error: Error) -> Self {
        let mut own = Self::unsupported(error.to_string());
        own.inner.help = error.help().map(str::to_owned);
        own.inner.converted = (error.kind(), error.place().cloned());
        own
    }
}
