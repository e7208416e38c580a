//! The text that a template writes for a request: the stage behind `adapted`.

mod continuation;
mod conversation;

pub(super) use conversation::{Rendered, begun_reply};

use super::capabilities::ProbedTemplate;
use super::engine::{SharedBudget, Written};
use super::request::Request;
use crate::reply::format::ReplyFormat;
use prompty_core::error::Error;
use prompty_core::value::Map;

/// What renders requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Renderer<'t> {
    pub(super) template: ProbedTemplate<'t>,
    /// The format of the model's replies, or why it is not known. With it, a message that the model
    /// continues is completed with the reasoning that the template leaves out.
    pub(super) format: Option<Result<&'t ReplyFormat, &'t Error>>,
    /// What all renders of the prompt are paid from.
    pub(super) budget: &'t SharedBudget,
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
            (None, _) => conversation::render(self, request),
            (Some(continuation), None) => continuation::render(self, request, continuation),
            (Some(continuation), Some(format)) => {
                continuation::render_completed(self, format, request, continuation)
            }
        }
    }

    /// Runs the template once.
    fn run(self, variables: &Map, now: Option<i64>) -> Result<Written, Error> {
        self.template.engine.render_from(self.budget, variables, now)
    }
}
