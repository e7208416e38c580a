//! Each template writes generated messages as its last turn, and the parser must read them back.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use typed_prompty::reply::Reply;

use super::ambiguity::ambiguity;
use super::drafts::{Draft, draft};
use super::markers::markers;
use super::messages::Said;
use super::reading::read;
use super::shown::Shapes;
use super::subjects::{Subject, subjects};
use super::writing::write;

/// The number of messages for each template. They are the same in each run. With `PROPTEST_CASES`
/// their number is as given, and they differ in each run.
const CASES: u32 = 24;

#[test]
fn the_output_of_a_template_is_read_back() {
    let (mut counts, mut failed) = (Counts::default(), Vec::new());
    for subject in subjects() {
        let counts = RefCell::new(&mut counts);
        let (markers, shapes) = (markers(subject.format()), RefCell::default());
        let check = |draft: Draft| {
            let said = draft.with(&markers);
            let outcome = check(subject, &said, &mut shapes.borrow_mut());
            counts.borrow_mut().add(&outcome);
            match outcome {
                Outcome::Wrong(why) => Err(TestCaseError::fail(why)),
                _ => Ok(()),
            }
        };
        if let Err(error) = runner().run(&draft(), check) {
            failed.push(match error {
                TestError::Fail(why, draft) => {
                    let said = draft.with(&markers);
                    format!("{}: {why}\n    said {said:?}", subject.name)
                }
                TestError::Abort(why) => format!("{}: {why}", subject.name),
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
            Outcome::Ambiguous(why) => *self.ambiguous.entry(why).or_default() += 1,
            Outcome::Wrong(_) => {}
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} read back, {} refused by the template", self.read_back, self.refused)?;
        for (why, count) in &self.ambiguous {
            write!(f, ", {count} left out ({why})")?;
        }
        Ok(())
    }
}

fn check(subject: &Subject, said: &Said, shapes: &mut Shapes) -> Outcome {
    if let Some(why) = ambiguity(subject.format(), said) {
        return Outcome::Ambiguous(why);
    }
    let Ok(written) = write(subject, &said.message(), &said.tools(), None) else {
        return Outcome::Refused;
    };
    let shown = shapes.shown(subject, said);
    let content = said.content.as_deref().unwrap_or_default().trim_start();
    if shown.content_is_last && !said.calls.is_empty() && content.starts_with(['}', ']', ')']) {
        return Outcome::Ambiguous("a bracket behind a call may be one too many of it");
    }
    let turn = shown.turn(&written.reply);
    let reply = match read(&written.parser, turn) {
        Ok(reply) => reply,
        Err(why) => return Outcome::Wrong(format!("{why}\n    of {turn:?}")),
    };
    match shown.differs(said, &reply) {
        None => Outcome::ReadBack,
        Some(_) if is_written_alike(subject, said, &reply, &written.reply) => {
            Outcome::Ambiguous("the template writes it with other white space in the same way")
        }
        Some(why) => Outcome::Wrong(format!("{why}\n    of {turn:?}")),
    }
}

/// Whether the template writes the parsed message like the original one, except for white space
/// around its texts.
fn is_written_alike(subject: &Subject, said: &Said, reply: &Reply, written: &str) -> bool {
    let text = |text: &Option<String>, found: &str| match text {
        Some(text) if text.trim() == found.trim() => Some(Some(found.to_owned())),
        Some(_) => None,
        None => Some(None),
    };
    let texts = text(&said.reasoning, reply.reasoning()).zip(text(&said.content, reply.content()));
    let Some((reasoning, content)) = texts else { return false };
    let found = Said { reasoning, content, calls: said.calls.clone() };
    let again = write(subject, &found.message(), &said.tools(), None);
    again.is_ok_and(|again| again.reply == written)
}
