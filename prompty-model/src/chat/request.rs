//! What a prompt is asked for with: the first of the stages from messages to a prompt.

use std::borrow::Cow;

use super::options::PromptOptions;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{Message, Role, Tool, ToolChoice};

/// Messages, tools and options that fit each other.
#[derive(Debug, Clone)]
pub(super) struct Request<'a> {
    pub(super) messages: Cow<'a, [Message]>,
    pub(super) tools: Cow<'a, [Tool]>,
    pub(super) options: Cow<'a, PromptOptions>,
}

impl<'a> Request<'a> {
    /// A request that was checked.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongInput`] where a message is to be continued, and the last one is not the
    /// assistant's.
    pub(super) fn new(
        messages: &'a [Message],
        tools: &'a [Tool],
        options: &'a PromptOptions,
    ) -> Result<Self, Error> {
        let is_last_of_assistant = messages.last().is_some_and(|last| last.role == Role::Assistant);
        if options.continuation.is_some() && !is_last_of_assistant {
            let message = "there is no message of the assistant to continue";
            let help = "put what the assistant has said so far last";
            return Err(Error::new(ErrorKind::WrongInput, message).with_help(help));
        }
        let (messages, tools) = (Cow::Borrowed(messages), Cow::Borrowed(tools));
        Ok(Self { messages, tools, options: Cow::Borrowed(options) })
    }

    /// The request for a new turn behind some of the same messages.
    pub(super) fn for_new_turn<'s>(&'s self, messages: &'s [Message]) -> Request<'s> {
        let mut options = self.options.clone().into_owned();
        options.continuation = None;
        options.add_generation_prompt = true;
        Request {
            messages: Cow::Borrowed(messages),
            tools: Cow::Borrowed(&self.tools),
            options: Cow::Owned(options),
        }
    }

    /// The tools that the template is told of.
    pub(super) fn offered_tools(&self) -> &[Tool] {
        match self.options.tool_choice {
            ToolChoice::None => &[],
            _ => &self.tools,
        }
    }
}
