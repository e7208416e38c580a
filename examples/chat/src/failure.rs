//! The errors of the chat, with help texts.

use std::{fmt, io};

use typed_prompty::wire::{WireError, WireErrorKind};

/// The help text if no server answers.
const START: &str = "start a server, and set the environment of the chat:
      llama-server -m MODEL.gguf --jinja    OPENAI_BASE_URL=http://127.0.0.1:8080/v1 (the default)
      ollama serve                          OPENAI_BASE_URL=http://127.0.0.1:11434/v1 MODEL=qwen3
      vllm serve MODEL                      OPENAI_BASE_URL=http://127.0.0.1:8000/v1 MODEL=MODEL
    or use a hosted one:
      OPENAI_BASE_URL=https://api.openai.com/v1 OPENAI_API_KEY=... MODEL=gpt-4o";

/// The reason why a command has no result or a question has no answer.
#[derive(Debug)]
pub enum Failure {
    /// An environment variable has an invalid value.
    Setting { variable: &'static str, why: String },
    /// No server answers.
    Unreachable { url: String, error: ureq::Error },
    /// The provider sent an error, or its answer broke off.
    Provider(WireError),
    /// The user cancelled the answer; this is the text so far.
    Cancelled(String),
    /// The answer of the model is empty.
    Silent,
    /// The model called tools too many times.
    TooManySteps,
    /// A file cannot be read or written.
    File { path: String, error: io::Error },
    /// The answer cannot be written to the output.
    Output(io::Error),
}

impl Failure {
    pub fn file(path: &str, error: io::Error) -> Self {
        Self::File { path: path.to_owned(), error }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting { variable, why } => {
                write!(f, "error: invalid {variable}: {why}")
            }
            Self::Unreachable { url, error } => {
                write!(f, "error: no server answers at {url}: {error}\n  = help: {START}")
            }
            Self::Provider(error) if error.kind() == WireErrorKind::CutOff => {
                write!(f, "error: {error}\n  = help: ask again")
            }
            // The alternate form of the text includes the help.
            Self::Provider(error) => write!(f, "error: {error:#}"),
            Self::Cancelled(_) => f.write_str("[cancelled]"),
            Self::Silent => f.write_str("error: the answer of the model is empty"),
            Self::TooManySteps => f.write_str("error: the model called tools too many times"),
            Self::File { path, error } => write!(f, "error: {path}: {error}"),
            Self::Output(error) => write!(f, "error: {error}"),
        }
    }
}

impl From<WireError> for Failure {
    fn from(error: WireError) -> Self {
        Self::Provider(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
