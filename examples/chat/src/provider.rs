//! The provider: sends requests, retries them if that may help, and receives the answers.
//!
//! Each request has a separate thread, because a thread that reads cannot be interrupted. The chat
//! waits on a channel, which also delivers Ctrl-C. If the chat no longer receives, the thread ends
//! with the next bytes. Then the connection is closed, and the provider stops as well.

use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SendError, Sender};
use std::time::{Duration, SystemTime};
use std::{io, thread};

use typed_prompty::Message;
use typed_prompty::wire::{Protocol, Request, WireError, retry_after};
use ureq::http::Response;
use ureq::{Agent, Body};

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::settings::Settings;

/// The maximum number of attempts to send a request.
const ATTEMPTS: u32 = 3;
/// The pause before a retry, for each attempt so far, if the provider does not state one.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest pause before a retry.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The events while the chat waits for an answer. The answer ends when the channel is closed.
pub enum Incoming {
    /// Bytes of the answer, cut anywhere.
    Piece(Vec<u8>),
    /// The provider is busy; the request is sent again after a pause.
    Pause(WireError),
    /// The request was sent again.
    Retry,
    /// The request failed.
    Failed(Failure),
    /// The connection broke.
    Broken(io::Error),
    /// The user cancelled the answer.
    Cancelled,
}

/// A server, and the model to use.
#[derive(Clone)]
pub struct Provider {
    agent: Agent,
    base_url: String,
    key: Option<String>,
    model: String,
    protocol: Protocol,
    interrupt: Interrupt,
}

impl Provider {
    /// Creates the provider from the settings.
    pub fn new(settings: Settings, interrupt: Interrupt) -> Self {
        let Settings { base_url, key, model } = settings;
        // OpenAI uses a different field for the token limit.
        let protocol = match base_url.contains("://api.openai.com/") {
            true => Protocol::OpenAiChat,
            false => Protocol::OpenAiCompatible,
        };
        // There is no timeout for an answer: the user can press Ctrl-C.
        let agent = Agent::config_builder()
            .timeout_connect(Some(Duration::from_secs(10)))
            .http_status_as_error(false)
            .build();
        Self { agent: agent.into(), base_url, key, model, protocol, interrupt }
    }

    /// A request of these messages to the model.
    pub fn request<'m>(&self, messages: &'m [Message]) -> Request<'m> {
        Request::new(self.model.clone(), messages).with_protocol(self.protocol)
    }

    /// Sends a request. The events of its answer arrive in the channel.
    pub fn send(&self, request: &Request<'_>) -> Result<Receiver<Incoming>, WireError> {
        let body = request.to_json()?;
        let (sender, incoming) = mpsc::channel();
        let sender = Arc::new(sender);
        self.interrupt.set_answer(&sender);
        let provider = self.clone();
        // After Ctrl-C the channel is closed, which ends the thread.
        thread::spawn(move || provider.answer(&body, &sender).ok());
        Ok(incoming)
    }

    fn answer(&self, body: &str, sender: &Sender<Incoming>) -> Result<(), SendError<Incoming>> {
        for attempt in 1.. {
            let mut response = match self.post(body) {
                Ok(response) if response.status().is_success() => {
                    return forward(response, sender);
                }
                Ok(response) => response,
                Err(error) => {
                    let failure = Failure::Unreachable { url: self.base_url.clone(), error };
                    return sender.send(Incoming::Failed(failure));
                }
            };
            let header = |name: &str| response.headers().get(name)?.to_str().ok();
            let pause = retry_after(header, SystemTime::now()).unwrap_or(PAUSE * attempt);
            let status = response.status().as_u16();
            let body = response.body_mut().read_to_vec().unwrap_or_default();
            let error = WireError::from_response(status, &body);
            if attempt == ATTEMPTS || !error.is_retryable() || pause > LONGEST_PAUSE {
                return sender.send(Incoming::Failed(error.into()));
            }
            sender.send(Incoming::Pause(error))?;
            thread::sleep(pause);
            sender.send(Incoming::Retry)?;
        }
        Ok(())
    }

    fn post(&self, body: &str) -> Result<Response<Body>, ureq::Error> {
        let url = format!("{}{}", self.base_url, self.protocol.path());
        let headers = self.protocol.headers(self.key.as_deref());
        headers
            .fold(self.agent.post(url), |post, (name, value)| post.header(name, value))
            .send(body)
    }
}

/// Forwards the bytes of an answer as they arrive.
fn forward(response: Response<Body>, sender: &Sender<Incoming>) -> Result<(), SendError<Incoming>> {
    let mut body = response.into_body().into_reader();
    let mut buffer = vec![0; 16 << 10];
    loop {
        match body.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => sender.send(Incoming::Piece(buffer[..count].to_vec()))?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return sender.send(Incoming::Broken(error)),
        }
    }
}
