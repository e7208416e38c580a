//! The benchmark's jobs: three prompts, each done by every subject.
//!
//! A job begins with inputs in memory and ends with a list of messages (or, for a template engine,
//! a text). `prepare.rs` times the subjects, `bin/allocations.rs` counts what they allocate. The
//! inputs of the other benchmark, `replies/`, are in [`replies`].

mod inputs;
pub mod replies;
mod subjects;

use std::fs;
use std::path::Path;

pub use inputs::{Document, Inputs, Turn};
use typed_prompty::message::Message;
use typed_prompty::nonce::Rendered;
use typed_prompty::parse::{OnForgedMarker, parse};

/// The names that the tables' ratios and bars refer to.
pub mod names {
    /// The peer.
    pub const PEER: &str = "prompty 2.1.0";
    /// The engine that the dynamic path runs on.
    pub const RAW_MINIJINJA: &str = "raw minijinja 3";
    /// The engine that runs at compile time.
    pub const ASKAMA: &str = "askama 0.16";
    /// The floor.
    pub const HAND_BUILT: &str = "hand-built";
    /// Ours, from inputs whose types are known at run time.
    pub const DYNAMIC: &str = "ours, dynamic";
    /// Ours, from a struct that a macro made.
    pub const TYPED: &str = "ours, typed";
}

/// One prompt with its inputs.
pub struct Job {
    /// Its file's name, without the ending.
    pub name: &'static str,
    /// Who does it.
    pub subjects: Vec<Subject>,
}

/// One way to do a job.
pub struct Subject {
    /// One of [`names`].
    pub name: &'static str,
    /// Does the job once.
    pub run: Box<dyn Fn() -> Output>,
    /// How far the result must agree with the one that is built by hand.
    pub agreement: Agreement,
}

/// How far two results must agree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Roles and texts are the same.
    Messages,
    /// The text holds the same roles and texts; an engine knows nothing of blank lines.
    Text,
    /// The engine prints a thread as a list, which is other work. Not compared.
    ListPrinted,
}

/// What a subject gives back.
pub enum Output {
    /// Our messages.
    Messages(Vec<Message>),
    /// The peer's.
    Peer(Vec<prompty::types::Message>),
    /// The text of all messages under their role markers.
    Text(String),
}

impl Output {
    /// Roles and texts.
    pub fn turns(&self) -> Vec<(String, String)> {
        let of = |message: &Message| (message.role.to_string(), message.text());
        match self {
            Self::Messages(messages) => messages.iter().map(of).collect(),
            Self::Peer(messages) => {
                messages.iter().map(|it| (it.role.to_string(), it.text_content())).collect()
            }
            Self::Text(text) => {
                let rendered = Rendered::plain(text.as_str());
                let messages = parse(&rendered, OnForgedMarker::Literal).expect("a plain text");
                messages.iter().map(of).collect()
            }
        }
    }
}

impl Agreement {
    /// What the table says of it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Messages => "same messages",
            Self::Text => "same text",
            Self::ListPrinted => "(list printed)",
        }
    }

    /// Stops the program where two results do not agree: timing a wrong result says nothing.
    fn check(self, job: &str, subject: &str, ours: &Output, expected: &Output) {
        let (mut ours, mut expected) = (ours.turns(), expected.turns());
        match self {
            Self::ListPrinted => return,
            Self::Messages => {}
            Self::Text => {
                for (_, text) in ours.iter_mut().chain(&mut expected) {
                    *text = text.trim_matches('\n').to_owned();
                }
            }
        }
        assert_eq!(ours.len(), expected.len(), "{job}, {subject}: number of messages");
        for (index, (ours, expected)) in ours.iter().zip(&expected).enumerate() {
            assert_eq!(ours, expected, "{job}, {subject}: message {index}");
        }
    }
}

/// The three jobs, their results compared.
pub fn jobs() -> Vec<Job> {
    ["a_chat", "b_rag", "c_thread"].map(job).into()
}

/// The folder that the prompts come from.
pub fn folder() -> &'static Path {
    Path::new(env!("PROMPTS"))
}

fn job(name: &'static str) -> Job {
    let read = |ending: &str| {
        let path = folder().join(format!("{name}.{ending}"));
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let inputs = Inputs::new(name, read("prompty"), &read("inputs.json"));
    let subjects = subjects::all(&inputs);
    let floor = subjects.iter().find(|it| it.name == names::HAND_BUILT).expect("it is there");
    let expected = (floor.run)();
    for subject in &subjects {
        subject.agreement.check(name, subject.name, &(subject.run)(), &expected);
    }
    Job { name, subjects }
}
