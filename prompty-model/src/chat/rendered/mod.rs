//! The text that a template writes for a request: the stage behind `adapted`.

mod continuation;
mod conversation;

pub(super) use conversation::{Rendered, begun_reply};

use super::capabilities::ProbedTemplate;
use super::request::Request;
use crate::reply::format::ReplyFormat;
use prompty_core::error::Error;

/// What renders requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Renderer<'t> {
    pub(super) template: ProbedTemplate<'t>,
    /// The format of the model's replies, or why it is not known. With it, a message that the model
    /// continues is completed with the reasoning that the template leaves out.
    pub(super) format: Option<Result<&'t ReplyFormat, &'t Error>>,
}

impl Renderer<'_> {
    /// Renders a request.
    ///
    /// # Errors
    ///
    /// Those of the template, and [`ErrorKind::WrongInput`](prompty_core::ErrorKind::WrongInput) where
    /// it does not write what is to be continued.
    pub(super) fn render(self, request: &Request<'_>) -> Result<Rendered, Error> {
        let Self { template, format } = self;
        match (request.options.continuation, format) {
            (None, _) => conversation::render(template, request),
            (Some(continuation), None) => continuation::render(template, request, continuation),
            (Some(continuation), Some(format)) => {
                continuation::render_completed(template, format, request, continuation)
            }
        }
    }
}
