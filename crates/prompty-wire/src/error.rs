//! What goes wrong between a service and a provider: one error, with what came before it.

use std::fmt;

use prompty_core::diagnostic::Place;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{ProviderPart, Role};
use prompty_core::value::internal::excerpt;
use serde::Deserialize;

use super::fields::{Object, Text, json_objects, says_nothing, with_single_fields};
use prompty_reply::provider::is_failure;
use prompty_reply::{Reply, ReplyError, ReplyErrorKind};

/// The result of what prepares or reads, inside of the crate.
pub(super) type Result<T, E = WireError> = std::result::Result<T, E>;

/// What went wrong between a service and a provider.
///
/// `Display` gives the message in one line; `{:#}` adds the help. Neither holds more of the provider's
/// words than its message.
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
    inner: Box<Inner>,
}

#[derive(Clone)]
struct Inner {
    kind: WireErrorKind,
    message: String,
    help: Option<String>,
    provider: Option<ProviderError>,
    partial: Option<Reply>,
    /// The kind and the place that it has as an [`Error`]: those of the error that it was made of.
    converted: (ErrorKind, Option<Place>),
}

/// The kinds of [`WireError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WireErrorKind {
    /// The request holds what the provider cannot take.
    Unsupported,
    /// The provider answered with an error.
    Provider,
    /// What came is not what the protocol says.
    Unreadable,
    /// The answer ended before its end.
    CutOff,
    /// The model refused to answer, or the provider's filter stopped it.
    Refused,
    /// The connection broke.
    Transport,
}

/// An error that a provider sent. What it did not say is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ProviderError {
    /// The status of the HTTP response, where the error was the whole answer. In a stream, and in an answer whose
    /// own status says success, it is the error's code, where that is a number from 400 to 599.
    pub status: Option<u16>,
    /// What the provider says.
    pub message: String,
    /// Its type, such as `invalid_request_error`.
    pub kind: Option<String>,
    /// Its code, such as `model_not_found`.
    pub code: Option<String>,
    /// The parameter of the request that it is about.
    pub parameter: Option<String>,
}

impl WireError {
    pub(super) fn new(kind: WireErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        let (provider, partial, converted) = (None, None, (ErrorKind::Provider, None));
        Self { inner: Box::new(Inner { kind, message, help: None, provider, partial, converted }) }
    }

    pub(super) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(WireErrorKind::Unsupported, message)
    }

    pub(super) fn unreadable(message: impl Into<String>) -> Self {
        Self::new(WireErrorKind::Unreadable, message)
    }

    /// An event, or a whole answer, that is no JSON of the protocol.
    #[expect(clippy::needless_pass_by_value, reason = "it is used with `map_err`")]
    pub(super) fn no_event(error: serde_json::Error) -> Self {
        let help = "check that the URL and the protocol belong together";
        Self::unreadable(format!("an answer of the provider cannot be read: {error}"))
            .with_help(help)
    }

    /// An answer that ended before its end.
    pub(super) fn cut_off() -> Self {
        Self::new(WireErrorKind::CutOff, "the answer of the provider ended before its end")
            .with_help("what came is in `partial()`; ask again, or allow the request more time")
    }

    /// A message of the role `tool` that says no call.
    pub(super) fn no_call_answered() -> Self {
        Self::unsupported("a message of the role `tool` says no call that it answers")
            .with_help("make it of a result: `Message::from(ToolResult::new(call_id, text))`")
    }

    /// A role that the protocol does not have.
    pub(super) fn no_role(role: &Role) -> Self {
        Self::unsupported(format!("the protocol has no role `{role}`"))
            .with_help("use `system`, `developer`, `user`, `assistant` or `tool`")
    }

    /// Media, or another part, where the protocol takes none.
    pub(super) fn no_part(kind: &str, role: &Role) -> Self {
        let message =
            format!("the protocol takes no part of the kind `{kind}` from the role `{role}`");
        let help = match kind {
            "image" | "file" | "audio" if *role != Role::User => {
                "put it into a message of the user"
            }
            "audio" => "send it with chat completions, or say it in text",
            "mcp_approval_response" => "put it into a message of the user",
            kind if kind == "tool_result" || kind.ends_with("_output") => {
                "put it into a message of the role `tool`"
            }
            _ => "leave it out",
        };
        Self::unsupported(message).with_help(help)
    }

    /// What another protocol wrote, where it cannot be left out.
    pub(super) fn part_of_another(part: &ProviderPart) -> Self {
        let kind = part.kind().unwrap_or("part");
        let message =
            format!("a `{kind}` of `{}` is understood by no other protocol", part.protocol);
        Self::unsupported(message).with_help("say it in text, or as an image or a file")
    }

    /// The same error, with the place of the message that it is about.
    pub(super) fn in_message(mut self, index: usize) -> Self {
        self.inner.message = format!("message {index}: {}", self.inner.message);
        self
    }

    /// An event, or a whole answer, that is no JSON map.
    fn no_json(json: &str) -> Self {
        let message = format!("an answer of the provider cannot be read: {}", excerpt(json));
        Self::unreadable(message).with_help("check that the URL and the protocol belong together")
    }

    /// The fields of an event, or of a whole answer, which is a map.
    pub(super) fn read_object<'j, T: Deserialize<'j>>(json: &'j str) -> Result<T, Self> {
        let object: Object<T> = serde_json::from_str(json).map_err(|_| Self::no_json(json))?;
        object.0.ok_or_else(|| Self::no_json(json))
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.inner.help = Some(help.into());
        self
    }

    pub(super) fn with_partial(mut self, partial: Reply) -> Self {
        self.inner.partial = Some(partial);
        self
    }

    /// What kind of error this is.
    pub fn kind(&self) -> WireErrorKind {
        self.inner.kind
    }

    /// How to mend it, where that is known.
    pub fn help(&self) -> Option<&str> {
        self.inner.help.as_deref()
    }

    /// What the provider said, where it answered with an error.
    pub fn provider(&self) -> Option<&ProviderError> {
        self.inner.provider.as_ref()
    }

    /// What came of the reply before the error. Calls that had not ended are not complete.
    pub fn partial(&self) -> Option<&Reply> {
        self.inner.partial.as_ref()
    }

    /// Whether the provider said anything beside the status.
    pub(super) fn provider_spoke(&self) -> bool {
        self.provider().is_some_and(|error| !error.message.trim().is_empty())
    }

    /// Whether the same request may succeed later: the provider is overloaded, limits the rate, or the
    /// connection broke.
    pub fn is_retryable(&self) -> bool {
        match self.kind() {
            WireErrorKind::Transport => true,
            // A limit of tokens is reached again.
            WireErrorKind::CutOff => self.partial().is_none_or(|reply| {
                let mut replies = std::iter::once(reply).chain(reply.alternatives());
                replies.any(|reply| {
                    reply.finish_reason().is_none() || reply.finish_word().is_some_and(is_failure)
                })
            }),
            WireErrorKind::Provider => self.provider().is_some_and(ProviderError::is_passing),
            WireErrorKind::Unsupported | WireErrorKind::Unreadable | WireErrorKind::Refused => {
                false
            }
        }
    }
}

