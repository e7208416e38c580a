//! Turns of the assistant, as a template writes them.

use typed_prompty::chat::{ChatTurn, PromptOptions};
use typed_prompty::error::Error;
use typed_prompty::message::{Message, ToolSpec};
use typed_prompty::reply::{ReplyOptions, ReplyParser};

use super::subjects::Subject;

/// The question of the user in every conversation.
pub(crate) const QUESTION: &str = "Zq, what is it?";

/// The time of every prompt.
const NOON: i64 = 1_736_942_400;

/// A turn as the template writes it.
pub(crate) struct WrittenTurn {
    /// The text after the prompt.
    pub(crate) reply: String,
    /// The parser of that text.
    pub(crate) parser: ReplyParser,
}

/// The options of a prompt. `thinking` is the template's default if it is `None`.
pub(crate) fn options(thinking: Option<bool>) -> PromptOptions {
    let options = PromptOptions::new().with_now(NOON);
    match thinking {
        Some(thinking) => options.with_thinking(thinking),
        None => options,
    }
}

/// The answer to the question, as the template writes it after its prompt.
///
/// A past turn may not begin with the end of the prompt, for example because it leaves out the tags
/// of missing reasoning. Then the turn starts at the opener of the assistant's turn.
pub(crate) fn write(
    subject: &Subject,
    answer: &Message,
    tools: &[ToolSpec],
    thinking: Option<bool>,
) -> Result<WrittenTurn, Error> {
    let options = options(thinking);
    let question = Message::user(QUESTION);
    let turn = subject.template.apply(std::slice::from_ref(&question), tools, &options)?;
    let without = options.with_generation_prompt(false);
    let conversation = subject.template.prompt(&[question, answer.clone()], tools, &without)?.text;
    Ok(cut(subject, turn, &conversation, tools))
}

fn cut(subject: &Subject, turn: ChatTurn, conversation: &str, tools: &[ToolSpec]) -> WrittenTurn {
    if let Some(reply) = conversation.strip_prefix(&*turn.prompt) {
        return WrittenTurn { reply: reply.to_owned(), parser: turn.parser };
    }
    let open = &*subject.format().turn.open;
    let (_, after) = conversation.split_once(QUESTION).unwrap();
    let reply = [open, open.trim_end()].into_iter().find_map(|open| after.split_once(open));
    let (_, reply) =
        reply.unwrap_or_else(|| panic!("{}: no {open:?} in {conversation}", subject.name));
    let parser = subject.template.parser_for_prompt(open, tools, &ReplyOptions::default()).unwrap();
    WrittenTurn { reply: reply.to_owned(), parser }
}
