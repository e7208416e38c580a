//! Answers: a status, headers, and a body that comes in steps, some of which wait or break.

use std::io;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::Response;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::{Watch, chunk, reaches};

/// What the server sends for one request.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    /// One piece of the body, in a chunk of its own.
    Bytes(Bytes),
    /// Nothing more comes until the gate is open.
    Wait(Gate),
    /// The connection breaks.
    Break,
}

impl Answer {
    /// A whole answer in JSON.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::body(status, "application/json", body.to_string())
    }

    /// A whole answer in any form.
    pub fn body(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        let headers = vec![("content-type", content_type.to_owned())];
        Self { status, headers, steps: vec![Step::Bytes(body.into())] }
    }

    /// A whole completion with this text.
    pub fn text(text: &str) -> Self {
        Self::json(200, &chunk::completion(json!({"role": "assistant", "content": text}), "stop"))
    }

    /// An error as OpenAI writes it.
    pub fn error(status: u16, message: &str) -> Self {
        let error = json!({"message": message, "type": "error", "param": null, "code": null});
        Self::json(status, &json!({ "error": error }))
    }

    /// A stream of server-sent events with these data, and `[DONE]` at its end.
    pub fn stream(events: impl IntoIterator<Item = Value>) -> Self {
        let events = events.into_iter().map(|event| event.to_string());
        Self::pieces(events.chain(["[DONE]".to_owned()]).map(|data| format!("data: {data}\n\n")))
    }

    /// A stream of server-sent events, as bytes that are cut in any way.
    pub fn pieces<B: Into<Bytes>>(pieces: impl IntoIterator<Item = B>) -> Self {
        let steps = pieces.into_iter().map(|piece| Step::Bytes(piece.into())).collect();
        Self { status: 200, headers: vec![("content-type", "text/event-stream".into())], steps }
    }

    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The body in pieces of so many bytes: events, line ends and characters are cut.
    pub fn cut(mut self, bytes: usize) -> Self {
        let body = self.bytes();
        self.steps = body.chunks(bytes).map(|piece| Step::Bytes(piece.to_vec().into())).collect();
        self
    }

    /// With line ends of two characters, and with the lines that a reader passes over.
    pub fn framed(mut self) -> Self {
        let body = String::from_utf8_lossy(&self.bytes()).replace('\n', "\r\n");
        self.steps = vec![Step::Bytes(format!(": comment\r\nretry: 10\r\n\r\n{body}").into())];
        self
    }

    /// Without the last so many pieces: a stream ends before its end.
    pub fn without_last(mut self, pieces: usize) -> Self {
        self.steps.truncate(self.steps.len().saturating_sub(pieces));
        self
    }

    /// Nothing is sent after the first so many pieces until the gate is open.
    pub fn wait_after(mut self, pieces: usize, gate: &Gate) -> Self {
        self.steps.insert(pieces, Step::Wait(gate.clone()));
        self
    }

    /// The connection breaks after the first so many pieces.
    pub fn break_after(mut self, pieces: usize) -> Self {
        self.steps.insert(pieces, Step::Break);
        self
    }

    pub(crate) fn script_is_over() -> Self {
        Self::error(500, "the test's script has no answer for this request")
    }

    fn bytes(&self) -> Vec<u8> {
        let pieces = self.steps.iter().filter_map(|step| match step {
            Step::Bytes(bytes) => Some(bytes),
            Step::Wait(_) | Step::Break => None,
        });
        pieces.flatten().copied().collect()
    }

    pub(crate) fn respond(self, watch: Watch) -> Response<Body> {
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
                        // What came before is sent first.
                        tokio::task::yield_now().await;
                        watch.finish();
                        return Some((Err(io::Error::other("the script breaks")), None));
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

/// Holds answers until a test opens it, or until enough of them stand before it.
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

    /// A gate that opens when this many answers stand before it.
    pub fn of(count: usize) -> Self {
        Self { opens_at: count, waiting: Arc::default() }
    }

    /// Lets all answers pass, from now on.
    pub fn open(&self) {
        self.waiting.send_replace(usize::MAX);
    }

    /// Waits until this many answers stand before the gate, or it is open.
    ///
    /// # Panics
    /// Where they do not.
    pub async fn reached(&self, count: usize) {
        reaches(&self.waiting, count).await;
    }

    async fn pass(&self) {
        self.waiting.send_modify(|waiting| *waiting = waiting.saturating_add(1));
        let mut waiting = self.waiting.subscribe();
        // It fails only where the sender is gone, and here it is borrowed.
        let _ = waiting.wait_for(|waiting| *waiting >= self.opens_at).await;
    }
}
