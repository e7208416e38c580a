//! An OpenAI-compatible server for tests: it listens on loopback, answers by a script, records what it
//! was asked, and tells when a client went away before its answer was over.
//!
//! ```no_run
//! # async fn run() {
//! use scripted_provider::{Answer, Provider, chunk};
//!
//! let provider = Provider::start([Answer::stream([chunk::text("Hello"), chunk::end("stop")])]).await;
//! // ... a client sends a request to `provider.base_url()` ...
//! assert_eq!(provider.requests()[0].body["stream"], true);
//! # }
//! ```

mod answer;
pub mod chunk;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, Uri};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;

pub use answer::{Answer, Gate};

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Request {
    /// The path, such as `/v1/chat/completions`.
    pub path: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body; null where it is no JSON.
    pub body: Value,
}

/// The server. It stops with the runtime that it was started in.
#[derive(Debug)]
pub struct Provider {
    address: SocketAddr,
    record: Arc<Record>,
}

/// What is known of the requests so far.
#[derive(Debug, Default)]
struct Record {
    requests: Mutex<Vec<Request>>,
    arrived: watch::Sender<usize>,
    abandoned: watch::Sender<usize>,
}

/// How long a test waits for what must happen.
const PATIENCE: Duration = Duration::from_secs(120);

type Script = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

impl Provider {
    /// Starts a server that gives these answers, one for each request, in this order.
    ///
    /// # Panics
    /// Where no port of loopback is free.
    pub async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers = Mutex::new(answers.into_iter().collect::<VecDeque<_>>());
        Self::by(move |_| lock(&answers).pop_front().unwrap_or_else(Answer::script_is_over)).await
    }

    /// Starts a server whose answers depend on the requests.
    ///
    /// # Panics
    /// Where no port of loopback is free.
    pub async fn by(script: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of loopback is free");
        let address = listener.local_addr().expect("a listener has an address");
        let record = Arc::new(Record::default());
        let script: Script = Arc::new(script);
        let server = Router::new().fallback(answer).with_state((script, Arc::clone(&record)));
        tokio::spawn(async move { axum::serve(listener, server).await });
        Self { address, record }
    }

    /// What a client takes for `OPENAI_BASE_URL`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests that arrived.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.record.requests).clone()
    }

    /// Waits until this many requests have arrived.
    ///
    /// # Panics
    /// Where they do not.
    pub async fn arrived(&self, count: usize) {
        reaches(&self.record.arrived, count).await;
    }

    /// Waits until clients of this many requests went away before their answer was over.
    ///
    /// # Panics
    /// Where they do not.
    pub async fn abandoned(&self, count: usize) {
        reaches(&self.record.abandoned, count).await;
    }
}

async fn answer(
    State((script, record)): State<(Script, Arc<Record>)>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let request = Request { path: uri.path().to_owned(), headers, body };
    let answer = script(&request);
    lock(&record.requests).push(request);
    record.arrived.send_modify(|count| *count += 1);
    answer.respond(Watch { record, over: false })
}

/// Notices whether a client goes away: then the answer's body is dropped before it is over.
#[derive(Debug)]
struct Watch {
    record: Arc<Record>,
    over: bool,
}

impl Watch {
    /// Says that the answer is over: the client did not go away.
    fn finish(mut self) {
        self.over = true;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.over {
            self.record.abandoned.send_modify(|count| *count += 1);
        }
    }
}

/// Waits for a count, but not for ever: a test that waits in vain shall fail.
async fn reaches(counter: &watch::Sender<usize>, count: usize) {
    let mut receiver = counter.subscribe();
    let reached = timeout(PATIENCE, receiver.wait_for(|now| *now >= count)).await;
    assert!(reached.is_ok(), "waited in vain for {count}, there are {}", *counter.borrow());
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
