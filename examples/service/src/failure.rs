//! The errors of the service, and how the client sees them. Clients never get the message of the
//! provider, because it may contain keys, addresses or prompts. It is written to the log.

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

/// The reason for a missing answer.
#[derive(Debug)]
pub enum Failure {
    /// The provider cannot be reached.
    Unreachable(reqwest::Error),
    /// The provider failed, or its answer is not valid. It may state a time to retry.
    Provider { error: WireError, retry_after: Option<Duration> },
    /// The answer of the provider is too large.
    TooLarge,
    /// The model's answer does not fit its type, even after a retry.
    Unfit(OutputError),
    /// The answer of the model is empty.
    Silent,
    /// The model called tools too many times.
    TooManySteps,
    /// The prompt could not be rendered from these inputs.
    Prompt(typed_prompty::Error),
    /// The body of the client's request is not valid.
    Body(JsonRejection),
}

impl Failure {
    /// The error for the client: a status, a code for programs, and a sentence for people.
    fn client_error(&self) -> (StatusCode, &'static str, Cow<'static, str>) {
        use StatusCode as Status;
        let (status, code, message) = match self {
            Self::Unreachable(_) => (
                Status::BAD_GATEWAY,
                "unreachable",
                "No model server answers. Start one, for example `llama-server -m MODEL.gguf --jinja`, \
                 or set OPENAI_BASE_URL to the URL of one.",
            ),
            Self::Provider { error, .. } => match error.kind() {
                WireErrorKind::Refused => {
                    (Status::UNPROCESSABLE_ENTITY, "refused", "The model refused to answer.")
                }
                WireErrorKind::CutOff => {
                    (Status::BAD_GATEWAY, "cut_off", "The answer is incomplete.")
                }
                _ if self.is_retryable() => (
                    Status::SERVICE_UNAVAILABLE,
                    "overloaded",
                    "The model's provider is overloaded. Try again later.",
                ),
                _ => (Status::BAD_GATEWAY, "provider", "The model's provider failed."),
            },
            Self::TooLarge => (Status::BAD_GATEWAY, "too_large", "The answer is too large."),
            Self::Unfit(_) => (Status::BAD_GATEWAY, "unfit", "The model's answer is not valid."),
            Self::Silent => (Status::BAD_GATEWAY, "silent", "The model's answer is empty."),
            Self::TooManySteps => {
                (Status::BAD_GATEWAY, "too_many_steps", "The model called tools too many times.")
            }
            Self::Prompt(_) => (Status::BAD_REQUEST, "inputs", "The inputs are not valid."),
            // This message describes only what the client sent.
            Self::Body(error) => return (error.status(), "body", error.body_text().into()),
        };
        (status, code, message.into())
    }

    /// The code of the failure, also used as `error.type` of spans.
    pub fn code(&self) -> &'static str {
        self.client_error().1
    }

    /// Whether the provider reports that the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Provider { error, .. } => error.provider().is_some() && error.is_retryable(),
            _ => false,
        }
    }

    /// The time after which the provider accepts a retry.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Provider { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Writes the failure to the log, and returns the body for the client.
    pub fn report(&self) -> Value {
        let (_, code, message) = self.client_error();
        tracing::error!(code, "{self}");
        json!({"error": {"code": code, "message": message}})
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = (self.client_error().0, Json(self.report())).into_response();
        if let Some(wait) = self.retry_after() {
            // The header has full seconds, so fractions are rounded up.
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl fmt::Display for Failure {
    /// The message for the log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Its `Display` does not contain the cause.
            Self::Unreachable(error) => write!(f, "{} {error:?}", self.client_error().2),
            Self::Provider { error, .. } => write!(f, "{error:#}"),
            Self::Unfit(error) => write!(f, "{error}"),
            Self::Prompt(error) => write!(f, "{error:#}"),
            Self::TooLarge | Self::Silent | Self::TooManySteps | Self::Body(_) => {
                f.write_str(&self.client_error().2)
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
