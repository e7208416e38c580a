//! Each template writes generated messages as its last turn, and the parser must read them back.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use typed_prompty::reply::Reply;

use super::ambiguity::ambiguity;
use super::drafts::{Draft, draft};
use super::markers::markers;
use super::messages::AssistantMessage;
use super::reading::read;
use super::shown::Shapes;
use super::subjects::{Subject, subjects};
use super::writing::write;

/// The number of messages for each template. They are the same in each run. `PROPTEST_CASES` sets
/// another number, and then they differ in each run.
const CASES: u32 = 24;

#[test]
fn the_parser_reads_the_output_of_a_template() {
    let (mut counts, mut failed) = (Counts::default(), Vec::new());
    for subject in subjects() {
        let counts = RefCell::new(&mut counts);
        let (markers, shapes) = (markers(subject.format()), RefCell::default());
        let check = |draft: Draft| {
            let message = draft.with(&markers);
            let outcome = check(subject, &message, &mut shapes.borrow_mut());
            counts.borrow_mut().add(&outcome);
            match outcome {
                Outcome::Wrong(reason) => Err(TestCaseError::fail(reason)),
                _ => Ok(()),
            }
        };
        if let Err(error) = runner().run(&draft(), check) {
            failed.push(match error {
                TestError::Fail(reason, draft) => {
                    let message = draft.with(&markers);
                    format!("{}: {reason}\n    message {message:?}", subject.name)
                }
                TestError::Abort(reason) => format!("{}: {reason}", subject.name),
            });
        }
    }
    println!("generated messages: {counts}");
    assert!(failed.is_empty(), "{} templates fail:\n{}", failed.len(), failed.join("\n"));
}

fn runner() -> TestRunner {
    let wanted = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let config = Config {
        cases: wanted.unwrap_or(CASES),
        failure_persistence: None,
        max_shrink_iters: 3000,
        ..Config::default()
    };
    match wanted {
        Some(_) => TestRunner::new(config),
        None => {
            let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
            TestRunner::new_with_rng(config, rng)
        }
    }
}

/// The result for a message.
enum Outcome {
    ReadBack,
    /// The template rejects the message.
    Refused,
    /// Its text is also that of another message.
    Ambiguous(&'static str),
    Wrong(String),
}

#[derive(Debug, Default)]
struct Counts {
    read_back: usize,
    refused: usize,
    ambiguous: BTreeMap<&'static str, usize>,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::ReadBack => self.read_back += 1,
            Outcome::Refused => self.refused += 1,
            Outcome::Ambiguous(reason) => *self.ambiguous.entry(reason).or_default() += 1,
            Outcome::Wrong(_) => {}
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} read back, {} refused by the template", self.read_back, self.refused)?;
        for (reason, count) in &self.ambiguous {
            write!(f, ", {count} left out ({reason})")?;
        }
        Ok(())
    }
}

fn check(subject: &Subject, message: &AssistantMessage, shapes: &mut Shapes) -> Outcome {
    if let Some(reason) = ambiguity(subject.format(), message) {
        return Outcome::Ambiguous(reason);
    }
    let Ok(written) = write(subject, &message.to_message(), &message.tools(), None) else {
        return Outcome::Refused;
    };
    let shown = shapes.shown(subject, message);
    let content = message.content.as_deref().unwrap_or_default().trim_start();
    if shown.content_is_last && !message.calls.is_empty() && content.starts_with(['}', ']', ')']) {
        return Outcome::Ambiguous(
            "a bracket after a call may be an extra closing bracket of the call",
        );
    }
    let turn = shown.turn(&written.reply);
    let reply = match read(&written.parser, turn) {
        Ok(reply) => reply,
        Err(reason) => return Outcome::Wrong(format!("{reason}\n    of {turn:?}")),
    };
    match shown.differs(message, &reply) {
        None => Outcome::ReadBack,
        Some(_) if is_written_the_same(subject, message, &reply, &written.reply) => {
            Outcome::Ambiguous(
                "the template writes the same text for a message with other white space",
            )
        }
        Some(reason) => Outcome::Wrong(format!("{reason}\n    of {turn:?}")),
    }
}

/// Whether the template writes the parsed message like the original one, except for white space
/// around its texts.
fn is_written_the_same(
    subject: &Subject,
    message: &AssistantMessage,
    reply: &Reply,
    written: &str,
) -> bool {
    let text = |text: &Option<String>, found: &str| match text {
        Some(text) if text.trim() == found.trim() => Some(Some(found.to_owned())),
        Some(_) => None,
        None => Some(None),
    };
    let texts =
        text(&message.reasoning, reply.reasoning()).zip(text(&message.content, reply.content()));
    let Some((reasoning, content)) = texts else { return false };
    let found = AssistantMessage { reasoning, content, calls: message.calls.clone() };
    let again = write(subject, &found.to_message(), &message.tools(), None);
    again.is_ok_and(|again| again.reply == written)
}
