//! How a template failed while it was compiled or run.

use prompty_core::diagnostic::Span;
use prompty_core::error::Error;

/// An error together with where in the template's text it came from, so that whoever knows the
/// source can say the line.
#[derive(Debug)]
#[non_exhaustive]
pub struct RenderFailure {
    /// What went wrong.
    pub error: Error,
    /// Where, in bytes of the template's text.
    pub span: Option<Span>,
}

impl RenderFailure {
    /// A failure at a place of the template's text.
    pub fn new(error: Error, span: Option<Span>) -> Self {
        Self { error, span }
    }
}

impl From<Error> for RenderFailure {
    fn from(error: Error) -> Self {
        Self { error, span: None }
    }
}
