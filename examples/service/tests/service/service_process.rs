//! The service as a separate process, and its log.

use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::watch;
use tokio::time::timeout;

/// The maximum time that a test waits for an event.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A running service. It ends when this value is dropped.
pub struct ServiceProcess {
    child: Child,
    log: Arc<Log>,
    address: String,
}

#[derive(Default)]
struct Log {
    lines: Mutex<Vec<Value>>,
    count: watch::Sender<usize>,
}

impl ServiceProcess {
    /// Starts the service with a provider, and waits until it listens.
    pub async fn start(base_url: &str) -> Self {
        let mut service = Self::spawn(base_url, "127.0.0.1:0");
        let line = service.logged(|fields| fields["message"] == "listening").await;
        service.address = line["fields"]["address"].as_str().expect("an address").to_owned();
        service
    }

    /// Starts the service with a provider and an address, which may be invalid.
    pub fn spawn(base_url: &str, listen: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_service"))
            .env("OPENAI_BASE_URL", base_url)
            .env("OPENAI_API_KEY", "sk-secret")
            .env("MODEL", "scripted")
            .env("LISTEN", listen)
            .env("RUST_LOG", "info")
            .env("NO_PROXY", "127.0.0.1")
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the service starts");
        let log = Arc::new(Log::default());
        let lines = child.stderr.take().expect("the log is piped");
        tokio::spawn(read_log(lines, Arc::clone(&log)));
        Self { child, log, address: String::new() }
    }

    /// The URL of a route.
    pub fn url(&self, route: &str) -> String {
        format!("http://{}{route}", self.address)
    }

    /// The id of the process.
    pub fn id(&self) -> u32 {
        self.child.id().expect("the service runs")
    }

    /// Waits for a line of the log whose fields pass a test.
    pub async fn logged(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        self.line(|line| wanted(&line["fields"])).await
    }

    /// Waits for the end of a span with a name, and returns its fields.
    pub async fn span(&self, name: &str) -> Value {
        let ends = |line: &Value| line["fields"]["message"] == "close";
        self.line(|line| ends(line) && line["span"]["name"] == name).await["span"].clone()
    }

    async fn line(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut count = self.log.count.subscribe();
        loop {
            count.borrow_and_update();
            if let Some(line) = self.lines().into_iter().find(&wanted) {
                return line;
            }
            let more = timeout(PATIENCE, count.changed()).await;
            assert!(more.is_ok(), "the service does not log it: {:#?}", self.lines());
        }
    }

    /// All lines of the log.
    pub fn lines(&self) -> Vec<Value> {
        self.log.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a signal, such as `TERM`.
    pub async fn signal(&self, name: &str) {
        let id = self.id().to_string();
        let kill = Command::new("kill").args([&format!("-{name}"), &id]).status().await;
        assert!(kill.expect("`kill` is there").success());
    }

    /// Waits until the process has ended.
    pub async fn ended(mut self) -> ExitStatus {
        let ended = timeout(PATIENCE, self.child.wait()).await;
        ended.expect("the service ends").expect("the service is a child")
    }
}

async fn read_log(stderr: ChildStderr, log: Arc<Log>) {
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let line = serde_json::from_str(&line).unwrap_or(Value::String(line));
        log.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        log.count.send_modify(|count| *count += 1);
    }
}
