//! The jobs of the benchmark: three prompts, each prepared by every subject.
//!
//! A job starts with inputs in memory and ends with a list of messages, or with a text for a
//! template engine. `prepare.rs` measures the time of the subjects, and `bin/allocations.rs` counts
//! their allocations. The inputs of the other benchmark, `replies/`, are in [`replies`].

mod inputs;
pub mod replies;
mod subjects;

use std::fs;
use std::path::Path;

pub use inputs::{Document, Inputs, Turn};
use typed_prompty::message::Message;
use typed_prompty::nonce::Rendered;
use typed_prompty::parse::{OnForgedMarker, parse};

/// The names of the subjects in the tables.
pub mod names {
    /// The peer.
    pub const PEER: &str = "prompty 2.1.0";
    /// The engine that renders prompts at run time.
    pub const RAW_MINIJINJA: &str = "raw minijinja 3";
    /// A template engine that compiles its templates.
    pub const ASKAMA: &str = "askama 0.16";
    /// Hand-built messages, as the lower bound.
    pub const HAND_BUILT: &str = "hand-built";
    /// Our crate, with inputs whose types are known at run time.
    pub const DYNAMIC: &str = "ours, dynamic";
    /// Our crate, with a struct that a macro generated.
    pub const TYPED: &str = "ours, typed";
}

/// One prompt with its inputs.
pub struct Job {
    /// The name of the file, without its extension.
    pub name: &'static str,
    /// The subjects that do the job.
    pub subjects: Vec<Subject>,
}

/// One way to do a job.
pub struct Subject {
    /// One of [`names`].
    pub name: &'static str,
    /// Does the job once.
    pub run: Box<dyn Fn() -> Output>,
    /// How far the result must agree with the hand-built messages.
    pub agreement: Agreement,
}

/// How far two results must agree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Roles and texts are the same.
    Messages,
    /// The text contains the same roles and texts. Blank lines may differ, since an engine does not
    /// remove them.
    Text,
    /// The results are not compared, because the engine prints a thread as a list, which is
    /// different work.
    ListPrinted,
}

/// The result of a subject.
pub enum Output {
    /// Messages of our crate.
    Messages(Vec<Message>),
    /// Messages of the peer.
    Peer(Vec<prompty::types::Message>),
    /// A text that contains all messages with their role markers.
    Text(String),
}

impl Output {
    /// The roles and the texts.
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
    /// The text in the table.
    pub fn label(self) -> &'static str {
        match self {
            Self::Messages => "same messages",
            Self::Text => "same text",
            Self::ListPrinted => "(list printed)",
        }
    }

    /// Stops the program if two results do not agree, since the time of a wrong result means
    /// nothing.
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

/// The three jobs, after their results were compared.
pub fn jobs() -> Vec<Job> {
    ["a_chat", "b_rag", "c_thread"].map(job).into()
}

/// The folder of the prompts.
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
    let floor =
        subjects.iter().find(|it| it.name == names::HAND_BUILT).expect("the subject exists");
    let expected = (floor.run)();
    for subject in &subjects {
        subject.agreement.check(name, subject.name, &(subject.run)(), &expected);
    }
    Job { name, subjects }
}