impl ProviderError {
    /// Whether the error is one of the moment.
    fn is_passing(&self) -> bool {
        // The quota of an account does not come back by itself.
        if self.is_called("insufficient_quota") {
            return false;
        }
        match self.status {
            Some(status) => matches!(status, 408 | 409 | 425 | 429 | 500..),
            // In a stream there is no status.
            None => {
                ["rate_limit", "overloaded", "server_error", "api_error", "timeout"]
                    .iter()
                    .any(|name| self.is_called(name))
                    || self.code.as_deref().is_some_and(is_failure)
            }
        }
    }

    fn is_called(&self, name: &str) -> bool {
        [&self.kind, &self.code].into_iter().flatten().any(|it| it.contains(name))
    }
}

impl From<ProviderError> for WireError {
    fn from(error: ProviderError) -> Self {
        let said = match error.message.trim() {
            "" => String::new(),
            message => format!(": {message}"),
        };
        let message = match error.status {
            Some(status) => format!("the provider answered with status {status}{said}"),
            None => format!("the provider sent an error{said}"),
        };
        let mut own = Self::new(WireErrorKind::Provider, message);
        own.inner.help = match error.status {
            Some(401 | 403) => Some("check the key, and that it may use the model".to_owned()),
            Some(404) => Some("check the base URL and the name of the model".to_owned()),
            _ => None,
        };
        own.inner.provider = Some(error);
        own
    }
}

json_objects! {
    /// The fields of an error in any of the protocols.
    #[derive(Default)]
    struct Fields<'j> {
        message: Text<'j>,
        #[serde(rename = "type")]
        kind: Text<'j>,
        code: Text<'j>,
        param: Text<'j>,
        detail: Text<'j>,
    }
}

impl ProviderError {
    /// An error out of the JSON of its object, or of its bare text.
    pub(super) fn from_json(json: &str) -> Self {
        if let Ok(Text(message)) = serde_json::from_str::<Text<'_>>(json)
            && !message.is_empty()
        {
            let status = status_of(&message);
            return Self { status, message: message.into_owned(), ..Self::default() };
        }
        let of_map = |json: &str| {
            let fields: Object<Fields<'_>> = serde_json::from_str(json).ok()?;
            Some(Self::from_fields(&fields.0?, json))
        };
        of_map(json)
            .or_else(|| of_map(&with_single_fields(json)?))
            .unwrap_or_else(|| Self { message: shortened(json), ..Self::default() })
    }

    fn from_fields(fields: &Fields<'_>, json: &str) -> Self {
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

/// The status that a code is: some send that of another server.
fn status_of(code: &str) -> Option<u16> {
    code.parse().ok().filter(|status| (400..600).contains(status))
}

/// Whether the field `error` of an answer holds one.
pub(super) fn is_error(json: &str) -> bool {
    !says_nothing(json)
}

/// What a provider said, bounded.
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
    /// The kind, then the message with its help: `unwrap` shows it.
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
    /// An answer that cannot be used, with the reply as [`WireError::partial`].
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
    /// An input that cannot be sent, such as a medium that is neither a URL nor data. It becomes an error of
    /// the same kind again.
    fn from(error: Error) -> Self {
        let mut own = Self::unsupported(error.to_string());
        own.inner.help = error.help().map(str::to_owned);
        own.inner.converted = (error.kind(), error.place().cloned());
        own
    }
}
