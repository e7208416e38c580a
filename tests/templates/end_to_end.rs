//! Runs each template from the prompt to the reply, complete and streamed, and back into the
//! conversation.

use typed_prompty::message::{ContentPart, Message, Role, ToolCall};
use typed_prompty::reply::{Part, Reply};

use super::markers::{dense, markers};
use super::messages::{AssistantMessage, samples};
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
fn a_parsed_reply_is_written_unchanged() {
    let mut counts = Counts::default();
    for subject in subjects() {
        for thinking in [None, Some(true), Some(false)] {
            for message in samples(&markers(subject.format())) {
                turn(subject, &message, thinking, &mut counts);
            }
        }
    }
    let Counts { turns, refused, same, failed } = counts;
    println!(
        "end to end: {turns} turns read back, {same} of them written again byte for byte, the others \
         except for white space; {refused} refused by the template"
    );
    assert!(failed.is_empty(), "{} turns fail:\n{}", failed.len(), failed.join("\n"));
}

fn turn(
    subject: &Subject,
    message: &AssistantMessage,
    thinking: Option<bool>,
    counts: &mut Counts,
) {
    let has_no_opener = |open: &str| message.reasoning.is_none() && open.is_empty();
    if subject.format().reasoning.as_ref().is_some_and(|it| has_no_opener(&it.open.text)) {
        // The template cannot express that there is no reasoning.
        return;
    }
    let tools = message.tools();
    let offered = if message.calls.is_empty() { &[] } else { &*tools };
    let Ok(written) = write(subject, &message.to_message(), offered, thinking) else {
        counts.refused += 1;
        return;
    };
    let shown = Shown::find(subject, message, thinking);
    let turn = shown.turn(&written.reply);
    let mut fail = |reason: String| {
        let name = &subject.name;
        counts.failed.push(format!("{name}, thinking {thinking:?}: {reason}\n    of {turn:?}"));
    };
    let reply = match read(&written.parser, turn) {
        Ok(reply) => reply,
        Err(reason) => return fail(reason),
    };
    if let Some(reason) = shown.differs(message, &reply) {
        return fail(reason);
    }
    let again = write(subject, &as_message(&reply, message), offered, thinking);
    match again.map(|again| again.reply) {
        Ok(again) if again == written.reply => counts.same += 1,
        Ok(again) if dense(&again) == dense(&written.reply) => {}
        Ok(again) => return fail(format!("written again as {again:?}")),
        Err(error) => return fail(format!("not written again: {error:#}")),
    }
    counts.turns += 1;
}

/// Converts a reply into a message. The server assigns the ids that the model does not write.
fn as_message(reply: &Reply, message: &AssistantMessage) -> Message {
    let mut ids = message.calls.iter().map(|call| call.id.clone());
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
