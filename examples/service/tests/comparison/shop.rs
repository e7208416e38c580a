//! What both sides are given: the shop that the assistant works for, and where the provider is.

use std::sync::{Arc, Mutex};

use reqwest::{Client, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the search found for a question.
pub struct Passage {
    pub title: &'static str,
    pub text: &'static str,
}

/// A customer's question, with what the search found for it.
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
        _ => Err(format!("there is no order {number}")),
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

/// What a complaint becomes.
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

/// What the log has of each answer of the provider.
#[derive(Clone, Debug, PartialEq)]
pub struct Logged {
    pub id: Option<String>,
    pub model: Option<String>,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
}

/// Why there is no answer.
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// The provider is not there, or the connection broke.
    Transport(String),
    /// The provider said so, with a status or within a stream. The same request may succeed later.
    Provider { status: Option<u16>, message: String, is_retryable: bool },
    /// What the provider sent is none of its format.
    Unreadable(String),
    /// The answer ended before its end.
    CutOff,
    /// The model does not want to answer.
    Refused(String),
    /// The model's answer does not fit the type, twice.
    Unfit(String),
    /// The model called tools again and again.
    TooManySteps,
}

pub type Outcome<T> = Result<T, Failure>;

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        Self::Transport(error.to_string())
    }
}

/// What a service needs of a model.
pub trait Assistant {
    fn new(provider: Endpoint) -> Self;

    /// Answers a question from passages, and tells the text as it comes. The model may call tools.
    async fn support(&self, asked: Question<'_>, on_text: impl FnMut(&str)) -> Outcome<String>;

    /// Makes a ticket of a complaint. A ticket that does not fit is asked for once more.
    async fn triage(&self, complaint: &str) -> Outcome<Ticket>;
}

/// How many requests an answer may take.
pub const STEPS: usize = 4;

/// Where the provider is.
pub struct Endpoint {
    pub http: Client,
    pub base_url: String,
    pub key: String,
    pub model: String,
    pub log: Arc<Mutex<Vec<Logged>>>,
}

impl Endpoint {
    /// Sends a request to the provider.
    pub async fn post(&self, body: String) -> Outcome<Response> {
        let request = self.http.post(format!("{}/chat/completions", self.base_url));
        let request = request.bearer_auth(&self.key).header("content-type", "application/json");
        Ok(request.body(body).send().await?)
    }

    /// Logs an answer of the provider, as far as it tells.
    pub fn log(
        &self,
        id: Option<&str>,
        model: Option<&str>,
        input_tokens: Option<u64>,
        output_tokens: Option<u64>,
    ) {
        let (id, model) = (id.map(str::to_owned), model.map(str::to_owned));
        self.log.lock().unwrap().push(Logged { id, model, input_tokens, output_tokens });
    }
}
