//! Scripted answers: a status, headers, and a body in steps that can wait or break the connection.

use std::io;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::Response;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::{ClientWatch, chunk, wait_for_count};

/// The response to one request.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    /// A piece of the body, sent as a separate chunk.
    Bytes(Bytes),
    /// A pause until the gate is open.
    Wait(Gate),
    /// The connection breaks.
    Break,
}

impl Answer {
    /// A complete answer in JSON.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::body(status, "application/json", body.to_string())
    }

    /// A complete answer in any format.
    pub fn body(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        let headers = vec![("content-type", content_type.to_owned())];
        Self { status, headers, steps: vec![Step::Bytes(body.into())] }
    }

    /// A complete completion with this text.
    pub fn text(text: &str) -> Self {
        Self::json(200, &chunk::completion(json!({"role": "assistant", "content": text}), "stop"))
    }

    /// An error in OpenAI's format.
    pub fn error(status: u16, message: &str) -> Self {
        let error = json!({"message": message, "type": "error", "param": null, "code": null});
        Self::json(status, &json!({ "error": error }))
    }

    /// A stream of server-sent events with these data, and with `[DONE]` at the end.
    pub fn stream(events: impl IntoIterator<Item = Value>) -> Self {
        let events = events.into_iter().map(|event| event.to_string());
        Self::pieces(events.chain(["[DONE]".to_owned()]).map(|data| format!("data: {data}\n\n")))
    }

    /// A stream of server-sent events, as bytes that may be cut anywhere.
    pub fn pieces<B: Into<Bytes>>(pieces: impl IntoIterator<Item = B>) -> Self {
        let steps = pieces.into_iter().map(|piece| Step::Bytes(piece.into())).collect();
        Self { status: 200, headers: vec![("content-type", "text/event-stream".into())], steps }
    }

    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Cuts the body in pieces of this number of bytes, also within events and characters.
    pub fn cut(mut self, bytes: usize) -> Self {
        let body = self.bytes();
        self.steps = body.chunks(bytes).map(|piece| Step::Bytes(piece.to_vec().into())).collect();
        self
    }

    /// Uses line ends of two characters, and adds lines that clients must ignore.
    pub fn framed(mut self) -> Self {
        let body = String::from_utf8_lossy(&self.bytes()).replace('\n', "\r\n");
        self.steps = vec![Step::Bytes(format!(": comment\r\nretry: 10\r\n\r\n{body}").into())];
        self
    }

    /// Removes the last pieces, so that a stream is incomplete.
    pub fn without_last(mut self, pieces: usize) -> Self {
        self.steps.truncate(self.steps.len().saturating_sub(pieces));
        self
    }

    /// Waits for the gate after this number of pieces.
    pub fn wait_after(mut self, pieces: usize, gate: &Gate) -> Self {
        self.steps.insert(pieces, Step::Wait(gate.clone()));
        self
    }

    /// Breaks the connection after this number of pieces.
    pub fn break_after(mut self, pieces: usize) -> Self {
        self.steps.insert(pieces, Step::Break);
        self
    }

    pub(crate) fn script_exhausted() -> Self {
        Self::error(500, "the script of the test has no answer for this request")
    }

    fn bytes(&self) -> Vec<u8> {
        let pieces = self.steps.iter().filter_map(|step| match step {
            Step::Bytes(bytes) => Some(bytes),
            Step::Wait(_) | Step::Break => None,
        });
        pieces.flatten().copied().collect()
    }

    pub(crate) fn respond(self, watch: ClientWatch) -> Response<Body> {
        let mut response = Response::builder().status(self.status);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        let body = stream::unfold(Some((self.steps.into_iter(), watch)), |state| async {
            let (mut steps, watch) = state?;
            loop {
                match steps.next() {
                    Some(Step::Bytes(bytes)) => return Some((Ok(bytes), Some((steps, watch)))),
                    Some(Step::Wait(gate)) => gate.pass().await,
                    Some(Step::Break) => {
                        // The pieces before it are sent first.
                        tokio::task::yield_now().await;
                        watch.finish();
                        return Some((
                            Err(io::Error::other("the script breaks the connection")),
                            None,
                        ));
                    }
                    None => {
                        watch.finish();
                        return None;
                    }
                }
            }
        });
        response.body(Body::from_stream(body)).expect("a script's headers are valid")
    }
}

/// Holds answers until a test opens it, or until enough answers wait at it.
#[derive(Clone, Debug)]
pub struct Gate {
    opens_at: usize,
    waiting: Arc<watch::Sender<usize>>,
}

impl Gate {
    /// A gate that [`open`](Self::open) opens.
    pub fn closed() -> Self {
        Self::of(usize::MAX)
    }

    /// A gate that opens when this number of answers waits at it.
    pub fn of(count: usize) -> Self {
        Self { opens_at: count, waiting: Arc::default() }
    }

    /// Lets all waiting and later answers pass.
    pub fn open(&self) {
        self.waiting.send_replace(usize::MAX);
    }

    /// Waits until this number of answers waits at the gate, or until it is open.
    ///
    /// # Panics
    /// Panics if that takes too long.
    pub async fn reached(&self, count: usize) {
        wait_for_count(&self.waiting, count).await;
    }

    async fn pass(&self) {
        self.waiting.send_modify(|waiting| *waiting = waiting.saturating_add(1));
        let mut waiting = self.waiting.subscribe();
        // This cannot fail: the sender still exists.
        let _ = waiting.wait_for(|waiting| *waiting >= self.opens_at).await;
    }
}
