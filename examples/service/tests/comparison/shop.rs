//! The parts that both implementations share: the shop, its types, and the provider.

use std::sync::{Arc, Mutex};

use reqwest::{Client, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A search result for a question.
pub struct Passage {
    pub title: &'static str,
    pub text: &'static str,
}

/// A customer's question, with the search results for it.
pub struct Question<'q> {
    pub passages: &'q [Passage],
    pub text: &'q str,
}

/// An order of a customer.
#[derive(Serialize)]
pub struct Order {
    number: u32,
    item: &'static str,
    sent: bool,
}

/// Finds an order.
pub fn order(number: u32) -> Result<Order, String> {
    match number {
        17 => Ok(Order { number, item: "blender", sent: false }),
        18 => Ok(Order { number, item: "kettle", sent: true }),
        _ => Err(format!("unknown order {number}")),
    }
}

/// Cancels an order that was not sent yet.
pub fn cancel(number: u32, reason: Option<&str>) -> Result<String, String> {
    let order = order(number)?;
    match order.sent {
        true => Err(format!("the {} is on its way", order.item)),
        false => Ok(format!("cancelled the {}: {}", order.item, reason.unwrap_or("no reason"))),
    }
}

/// The typed form of a complaint.
#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
pub struct Ticket {
    /// At most ten words.
    pub title: String,
    /// From 1 (some day) to 5 (now).
    #[schemars(range(min = 1, max = 5))]
    pub urgency: u8,
    /// Who shall see to it, if the customer says so.
    pub assignee: Option<String>,
}

/// A log entry for an answer of the provider.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    pub id: Option<String>,
    pub model: Option<String>,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
}

/// The reason for a missing answer.
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// The provider cannot be reached, or the connection broke.
    Transport(String),
    /// The provider reported an error, with a status or within a stream. A retry may succeed.
    Provider { status: Option<u16>, message: String, is_retryable: bool },
    /// The data of the provider does not have the expected format.
    Unreadable(String),
    /// The answer is incomplete.
    CutOff,
    /// The model refused to answer.
    Refused(String),
    /// The model's answer does not fit the type, even after a retry.
    Unfit(String),
    /// The model called tools too many times.
    TooManySteps,
}

pub type Outcome<T> = Result<T, Failure>;

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        Self::Transport(error.to_string())
    }
}

/// The functions of the assistant.
pub trait Assistant {
    fn new(provider: Endpoint) -> Self;

    /// Answers a question, and passes on the text as it arrives. The model may call tools.
    async fn support(&self, asked: Question<'_>, on_text: impl FnMut(&str)) -> Outcome<String>;

    /// Makes a ticket from a complaint. If the ticket is not valid, the model is asked once more.
    async fn triage(&self, complaint: &str) -> Outcome<Ticket>;
}

/// The maximum number of requests for one answer.
pub const STEPS: usize = 4;

/// The connection to the provider.
pub struct Endpoint {
    pub http: Client,
    pub base_url: String,
    pub key: String,
    pub model: String,
    pub log: Arc<Mutex<Vec<LogEntry>>>,
}

impl Endpoint {
    /// Sends a request to the provider.
    pub async fn post(&self, body: String) -> Outcome<Response> {
        let request = self.http.post(format!("{}/chat/completions", self.base_url));
        let request = request.bearer_auth(&self.key).header("content-type", "application/json");
        Ok(request.body(body).send().await?)
    }

    /// Logs the metadata of an answer.
    pub fn log(
        &self,
        id: Option<&str>,
        model: Option<&str>,
        input_tokens: Option<u64>,
        output_tokens: Option<u64>,
    ) {
        let (id, model) = (id.map(str::to_owned), model.map(str::to_owned));
        self.log.lock().unwrap().push(LogEntry { id, model, input_tokens, output_tokens });
    }
}
