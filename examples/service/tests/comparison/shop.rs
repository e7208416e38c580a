//! What both sides are given: the shop that the assistant works for, and where the provider is.

use reqwest::Client;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the search found for a question.
pub struct Passage {
    pub title: &'static str,
    pub text: &'static str,
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

/// An answer to a customer.
#[derive(Debug, PartialEq)]
pub struct Answer {
    pub text: String,
    /// All tokens that it cost.
    pub tokens: u64,
}

/// Why there is no answer.
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// The provider is not there, or the connection broke.
    Transport(String),
    /// The provider said so, with a status or within a stream.
    Provider { status: Option<u16>, message: String },
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

/// What a service needs of a model.
pub trait Assistant {
    fn new(provider: Endpoint) -> Self;

    /// Answers a question from passages, and tells the text as it comes. The model may call tools.
    async fn support(
        &self,
        passages: &[Passage],
        question: &str,
        on_text: impl FnMut(&str),
    ) -> Result<Answer, Failure>;

    /// Makes a ticket of a complaint. A ticket that does not fit is asked for once more.
    async fn triage(&self, complaint: &str) -> Result<Ticket, Failure>;
}

/// How many requests an answer may take.
pub const STEPS: usize = 4;

/// Where the provider is.
pub struct Endpoint {
    pub http: Client,
    pub base_url: String,
    pub key: String,
    pub model: String,
}

impl Endpoint {
    /// Sends a request to the provider.
    pub async fn post(&self, body: String) -> Result<reqwest::Response, Failure> {
        let request = self.http.post(format!("{}/chat/completions", self.base_url));
        let request = request.bearer_auth(&self.key).header("content-type", "application/json");
        request.body(body).send().await.map_err(|error| Failure::Transport(error.to_string()))
    }
}
