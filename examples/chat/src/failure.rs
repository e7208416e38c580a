//! What can go wrong, and what helps.

use std::{fmt, io};

use typed_prompty::wire::{WireError, WireErrorKind};

/// How to get a server, where none answers.
const START: &str = "start a server, and set the environment of the chat:
      llama-server -m MODEL.gguf --jinja    OPENAI_BASE_URL=http://127.0.0.1:8080/v1 (the default)
      ollama serve                          OPENAI_BASE_URL=http://127.0.0.1:11434/v1 MODEL=qwen3
      vllm serve MODEL                      OPENAI_BASE_URL=http://127.0.0.1:8000/v1 MODEL=MODEL
    or use a hosted one:
      OPENAI_BASE_URL=https://api.openai.com/v1 OPENAI_API_KEY=... MODEL=gpt-4o";

/// Why a command has no result, or a question no answer.
#[derive(Debug)]
pub enum Failure {
    /// The environment says what cannot be used.
    Setting { variable: &'static str, why: String },
    /// No server answers.
    Unreachable { url: String, error: ureq::Error },
    /// The provider sent an error, or its answer broke off.
    Provider(WireError),
    /// The user cancelled the answer; this is what came of it.
    Cancelled(String),
    /// The model says nothing at all.
    Silent,
    /// The model calls tools again and again.
    TooManySteps,
    /// A file cannot be read or written.
    File { path: String, error: io::Error },
    /// The answer cannot be shown.
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
                write!(f, "error: {variable} cannot be used: {why}")
            }
            Self::Unreachable { url, error } => {
                write!(f, "error: no server answers at {url}: {error}\n  = help: {START}")
            }
            Self::Provider(error) if error.kind() == WireErrorKind::CutOff => {
                write!(f, "error: {error}\n  = help: ask again")
            }
            // The other form of its text says what helps.
            Self::Provider(error) => write!(f, "error: {error:#}"),
            Self::Cancelled(_) => f.write_str("[cancelled]"),
            Self::Silent => f.write_str("error: the model said nothing"),
            Self::TooManySteps => f.write_str("error: the model calls tools again and again"),
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
