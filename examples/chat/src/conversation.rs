//! The conversation: its messages, and the loop that answers a question with the help of tools.

use typed_prompty::Message;
use typed_prompty::reply::{FinishReason, Reply};
use typed_prompty::tools::Toolbox;
use typed_prompty::wire::append_turn;

use crate::failure::Failure;
use crate::provider::{Incoming, Provider};
use crate::terminal::Terminal;
use crate::tools;

/// The system message of each conversation.
const SYSTEM: &str = "You are a helpful assistant in a terminal. Answer briefly, in plain text.";
/// The maximum number of requests for one question.
const MAX_STEPS: usize = 8;

/// A conversation with a model.
pub struct Conversation {
    provider: Provider,
    toolbox: Toolbox<'static>,
    messages: Vec<Message>,
}

impl Conversation {
    /// Creates a conversation without questions and answers.
    pub fn new(provider: Provider) -> Self {
        Self { provider, toolbox: tools::toolbox(), messages: vec![Message::system(SYSTEM)] }
    }

    /// The messages so far.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Continues with another conversation.
    pub fn replace(&mut self, messages: Vec<Message>) {
        self.messages = messages;
    }

    /// Removes all questions and answers.
    pub fn clear(&mut self) {
        self.replace(vec![Message::system(SYSTEM)]);
    }

    /// Asks a question, and shows the answer while it arrives. A question without an answer is
    /// removed, so that providers accept the next request.
    pub fn ask(&mut self, question: &str, terminal: &mut Terminal) -> Result<(), Failure> {
        let before = self.messages.len();
        self.messages.push(Message::user(question));
        let answered = self.answer(terminal);
        terminal.end_line();
        match &answered {
            Ok(()) => {}
            // The part of the answer that was shown belongs to the conversation.
            Err(Failure::Cancelled(shown)) if !shown.is_empty() => {
                self.messages.push(Message::assistant(shown));
            }
            Err(_) => self.messages.truncate(before),
        }
        answered
    }

    /// The tool loop: the model may call tools and gets their results, until it answers.
    fn answer(&mut self, terminal: &mut Terminal) -> Result<(), Failure> {
        for _ in 0..MAX_STEPS {
            let reply = self.step(terminal)?;
            let is_cut = match reply.finish_reason() {
                Some(FinishReason::Length) => Some("[the answer reached the token limit]"),
                Some(FinishReason::Filtered) => Some("[the answer was stopped by a filter]"),
                _ => None,
            };
            if let Some(note) = is_cut {
                terminal.note(note);
            }
            let is_silent = reply.content().is_empty() && reply.refusal().is_none();
            if is_silent && (is_cut.is_some() || reply.calls().is_empty()) {
                return Err(Failure::Silent);
            }
            // A call that does not fit its tool also has a result, which contains the error.
            let results = self.toolbox.answer_all(reply.calls());
            results.iter().for_each(|result| terminal.show_result(result));
            for call in reply.calls().iter().filter(|call| !call.complete) {
                terminal.note(&format!("[cannot parse the call of {}]", call.name));
            }
            append_turn(&mut self.messages, &reply, results)?;
            if is_cut.is_some() || reply.calls().is_empty() {
                return Ok(());
            }
        }
        Err(Failure::TooManySteps)
    }

    /// Sends one request, and shows the reply while it arrives.
    fn step(&self, terminal: &mut Terminal) -> Result<Reply, Failure> {
        let request =
            self.provider.request(&self.messages).with_tools(self.toolbox.tools()).with_streaming();
        let mut stream = request.reader();
        terminal.wait("waiting for the answer");
        for incoming in self.provider.send(&request)? {
            match incoming {
                Incoming::Piece(bytes) => {
                    stream.push_bytes(&bytes).try_for_each(|event| terminal.show(&event))?;
                    // After the end of the answer, the server may keep the connection open.
                    if stream.is_over() {
                        break;
                    }
                }
                Incoming::Pause(error) => terminal.wait(&format!("{error}; trying again soon")),
                Incoming::Retry => terminal.wait("waiting for the answer"),
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
