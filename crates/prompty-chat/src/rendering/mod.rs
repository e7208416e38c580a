//! Renders the template for a request. It is the stage after `adapter`.
//!
//! `conversation` renders a request for a new turn, and `continuation` one whose last message is
//! continued. Both run the template with `runner`, which keeps the budget.

mod continuation;
mod conversation;
mod runner;

pub(super) use conversation::{RenderedText, reply_start};

pub(super) use self::runner::PromptBudget;
use self::runner::Runner;
use super::capabilities::ProbedTemplate;
use super::request::Request;
use prompty_core::error::Error;
use prompty_reply::format::ReplyFormat;

/// Renders requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Renderer<'t> {
    pub(super) template: ProbedTemplate<'t>,
    /// The format of the model's replies, or the error of its analysis. With a format, a message
    /// that the model continues is completed with the reasoning that the template leaves out.
    pub(super) format: Option<Result<&'t ReplyFormat, &'t Error>>,
    /// The budget for all renders of the prompt.
    pub(super) budget: &'t PromptBudget,
}

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
            (None, _) => conversation::render(self.runner(), request),
            (Some(continuation), None) => {
                continuation::render(self.runner(), request, continuation)
            }
            (Some(continuation), Some(format)) => {
                continuation::render_completed(self.runner(), format, request, continuation)
            }
        }
    }

    /// The end of a rendered text that opens the assistant's turn, with the text that the model
    /// continues. It is empty if the text has no such end.
    pub(super) fn generation_prompt(self, rendered: &RenderedText, now: Option<i64>) -> String {
        rendered.generation_prompt(self.runner(), now)
    }

    fn runner(&self) -> Runner<'_> {
        Runner { template: self.template, budget: self.budget }
    }
}
