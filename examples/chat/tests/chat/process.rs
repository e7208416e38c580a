//! The chat as a process: a test enters lines, and reads the output while it arrives.

use std::process::Stdio;

use scripted_provider::{Answer, Provider};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// A chat process, and its provider.
pub struct Chat {
    child: Child,
    input: ChildStdin,
    output: OutputReader<ChildStdout>,
    errors: OutputReader<ChildStderr>,
    pub provider: Provider,
}

/// The output of a chat that has ended, and the requests to its provider.
pub struct ChatResult {
    pub output: String,
    pub errors: String,
    requests: Vec<Value>,
}

/// Reads an output of the chat, and keeps the text.
struct OutputReader<R> {
    source: R,
    text: Vec<u8>,
}

impl Chat {
    /// Starts a chat whose provider gives these answers.
    pub async fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let provider = Provider::start(answers).await;
        let base_url = provider.base_url();
        Self::at(&base_url, provider)
    }

    /// Starts a chat with the base URL of a provider.
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
        let output = OutputReader { source: child.stdout.take().expect(piped), text: Vec::new() };
        let errors = OutputReader { source: child.stderr.take().expect(piped), text: Vec::new() };
        Self { child, input, output, errors, provider }
    }

    /// Enters a line.
    pub async fn enter(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).await.expect("the chat reads");
    }

    /// Waits until the answers contain a text.
    pub async fn wait_for_output(&mut self, text: &str) {
        self.output.wait_for(text).await;
    }

    /// Waits until the standard error output contains a text.
    pub async fn wait_for_errors(&mut self, text: &str) {
        self.errors.wait_for(text).await;
    }

    /// Presses Ctrl-C.
    pub async fn interrupt(&mut self) {
        let id = self.child.id().expect("the chat runs").to_string();
        let kill = Command::new("kill").args(["-INT", &id]).status().await;
        assert!(kill.expect("`kill` is there").success());
    }

    /// Waits until the chat has ended, and returns its exit code.
    pub async fn code(&mut self) -> Option<i32> {
        self.child.wait().await.expect("the chat is a child").code()
    }

    /// Enters lines, and ends the input.
    pub async fn ask(mut self, lines: &[&str]) -> ChatResult {
        for line in lines {
            self.enter(line).await;
        }
        self.end().await
    }

    /// Ends the input, and waits until the chat has ended.
    pub async fn end(self) -> ChatResult {
        let Self { mut child, input, output, errors, provider } = self;
        drop(input);
        let (output, errors) = tokio::join!(output.rest(), errors.rest());
        let code = child.wait().await.expect("the chat is a child").code();
        // The input is a pipe, so the exit code shows whether there was an error.
        let is_wrong = errors.lines().any(|line| line.starts_with("error: "));
        assert_eq!(code, Some(i32::from(is_wrong)), "{errors}");
        let requests = provider.requests().into_iter().map(|request| request.body).collect();
        ChatResult { output, errors, requests }
    }
}

impl ChatResult {
    /// The number of requests that the provider received.
    pub fn count(&self) -> usize {
        self.requests.len()
    }

    /// A request that the provider received, by its index.
    pub fn request(&self, at: usize) -> &Value {
        &self.requests[at]
    }

    /// The roles and contents of the messages of a request, without the system message.
    pub fn said(&self, at: usize) -> Value {
        let messages = self.request(at)["messages"].as_array().expect("there are messages");
        assert_eq!(messages[0]["role"], "system");
        let said = messages[1..].iter().map(|it| json!([it["role"], it["content"]]));
        said.collect()
    }
}

impl<R: AsyncReadExt + Unpin> OutputReader<R> {
    async fn wait_for(&mut self, text: &str) {
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
