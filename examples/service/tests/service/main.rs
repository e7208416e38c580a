//! The service as a process, against a scripted provider with the faults of real ones.

mod agent;
mod recordings;
mod running;
mod starting;
mod stopping;
mod support;
mod triage;

use eventsource_stream::Eventsource;
use futures_util::StreamExt;
use reqwest::{Client, Response};
use running::{PATIENCE, Running};
use scripted_provider::{Answer, Provider, chunk};
use serde_json::{Value, json};

/// The service, and the provider behind it.
struct Case {
    service: Running,
    provider: Provider,
}

impl Case {
    async fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let provider = Provider::start(answers).await;
        Self { service: Running::start(&provider.base_url()).await, provider }
    }

    async fn post(&self, route: &str, body: &Value) -> Response {
        let post = client().post(self.service.url(route)).body(body.to_string());
        post.header("content-type", "application/json").send().await.expect("the service answers")
    }

    /// Asks for support, and reads the whole answer.
    async fn ask(&self, question: &str) -> Told {
        let response = self.post("/support", &json!({ "question": question })).await;
        assert_eq!(response.status(), 200);
        Told::read(response).await
    }

    /// The body of a request to the provider.
    fn request(&self, index: usize) -> Value {
        self.provider.requests()[index].body.clone()
    }
}

/// What the service told in server-sent events.
#[derive(Debug, Default)]
struct Told {
    text: String,
    /// The name and the data of the last event.
    end: (String, Value),
}

impl Told {
    async fn read(response: Response) -> Self {
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut told = Self::default();
        let mut events = response.bytes_stream().eventsource();
        while let Some(event) = events.next().await {
            let event = event.expect("the service's events are well-formed");
            let data: Value = serde_json::from_str(&event.data).expect("data are JSON");
            assert!(told.end.0.is_empty(), "{data} comes behind the end");
            match event.event.as_str() {
                "message" => told.text += data["text"].as_str().expect("a text"),
                end => told.end = (end.to_owned(), data),
            }
        }
        told
    }

    /// The text of an answer that came to its end.
    fn whole(self) -> String {
        assert_eq!(self.end.0, "done", "{:?}", self.end);
        self.text
    }

    /// The text that came before an error, and the error's code.
    fn broken(self) -> (String, String) {
        assert_eq!(self.end.0, "error", "{:?}", self.end);
        (self.text, self.end.1["error"]["code"].as_str().expect("a code").to_owned())
    }
}

/// A client that talks to loopback, whatever the environment says of proxies.
fn client() -> Client {
    Client::builder().no_proxy().read_timeout(PATIENCE).build().expect("a client can be built")
}

/// A stream that answers with these texts.
fn says(texts: &[&str]) -> Answer {
    let texts = texts.iter().map(|text| chunk::text(text));
    Answer::stream(texts.chain([chunk::end("stop"), chunk::usage(11, 7)]))
}

/// The text of a message in a request.
fn text(message: &Value) -> &str {
    message["content"].as_str().expect("the content is a text")
}
