//! The routes: each has a typed prompt, and its requests and responses are types as well.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, FromRequest, Request, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::stream::{self, Stream};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tracing::Instrument;
use typed_prompty::reply::Reply;
use typed_prompty::tools::ToolSet;
use typed_prompty::wire::append_turn;
use typed_prompty::{Message, Prompt};

use crate::failure::Failure;
use crate::prompts::{Agent, Passage, Support, Ticket, Triage};
use crate::provider::{AnswerStream, Provider};
use crate::tools::{self, Action};

/// The maximum size of a request body.
const MAX_REQUEST: usize = 64 << 10;
/// The maximum number of requests to the model for one answer of the agent.
const MAX_STEPS: usize = 5;

/// The service.
pub fn service(provider: Provider) -> Router {
    Router::new()
        .route("/health", get(|| async {}))
        .route("/support", post(support))
        .route("/triage", post(triage))
        .route("/agent", post(agent))
        .layer(DefaultBodyLimit::max(MAX_REQUEST))
        .with_state(Arc::new(provider))
}

/// A JSON body. If it is not valid, the error has the format of all other failures.
struct Body<T>(T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let Json(body) = Json::from_request(request, state).await?;
        Ok(Self(body))
    }
}

/// A customer's question, and the conversation before it.
#[derive(Deserialize)]
struct Question {
    question: String,
    #[serde(default)]
    history: Vec<Turn>,
}

/// A turn of the conversation so far. A client cannot add a system message.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Turn {
    User(String),
    Assistant(String),
}

impl From<Turn> for Message {
    fn from(turn: Turn) -> Self {
        match turn {
            Turn::User(text) => Message::user(text),
            Turn::Assistant(text) => Message::assistant(text),
        }
    }
}

/// Answers as server-sent events: `{"text": …}` for each piece, then `done` or `error`.
async fn support(
    State(provider): State<Arc<Provider>>,
    Body(Question { question, history }): Body<Question>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failure> {
    let passages = search(&question);
    let history: Vec<Message> = history.into_iter().map(Message::from).collect();
    let messages =
        Support { passages: &passages, history: Some(&history), question: &question }.messages()?;
    let request = provider.request(&messages).with_options(&Support::MODEL).with_streaming();
    let answering = provider.stream(&request).await?;
    // If the client disconnects, the stream is dropped, which cancels the request to the provider.
    let events = stream::unfold(Some(answering), |answering| async {
        let (event, rest) = next_event(answering?).await;
        Some((Ok(event), rest))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

async fn next_event(mut answering: AnswerStream) -> (Event, Option<AnswerStream>) {
    let end = match answering.next().await {
        Ok(Some(text)) => return (event("message", &json!({ "text": text })), Some(answering)),
        Ok(None) => answering.finish().and_then(answered),
        Err(failure) => Err(failure),
    };
    match end {
        Ok(reply) => (event("done", &json!({ "usage": reply.usage() })), None),
        Err(failure) => (event("error", &failure.report()), None),
    }
}

fn event(name: &str, data: &serde_json::Value) -> Event {
    Event::default().event(name).data(data.to_string())
}

#[derive(Deserialize)]
struct Complaint {
    complaint: String,
}

/// Makes a ticket from a complaint. The model gets one chance to correct an invalid ticket.
async fn triage(
    State(provider): State<Arc<Provider>>,
    Body(Complaint { complaint }): Body<Complaint>,
) -> Result<Json<Ticket>, Failure> {
    let mut messages = Triage { complaint: &complaint }.messages()?;
    let reply = provider.complete(&provider.request(&messages).with_output::<Ticket>()).await?;
    let fault = match reply.output::<Ticket>() {
        Ok(ticket) => return Ok(Json(ticket)),
        Err(fault) => fault,
    };
    messages.extend([Message::from(&reply), fault.correction()]);
    let reply = provider.complete(&provider.request(&messages).with_output::<Ticket>()).await?;
    Ok(Json(reply.output::<Ticket>()?))
}

/// The answer of the agent, with the names of the tools that it called.
#[derive(Serialize)]
struct AgentAnswer {
    answer: String,
    calls: Vec<String>,
}

/// Answers with the help of tools. This loop is explicit and has a limit.
async fn agent(
    State(provider): State<Arc<Provider>>,
    Body(Question { question, .. }): Body<Question>,
) -> Result<Json<AgentAnswer>, Failure> {
    let mut messages = Agent { question: &question }.messages()?;
    let mut calls = Vec::new();
    for _ in 0..MAX_STEPS {
        let request = provider.request(&messages).with_tools(Action::tools());
        let reply = answered(provider.complete(&request).await?)?;
        if reply.calls().is_empty() {
            return Ok(Json(AgentAnswer { answer: reply.content().to_owned(), calls }));
        }
        let mut results = Vec::new();
        for call in reply.calls().iter().filter(|call| call.complete) {
            let span = tracing::info_span!(
                "execute_tool",
                gen_ai.operation.name = "execute_tool",
                gen_ai.tool.name = %call.name,
                gen_ai.tool.call.id = %call.id,
            );
            let result = tools::execute(call).instrument(span).await;
            results.push(result.unwrap_or_else(|error| error.to_result(call)));
            calls.push(call.name.clone());
        }
        // The model is also informed about calls that cannot be parsed.
        append_turn(&mut messages, &reply, results)?;
    }
    Err(Failure::TooManySteps)
}

/// Checks that a reply has content or calls a tool.
fn answered(reply: Reply) -> Result<Reply, Failure> {
    match reply.content().is_empty() && reply.calls().is_empty() {
        true => Err(Failure::Silent),
        false => Ok(reply),
    }
}

/// The search of a real service would be here.
fn search(_question: &str) -> [Passage; 2] {
    [
        Passage { title: "Returns", text: "Opened items can be returned within 30 days." },
        Passage { title: "Refunds", text: "Refunds take five working days." },
    ]
}
