//! Renders the template for a request. It is the stage after `adapter`.
//!
//! `conversation` renders a request for a new turn, and `continuation` one whose last message is
//! continued. Both run the template with `runner`, which keeps the budget.

mod continuation;
mod conversation;
mod runner;

pub(super) use conversation::{RenderedText, reply_start};

pub(super) use self::runner::{PromptBudget, Renderer};
use super::request::Request;
use prompty_core::error::Error;

impl Renderer<'_> {
    /// Renders a request.
    ///
    /// # Errors
    ///
    /// Returns the errors of the template, and an error of kind
    /// [`ErrorKind::WrongInput`](prompty_core::ErrorKind::WrongInput) if it does not write the
    /// message part that is to be continued.
    pub(super) fn render(self, request: &Request<'_>) -> Result<RenderedText, Error> {
        match (request.options.continuation, self.format) {
            (None, _) => conversation::render(self, request),
            (Some(continuation), None) => continuation::render(self, request, continuation),
            (Some(continuation), Some(format)) => {
                continuation::render_completed(self, format, request, continuation)
            }
        }
    }

    /// The end of a rendered text that opens the assistant's turn, with the text that the model
    /// continues. It is empty if the text has no such end.
    pub(super) fn generation_prompt(self, rendered: &RenderedText, now: Option<i64>) -> String {
        rendered.generation_prompt(self, now)
    }
}
