//! The provider: requests go out, again where that may help, and the bytes of the answers come in.
//!
//! Each request has a thread of its own, since a thread that reads cannot be woken: the chat waits for what
//! comes through a channel, and Ctrl-C comes the same way. When the chat has stopped to listen, the thread ends
//! with the next bytes, and with the connection the provider's work ends, too.

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

/// How often a request is sent before the chat gives up.
const ATTEMPTS: u32 = 3;
/// How long the chat waits, for each attempt so far, where the provider does not say how long.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest time that a user waits for the next attempt.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// What comes while an answer is awaited. The answer ends with the channel.
pub enum Incoming {
    /// Bytes of the answer, cut anywhere.
    Piece(Vec<u8>),
    /// The provider has no room now; the request is sent again after a pause.
    Pause(WireError),
    /// The request was sent again.
    Again,
    /// There is no answer.
    Failed(Failure),
    /// The connection broke.
    Broken(io::Error),
    /// The user does not want the answer.
    Cancelled,
}

/// A server, and the model that is used there.
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
    /// The provider that the settings name.
    pub fn new(settings: Settings, interrupt: Interrupt) -> Self {
        let Settings { base_url, key, model } = settings;
        // OpenAI names the limit of tokens in another way than all others.
        let protocol = match base_url.contains("://api.openai.com/") {
            true => Protocol::OpenAiChat,
            false => Protocol::OpenAiCompatible,
        };
        // An answer may take as long as it takes: a user who is tired of it presses Ctrl-C.
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

    /// Sends a request. What comes is in the channel.
    pub fn send(&self, request: &Request<'_>) -> Result<Receiver<Incoming>, WireError> {
        let body = request.to_json()?;
        let (sender, incoming) = mpsc::channel();
        let sender = Arc::new(sender);
        self.interrupt.cancels(&sender);
        let provider = self.clone();
        // Nobody listens after Ctrl-C: that ends the thread.
        thread::spawn(move || provider.answer(&body, &sender).ok());
        Ok(incoming)
    }

    fn answer(&self, body: &str, sender: &Sender<Incoming>) -> Result<(), SendError<Incoming>> {
        for attempt in 1.. {
            let mut response = match self.post(body) {
                Ok(response) if response.status().is_success() => {
                    return pass_on(response, sender);
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
            sender.send(Incoming::Again)?;
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

/// Passes the bytes of an answer on as they come.
fn pass_on(response: Response<Body>, sender: &Sender<Incoming>) -> Result<(), SendError<Incoming>> {
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
