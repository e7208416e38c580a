//! The text that a template writes for a request: the stage behind `adapted`.

mod continuation;
mod conversation;
mod runner;

pub(super) use conversation::{Rendered, begun_reply};

pub(super) use self::runner::PromptBudget;
use self::runner::Runner;
use super::capabilities::ProbedTemplate;
use super::request::Request;
use prompty_core::error::Error;
use prompty_reply::format::ReplyFormat;

/// What renders requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Renderer<'t> {
    pub(super) template: ProbedTemplate<'t>,
    /// The format of the model's replies, or why it is not known. With it, a message that the model
    /// continues is completed with the reasoning that the template leaves out.
    pub(super) format: Option<Result<&'t ReplyFormat, &'t Error>>,
    /// What all renders of the prompt are paid from.
    pub(super) budget: &'t PromptBudget,
}

impl Renderer<'_> {
    /// Renders a request.
    ///
    /// # Errors
    ///
    /// Those of the template, and [`ErrorKind::WrongInput`](prompty_core::ErrorKind::WrongInput) where
    /// it does not write what is to be continued.
    pub(super) fn render(self, request: &Request<'_>) -> Result<Rendered, Error> {
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

    /// The end of a rendered text that opens the assistant's turn, with what the model continues; empty
    /// where the text has none.
    pub(super) fn generation_prompt(self, rendered: &Rendered, now: Option<i64>) -> String {
        rendered.generation_prompt(self.runner(), now)
    }

    fn runner(&self) -> Runner<'_> {
        Runner { template: self.template, budget: self.budget }
    }
}
