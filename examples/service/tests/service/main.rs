//! The service as a process, against a scripted provider with the faults of real ones.

mod agent;
mod recordings;
mod service_process;
mod starting;
mod stopping;
mod support;
mod triage;

use eventsource_stream::Eventsource;
use futures_util::StreamExt;
use reqwest::{Client, Response};
use scripted_provider::{Answer, Provider, chunk};
use serde_json::{Value, json};
use service_process::{PATIENCE, ServiceProcess};

/// The service, and its provider.
struct Case {
    service: ServiceProcess,
    provider: Provider,
}

impl Case {
    async fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let provider = Provider::start(answers).await;
        Self { service: ServiceProcess::start(&provider.base_url()).await, provider }
    }

    async fn post(&self, route: &str, body: &Value) -> Response {
        let post = client().post(self.service.url(route)).body(body.to_string());
        post.header("content-type", "application/json").send().await.expect("the service answers")
    }

    /// Sends a question to `/support`, and reads the complete answer.
    async fn ask(&self, question: &str) -> SupportAnswer {
        let response = self.post("/support", &json!({ "question": question })).await;
        assert_eq!(response.status(), 200);
        SupportAnswer::read(response).await
    }

    /// The body of a request to the provider.
    fn request(&self, index: usize) -> Value {
        self.provider.requests()[index].body.clone()
    }
}

/// An answer of the service in server-sent events.
#[derive(Debug, Default)]
struct SupportAnswer {
    text: String,
    /// The name and the data of the last event.
    end: (String, Value),
}

impl SupportAnswer {
    async fn read(response: Response) -> Self {
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut answer = Self::default();
        let mut events = response.bytes_stream().eventsource();
        while let Some(event) = events.next().await {
            let event = event.expect("the service's events are well-formed");
            let data: Value = serde_json::from_str(&event.data).expect("data are JSON");
            assert!(answer.end.0.is_empty(), "{data} arrives after the end");
            match event.event.as_str() {
                "message" => answer.text += data["text"].as_str().expect("a text"),
                end => answer.end = (end.to_owned(), data),
            }
        }
        answer
    }

    /// The text of a complete answer.
    fn complete_text(self) -> String {
        assert_eq!(self.end.0, "done", "{:?}", self.end);
        self.text
    }

    /// The text before an error, and the error's code.
    fn partial_text(self) -> (String, String) {
        assert_eq!(self.end.0, "error", "{:?}", self.end);
        (self.text, self.end.1["error"]["code"].as_str().expect("a code").to_owned())
    }
}

/// A client for loopback that ignores proxies in the environment.
fn client() -> Client {
    Client::builder().no_proxy().read_timeout(PATIENCE).build().expect("a client can be built")
}

/// A stream with these texts.
fn says(texts: &[&str]) -> Answer {
    let texts = texts.iter().map(|text| chunk::text(text));
    Answer::stream(texts.chain([chunk::end("stop"), chunk::usage(11, 7)]))
}

/// The text of a message in a request.
fn text(message: &Value) -> &str {
    message["content"].as_str().expect("the content is a string")
}
