//! The conversation: what was said, and how a question is answered with the help of tools.

use typed_prompty::Message;
use typed_prompty::reply::{FinishReason, Reply};
use typed_prompty::tools::Toolbox;
use typed_prompty::wire::append_turn;

use crate::failure::Failure;
use crate::provider::{Incoming, Provider};
use crate::terminal::Terminal;
use crate::tools;

/// How each conversation begins.
const SYSTEM: &str = "You are a helpful assistant in a terminal. Answer briefly, in plain text.";
/// How many requests one question may take.
const MAX_STEPS: usize = 8;

/// A conversation with a model.
pub struct Conversation {
    provider: Provider,
    toolbox: Toolbox<'static>,
    messages: Vec<Message>,
}

impl Conversation {
    /// A conversation in which nothing was said yet.
    pub fn new(provider: Provider) -> Self {
        Self { provider, toolbox: tools::toolbox(), messages: vec![Message::system(SYSTEM)] }
    }

    /// What was said.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Goes on with another conversation.
    pub fn replace(&mut self, messages: Vec<Message>) {
        self.messages = messages;
    }

    /// Forgets what was said.
    pub fn clear(&mut self) {
        self.replace(vec![Message::system(SYSTEM)]);
    }

    /// Asks a question, and shows the answer as it comes. A question without an answer is forgotten: the next
    /// request is one that a provider takes.
    pub fn ask(&mut self, question: &str, terminal: &mut Terminal) -> Result<(), Failure> {
        let before = self.messages.len();
        self.messages.push(Message::user(question));
        let answered = self.answer(terminal);
        terminal.end_line();
        match &answered {
            Ok(()) => {}
            // What was shown of the answer is a part of the conversation.
            Err(Failure::Cancelled(shown)) if !shown.is_empty() => {
                self.messages.push(Message::assistant(shown));
            }
            Err(_) => self.messages.truncate(before),
        }
        answered
    }

    /// The tool loop: the model may call tools, and gets their results, until it answers.
    fn answer(&mut self, terminal: &mut Terminal) -> Result<(), Failure> {
        for _ in 0..MAX_STEPS {
            let reply = self.step(terminal)?;
            let is_cut = match reply.finish_reason() {
                Some(FinishReason::Length) => Some("[the answer reached the limit of tokens]"),
                Some(FinishReason::Filtered) => Some("[a filter stopped the answer]"),
                _ => None,
            };
            if let Some(note) = is_cut {
                terminal.note(note);
            }
            let says_nothing = reply.content().is_empty() && reply.refusal().is_none();
            if says_nothing && (is_cut.is_some() || reply.calls().is_empty()) {
                return Err(Failure::Silent);
            }
            // A call that does not fit its tool has a result, too, which tells the model why.
            let results = self.toolbox.answer_all(reply.calls());
            results.iter().for_each(|result| terminal.show_result(result));
            for call in reply.calls().iter().filter(|call| !call.complete) {
                terminal.note(&format!("[the call of {} cannot be read]", call.name));
            }
            append_turn(&mut self.messages, &reply, results)?;
            if is_cut.is_some() || reply.calls().is_empty() {
                return Ok(());
            }
        }
        Err(Failure::TooManySteps)
    }

    /// One request, and its reply, which is shown as it comes.
    fn step(&self, terminal: &mut Terminal) -> Result<Reply, Failure> {
        let request =
            self.provider.request(&self.messages).with_tools(self.toolbox.tools()).with_streaming();
        let mut stream = request.reader();
        terminal.wait("waiting for the answer");
        for incoming in self.provider.send(&request)? {
            match incoming {
                Incoming::Piece(bytes) => {
                    stream.push_bytes(&bytes).try_for_each(|event| terminal.show(&event))?;
                    // Behind its end the server may keep the connection open.
                    if stream.is_over() {
                        break;
                    }
                }
                Incoming::Pause(error) => terminal.wait(&format!("{error}; trying again soon")),
                Incoming::Again => terminal.wait("waiting for the answer"),
                Incoming::Failed(failure) => return Err(failure),
                Incoming::Broken(error) => return Err(stream.fail(error).into()),
                Incoming::Cancelled => {
                    return Err(Failure::Cancelled(stream.reply().content().to_owned()));
                }
            }
        }
        Ok(stream.finish()?)
    }
}
