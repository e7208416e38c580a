//! What can go wrong, and what the client is told of it: never what the provider said, which may hold
//! parts of keys, addresses or prompts. That goes to the log.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use typed_prompty::output::OutputError;
use typed_prompty::wire::{WireError, WireErrorKind};

/// Why there is no answer.
#[derive(Debug)]
pub enum Failure {
    /// The provider cannot be reached.
    Unreachable(reqwest::Error),
    /// The provider failed, or the way to it, or its answer is none; it may say when to ask again.
    Provider { error: WireError, retry_after: Option<Duration> },
    /// The provider sends more than any answer needs.
    TooLarge,
    /// The model's answer does not fit its type, although it was asked again.
    Unfit(OutputError),
    /// The model says nothing at all.
    Silent,
    /// The model calls tools again and again.
    TooManySteps,
    /// The prompt cannot be made of these inputs.
    Prompt(typed_prompty::Error),
    /// The client's request does not fit.
    Body(JsonRejection),
}

impl Failure {
    /// What the client is told: a status, a word for programs, and a sentence for people.
    fn told(&self) -> (StatusCode, &'static str, Cow<'static, str>) {
        use StatusCode as Status;
        let (status, code, message) = match self {
            Self::Unreachable(_) => (
                Status::BAD_GATEWAY,
                "unreachable",
                "No model server answers. Start one, for example `llama-server -m MODEL.gguf --jinja`, \
                 or set OPENAI_BASE_URL to where one is.",
            ),
            Self::Provider { error, .. } => match error.kind() {
                WireErrorKind::Refused => {
                    (Status::UNPROCESSABLE_ENTITY, "refused", "The model does not answer this.")
                }
                WireErrorKind::CutOff => {
                    (Status::BAD_GATEWAY, "cut_off", "The answer ended before its end.")
                }
                _ if self.is_retryable() => (
                    Status::SERVICE_UNAVAILABLE,
                    "overloaded",
                    "The model's provider is overloaded. Ask again later.",
                ),
                _ => (Status::BAD_GATEWAY, "provider", "The model's provider failed."),
            },
            Self::TooLarge => (Status::BAD_GATEWAY, "too_large", "The answer is too large."),
            Self::Unfit(_) => (Status::BAD_GATEWAY, "unfit", "The model's answer does not fit."),
            Self::Silent => (Status::BAD_GATEWAY, "silent", "The model said nothing."),
            Self::TooManySteps => {
                (Status::BAD_GATEWAY, "too_many_steps", "The model did not come to an end.")
            }
            Self::Prompt(_) => (Status::BAD_REQUEST, "inputs", "No prompt can be made of this."),
            // What the client sent itself it may be told of.
            Self::Body(error) => return (error.status(), "body", error.body_text().into()),
        };
        (status, code, message.into())
    }

    /// The word for it, as `error.type` of spans has it.
    pub fn code(&self) -> &'static str {
        self.told().1
    }

    /// Whether the provider says that the same request may succeed a little later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Provider { error, .. } => error.provider().is_some() && error.is_retryable(),
            _ => false,
        }
    }

    /// When the provider wants to be asked again.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Provider { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Writes the failure to the log, and returns what the client is told.
    pub fn report(&self) -> Value {
        let (_, code, message) = self.told();
        tracing::error!(code, "{self}");
        json!({"error": {"code": code, "message": message}})
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = (self.told().0, Json(self.report())).into_response();
        if let Some(wait) = self.retry_after() {
            // The header has whole seconds; the next one is late enough.
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl fmt::Display for Failure {
    /// What is wrong, for the log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Its `Display` does not say why.
            Self::Unreachable(error) => write!(f, "{} {error:?}", self.told().2),
            Self::Provider { error, .. } => write!(f, "{error:#}"),
            Self::Unfit(error) => write!(f, "{error}"),
            Self::Prompt(error) => write!(f, "{error:#}"),
            Self::TooLarge | Self::Silent | Self::TooManySteps | Self::Body(_) => {
                f.write_str(&self.told().2)
            }
        }
    }
}

impl From<WireError> for Failure {
    fn from(error: WireError) -> Self {
        Self::Provider { error, retry_after: None }
    }
}

impl From<JsonRejection> for Failure {
    fn from(error: JsonRejection) -> Self {
        Self::Body(error)
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        Self::Unfit(error)
    }
}

impl From<typed_prompty::Error> for Failure {
    fn from(error: typed_prompty::Error) -> Self {
        Self::Prompt(error)
    }
}
