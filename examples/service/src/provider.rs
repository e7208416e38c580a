//! The connection to the provider: sends requests, retries them if that may help, and reads the
//! answers. Each request is a span with the attribute names of OpenTelemetry.

use std::mem;
use std::time::{Duration, SystemTime};

use axum::body::Bytes;
use reqwest::{Client, Response};
use tracing::field::{Empty, debug};
use tracing::{Instrument, Span};
use typed_prompty::Message;
use typed_prompty::reply::Reply;
use typed_prompty::wire::{self, Protocol, Request, WireError};

use crate::failure::Failure;
use crate::settings::Settings;

/// The maximum number of attempts to send a request.
const ATTEMPTS: u32 = 3;
/// The longest time that a client waits for a retry.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// The longest time between two parts of an answer.
const LONGEST_SILENCE: Duration = Duration::from_secs(120);
/// The number of idle connections that stay open. Others are closed to free their buffers.
const IDLE_CONNECTIONS: usize = 64;
/// The maximum number of bytes of an answer, and of an error.
const MAX_ANSWER: usize = 8 << 20;
const MAX_ERROR: usize = 64 << 10;

/// The provider, and the model to use.
#[derive(Clone, Debug)]
pub struct Provider {
    http: Client,
    base_url: String,
    key: Option<String>,
    model: String,
    protocol: Protocol,
}

impl Provider {
    /// Creates the provider from the settings.
    ///
    /// # Errors
    /// Returns an error if the system has no certificates to verify the provider.
    pub fn new(settings: &Settings) -> Result<Self, reqwest::Error> {
        let http = Client::builder()
            .connect_timeout(Duration::from_secs(5))
            .read_timeout(LONGEST_SILENCE)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .build()?;
        let Settings { base_url, key, model, .. } = settings;
        let protocol = match base_url.contains("://api.openai.com/") {
            true => Protocol::OpenAiChat,
            false => Protocol::OpenAiCompatible,
        };
        tracing::info!(base_url, model, "provider");
        let (base_url, model) = (base_url.clone(), model.clone());
        Ok(Self { http, base_url, key: key.clone(), model, protocol })
    }

    /// A request of these messages to the model.
    pub fn request<'m>(&self, messages: &'m [Message]) -> Request<'m> {
        Request::new(self.model.clone(), messages).with_protocol(self.protocol)
    }

    /// The complete answer to a request.
    ///
    /// # Errors
    /// Returns an error if the provider fails, or if its answer is incomplete or refused.
    pub async fn complete(&self, request: &Request<'_>) -> Result<Reply, Failure> {
        let mut answering = self.stream(request).await?;
        while answering.next().await?.is_some() {}
        answering.finish()
    }

    /// The answer to a request as a stream.
    ///
    /// # Errors
    /// Returns an error if the provider fails before the answer begins.
    pub async fn stream(&self, request: &Request<'_>) -> Result<AnswerStream, Failure> {
        let span = self.span();
        let response = self.send(request).instrument(span.clone()).await;
        let response = response.inspect_err(|failure| record_failure(&span, failure))?;
        Ok(AnswerStream { response, stream: request.reader(), bytes: 0, span })
    }

    /// Sends a request until the provider accepts it, with a limited number of attempts.
    async fn send(&self, request: &Request<'_>) -> Result<Response, Failure> {
        let body = Bytes::from(request.to_json()?);
        let mut attempt = 1;
        loop {
            let failure = match self.send_once(body.clone()).await {
                Ok(response) => return Ok(response),
                Err(failure) => failure,
            };
            let pause = Duration::from_millis(250) * 2_u32.pow(attempt);
            let wait = failure.retry_after().unwrap_or(pause);
            if attempt == ATTEMPTS || !failure.is_retryable() || wait > LONGEST_WAIT {
                return Err(failure);
            }
            tracing::warn!(attempt, ?wait, "{failure}; retrying");
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    async fn send_once(&self, body: Bytes) -> Result<Response, Failure> {
        let url = format!("{}{}", self.base_url, self.protocol.path());
        let headers = self.protocol.headers(self.key.as_deref());
        let post =
            headers.fold(self.http.post(url), |post, (name, value)| post.header(name, value));
        let response = post.body(body).send().await.map_err(|error| match error.is_connect() {
            true => Failure::Unreachable(error),
            false => wire::ReplyReader::new().fail(error).into(),
        })?;
        if response.status().is_success() {
            return Ok(response);
        }
        let header = |name: &str| response.headers().get(name)?.to_str().ok();
        let retry_after = wire::retry_after(header, SystemTime::now());
        let status = response.status().as_u16();
        let error = WireError::from_response(status, &error_body(response).await);
        Err(Failure::Provider { error, retry_after })
    }

    /// The span of one request. The empty fields are recorded when the answer is complete.
    fn span(&self) -> Span {
        tracing::info_span!(
            "chat",
            otel.name = %format_args!("chat {}", self.model),
            otel.kind = "client",
            gen_ai.operation.name = "chat",
            gen_ai.provider.name = "openai",
            gen_ai.request.model = %self.model,
            gen_ai.response.id = Empty,
            gen_ai.response.model = Empty,
            gen_ai.response.finish_reasons = Empty,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            error.type = Empty,
        )
    }
}

/// An answer that is arriving. Dropping it cancels the request.
#[derive(Debug)]
pub struct AnswerStream {
    response: Response,
    stream: wire::ReplyReader,
    bytes: usize,
    span: Span,
}

impl AnswerStream {
    /// The next part of the text; `None` at the end.
    ///
    /// # Errors
    /// Returns an error if the connection breaks, or if the answer is too large.
    pub async fn next(&mut self) -> Result<Option<String>, Failure> {
        let next = self.read().await;
        next.inspect_err(|failure| record_failure(&self.span, failure))
    }

    async fn read(&mut self) -> Result<Option<String>, Failure> {
        // After the end of the answer, the provider may keep the connection open.
        while !self.stream.is_over() {
            let bytes = match self.response.chunk().await {
                Ok(Some(bytes)) => bytes,
                Ok(None) => return Ok(None),
                Err(error) => return Err(mem::take(&mut self.stream).fail(error).into()),
            };
            self.bytes += bytes.len();
            if self.bytes > MAX_ANSWER {
                return Err(Failure::TooLarge);
            }
            let text: String = self.stream.push_bytes(&bytes).content().collect();
            if !text.is_empty() {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// The complete reply, after the end of the stream.
    ///
    /// # Errors
    /// Returns an error if the provider failed, or if the answer is incomplete or refused.
    pub fn finish(self) -> Result<Reply, Failure> {
        let Self { stream, span, .. } = self;
        let reply = stream.finish().inspect(|reply| record(&span, reply));
        let reply = reply.and_then(|reply| Ok(reply.complete()?)).map_err(Failure::from);
        reply.inspect_err(|failure| record_failure(&span, failure))
    }
}

/// The body of an error, or the part of it that arrives.
async fn error_body(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(bytes)) = response.chunk().await
        && body.len() < MAX_ERROR
    {
        body.extend_from_slice(&bytes);
    }
    body
}

fn record(span: &Span, reply: &Reply) {
    span.record("gen_ai.response.id", reply.id());
    span.record("gen_ai.response.model", reply.model());
    span.record("gen_ai.response.finish_reasons", reply.finish_word().map(|word| debug([word])));
    if let Some(usage) = reply.usage() {
        span.record("gen_ai.usage.input_tokens", usage.input);
        span.record("gen_ai.usage.output_tokens", usage.output);
    }
}

fn record_failure(span: &Span, failure: &Failure) {
    span.record("error.type", failure.code());
}
