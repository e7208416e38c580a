//! Runs each template from the prompt to the reply, whole and streamed, and back into the
//! conversation.

use typed_prompty::message::{ContentPart, Message, Role, ToolCall};
use typed_prompty::reply::{Part, Reply};

use super::markers::{dense, markers};
use super::messages::{Said, samples};
use super::reading::read;
use super::shown::Shown;
use super::subjects::{Subject, subjects};
use super::writing::write;

/// The results for all templates.
#[derive(Debug, Default)]
struct Counts {
    turns: usize,
    refused: usize,
    same: usize,
    failed: Vec<String>,
}

#[test]
fn a_reply_that_was_read_is_written_unchanged() {
    let mut counts = Counts::default();
    for subject in subjects() {
        for thinking in [None, Some(true), Some(false)] {
            for said in samples(&markers(subject.format())) {
                turn(subject, &said, thinking, &mut counts);
            }
        }
    }
    let Counts { turns, refused, same, failed } = counts;
    println!(
        "end to end: {turns} turns read back, {same} of them written again byte for byte, the others \
         but for white space; {refused} refused by the template"
    );
    assert!(failed.is_empty(), "{} turns fail:\n{}", failed.len(), failed.join("\n"));
}

fn turn(subject: &Subject, said: &Said, thinking: Option<bool>, counts: &mut Counts) {
    let nothing_opens = |open: &str| said.reasoning.is_none() && open.is_empty();
    if subject.format().reasoning.as_ref().is_some_and(|it| nothing_opens(&it.open.text)) {
        // The template cannot express that there is no reasoning.
        return;
    }
    let tools = said.tools();
    let offered = if said.calls.is_empty() { &[] } else { &*tools };
    let Ok(written) = write(subject, &said.message(), offered, thinking) else {
        counts.refused += 1;
        return;
    };
    let shown = Shown::find(subject, said, thinking);
    let turn = shown.turn(&written.reply);
    let mut fail = |why: String| {
        let name = &subject.name;
        counts.failed.push(format!("{name}, thinking {thinking:?}: {why}\n    of {turn:?}"));
    };
    let reply = match read(&written.parser, turn) {
        Ok(reply) => reply,
        Err(why) => return fail(why),
    };
    if let Some(why) = shown.differs(said, &reply) {
        return fail(why);
    }
    let again = write(subject, &as_message(&reply, said), offered, thinking);
    match again.map(|again| again.reply) {
        Ok(again) if again == written.reply => counts.same += 1,
        Ok(again) if dense(&again) == dense(&written.reply) => {}
        Ok(again) => return fail(format!("written again as {again:?}")),
        Err(error) => return fail(format!("not written again: {error:#}")),
    }
    counts.turns += 1;
}

/// Converts a reply into a message. The server assigns the ids that the model does not write.
fn as_message(reply: &Reply, said: &Said) -> Message {
    let mut ids = said.calls.iter().map(|call| call.id.clone());
    let parts = reply.parts().filter_map(|part| match part {
        Part::Reasoning(text) => Some(ContentPart::Reasoning(text.to_owned())),
        Part::Content(text) => Some(ContentPart::Text(text.to_owned())),
        Part::Call(call) => {
            let id = ids.next().unwrap_or_default();
            let mut call = ToolCall::from(call);
            if call.id.is_empty() {
                call.id = id;
            }
            Some(ContentPart::ToolCall(call))
        }
        _ => None,
    });
    Message::new(Role::Assistant, parts.collect::<Vec<_>>())
}
