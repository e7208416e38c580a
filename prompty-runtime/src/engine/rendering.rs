//! The inputs of a render, and its failure.

use prompty_core::diagnostic::TemplateSpan;
use prompty_core::error::Error;
use prompty_core::error::ErrorKind;
use prompty_core::message::RichKind;
use prompty_core::value::Map;

/// The inputs and the nonce of a render.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The plain inputs: strings, numbers, lists and maps.
    pub inputs: &'a Map,
    /// The threads and media, with their placeholders.
    pub rich: &'a [RichInput],
    /// The nonce that role markers carry.
    pub nonce: &'a str,
}

/// A thread or media input, as a template sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RichInput {
    /// The input's name.
    pub name: String,
    /// The text that the template prints for it.
    pub placeholder: String,
    /// Whether the input is not empty, for conditions.
    pub present: bool,
}

impl RichInput {
    /// The error for an expression that computes with the input, such as a call with it.
    pub(crate) fn argument_error(&self, span: TemplateSpan) -> RenderFailure {
        let message = format!(
            "the thread or media `{}` can only be printed, not filtered or passed",
            self.name
        );
        let error = Error::new(ErrorKind::Render, message)
            .with_help("print it without a filter, operator or function");
        RenderFailure::new(error, Some(span))
    }

    /// The error for a message that has the input in an attribute.
    pub(crate) fn attribute_error(&self, span: TemplateSpan) -> RenderFailure {
        let message = format!("{} cannot be in an attribute of a role marker", RichKind::ANY);
        let error =
            Error::new(ErrorKind::Render, message).with_help("print it in the text of the message");
        RenderFailure::new(error, Some(span))
    }
}

/// The behaviour of a variable without a value when a template prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Undefined {
    /// It prints nothing, as in the reference cases.
    #[default]
    Empty,
    /// It is an error of kind [`Undefined`](prompty_core::ErrorKind::Undefined).
    Error,
}

/// An error with its place in the template's text. A caller that knows the source can compute the
/// line from it.
#[derive(Debug)]
#[non_exhaustive]
pub struct RenderFailure {
    /// The error.
    pub error: Error,
    /// Its place, in bytes of the template's text.
    pub span: Option<TemplateSpan>,
}

impl RenderFailure {
    /// Makes a failure with a place in the template's text.
    pub fn new(error: Error, span: Option<TemplateSpan>) -> Self {
        Self { error, span }
    }
}

impl From<Error> for RenderFailure {
    fn from(error: Error) -> Self {
        Self { error, span: None }
    }
}
