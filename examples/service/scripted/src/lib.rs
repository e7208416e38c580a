//! An OpenAI-compatible server for tests. It listens on loopback, answers from a script, and
//! records its requests. It also counts the clients that disconnect before the end of an answer.
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

/// A request that arrived.
#[derive(Clone, Debug)]
pub struct Request {
    /// The path, such as `/v1/chat/completions`.
    pub path: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body; null if it is not JSON.
    pub body: Value,
}

/// The server. It stops with the runtime in which it was started.
#[derive(Debug)]
pub struct Provider {
    address: SocketAddr,
    record: Arc<Record>,
}

/// The requests so far.
#[derive(Debug, Default)]
struct Record {
    requests: Mutex<Vec<Request>>,
    arrived: watch::Sender<usize>,
    abandoned: watch::Sender<usize>,
}

/// The maximum time that a test waits for an event.
const PATIENCE: Duration = Duration::from_secs(120);

type Script = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

impl Provider {
    /// Starts a server that sends these answers in order, one for each request.
    ///
    /// # Panics
    /// Panics if no port of loopback is free.
    pub async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers = Mutex::new(answers.into_iter().collect::<VecDeque<_>>());
        Self::by(move |_| lock(&answers).pop_front().unwrap_or_else(Answer::script_exhausted)).await
    }

    /// Starts a server whose answers depend on the requests.
    ///
    /// # Panics
    /// Panics if no port of loopback is free.
    pub async fn by(script: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of loopback is free");
        let address = listener.local_addr().expect("a listener has an address");
        let record = Arc::new(Record::default());
        let script: Script = Arc::new(script);
        let server = Router::new().fallback(answer).with_state((script, Arc::clone(&record)));
        tokio::spawn(async move { axum::serve(listener, server).await });
        Self { address, record }
    }

    /// The value of `OPENAI_BASE_URL` for clients.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests that arrived.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.record.requests).clone()
    }

    /// Waits until this number of requests has arrived.
    ///
    /// # Panics
    /// Panics if that takes too long.
    pub async fn arrived(&self, count: usize) {
        wait_for_count(&self.record.arrived, count).await;
    }

    /// Waits until this number of clients has disconnected before the end of an answer.
    ///
    /// # Panics
    /// Panics if that takes too long.
    pub async fn abandoned(&self, count: usize) {
        wait_for_count(&self.record.abandoned, count).await;
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
    answer.respond(ClientWatch { record, is_finished: false })
}

/// Detects whether the client disconnects: then the body is dropped before its end.
#[derive(Debug)]
struct ClientWatch {
    record: Arc<Record>,
    is_finished: bool,
}

impl ClientWatch {
    /// Marks the answer as finished: the client did not disconnect.
    fn finish(mut self) {
        self.is_finished = true;
    }
}

impl Drop for ClientWatch {
    fn drop(&mut self) {
        if !self.is_finished {
            self.record.abandoned.send_modify(|count| *count += 1);
        }
    }
}

/// Waits for a count. It panics after [`PATIENCE`], so that a failing test ends.
async fn wait_for_count(counter: &watch::Sender<usize>, count: usize) {
    let mut receiver = counter.subscribe();
    let reached = timeout(PATIENCE, receiver.wait_for(|now| *now >= count)).await;
    assert!(reached.is_ok(), "timeout while waiting for {count}, found {}", *counter.borrow());
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
