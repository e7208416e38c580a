//! The chat as a process: lines go in, and what it writes is read as it comes.

use std::process::Stdio;

use scripted_provider::{Answer, Provider};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// A chat, and the provider that it asks.
pub struct Chat {
    child: Child,
    input: ChildStdin,
    output: Written<ChildStdout>,
    errors: Written<ChildStderr>,
    pub provider: Provider,
}

/// What a chat has written when it is over.
pub struct Ended {
    pub output: String,
    pub errors: String,
    requests: Vec<Value>,
}

/// What comes out of the chat, until somebody has read all of it.
struct Written<R> {
    source: R,
    text: Vec<u8>,
}

impl Chat {
    /// A chat whose provider gives these answers.
    pub async fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let provider = Provider::start(answers).await;
        let base_url = provider.base_url();
        Self::at(&base_url, provider)
    }

    /// A chat that asks at an address.
    pub fn at(base_url: &str, provider: Provider) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_chat"))
            .env("NO_PROXY", "127.0.0.1")
            .env("OPENAI_BASE_URL", base_url)
            .env("OPENAI_API_KEY", "sk-secret")
            .env("MODEL", "scripted")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the chat starts");
        let piped = "it is piped";
        let input = child.stdin.take().expect(piped);
        let output = Written { source: child.stdout.take().expect(piped), text: Vec::new() };
        let errors = Written { source: child.stderr.take().expect(piped), text: Vec::new() };
        Self { child, input, output, errors, provider }
    }

    /// Enters a line.
    pub async fn enter(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).await.expect("the chat reads");
    }

    /// Waits until the answers hold a text.
    pub async fn answers(&mut self, text: &str) {
        self.output.holds(text).await;
    }

    /// Waits until what is no answer holds a text.
    pub async fn says(&mut self, text: &str) {
        self.errors.holds(text).await;
    }

    /// Presses Ctrl-C.
    pub async fn interrupt(&mut self) {
        let id = self.child.id().expect("the chat runs").to_string();
        let kill = Command::new("kill").args(["-INT", &id]).status().await;
        assert!(kill.expect("`kill` is there").success());
    }

    /// Waits until the chat is over, and gives its code.
    pub async fn code(&mut self) -> Option<i32> {
        self.child.wait().await.expect("the chat is a child").code()
    }

    /// Enters lines; the chat ends with its input.
    pub async fn ask(mut self, lines: &[&str]) -> Ended {
        for line in lines {
            self.enter(line).await;
        }
        self.end().await
    }

    /// Ends the input, and waits until the chat is over.
    pub async fn end(self) -> Ended {
        let Self { mut child, input, output, errors, provider } = self;
        drop(input);
        let (output, errors) = tokio::join!(output.rest(), errors.rest());
        let code = child.wait().await.expect("the chat is a child").code();
        // The lines come through a pipe, so the code says whether something went wrong.
        let is_wrong = errors.lines().any(|line| line.starts_with("error: "));
        assert_eq!(code, Some(i32::from(is_wrong)), "{errors}");
        let requests = provider.requests().into_iter().map(|request| request.body).collect();
        Ended { output, errors, requests }
    }
}

impl Ended {
    /// How many requests the provider got.
    pub fn count(&self) -> usize {
        self.requests.len()
    }

    /// A request that the provider got, from 0.
    pub fn request(&self, at: usize) -> &Value {
        &self.requests[at]
    }

    /// Roles and contents of the messages of a request, without the first, which is always the same.
    pub fn said(&self, at: usize) -> Value {
        let messages = self.request(at)["messages"].as_array().expect("there are messages");
        assert_eq!(messages[0]["role"], "system");
        let said = messages[1..].iter().map(|it| json!([it["role"], it["content"]]));
        said.collect()
    }
}

impl<R: AsyncReadExt + Unpin> Written<R> {
    async fn holds(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.text).contains(text) {
            let count = self.source.read_buf(&mut self.text).await.expect("the chat writes");
            assert!(count > 0, "no `{text}` in {}", String::from_utf8_lossy(&self.text));
        }
    }

    async fn rest(mut self) -> String {
        self.source.read_to_end(&mut self.text).await.expect("the chat writes");
        String::from_utf8(self.text).expect("the chat writes UTF-8")
    }
}
