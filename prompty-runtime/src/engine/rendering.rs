//! What a template is rendered with, and how that can fail.

use prompty_core::diagnostic::TemplateSpan;
use prompty_core::error::Error;
use prompty_core::error::ErrorKind;
use prompty_core::message::RichKind;
use prompty_core::value::Map;

/// What a template is rendered with.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The inputs that are text, numbers, lists and maps.
    pub inputs: &'a Map,
    /// The inputs that are not, by their placeholders.
    pub rich: &'a [RichInput],
    /// What role markers carry.
    pub nonce: &'a str,
}

/// An input that is no text, as a template sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RichInput {
    /// The input's name.
    pub name: String,
    /// What is written where the template prints it.
    pub placeholder: String,
    /// Whether there is anything in it, for conditions.
    pub present: bool,
}

impl RichInput {
    /// The failure of what computes with it, such as a function: its placeholder is nobody's to read.
    pub(crate) fn refused_as_argument(&self, span: TemplateSpan) -> RenderFailure {
        let message = format!("`{}` is no text, and cannot be an argument", self.name);
        let error = Error::new(ErrorKind::Render, message)
            .with_help("write it alone where it belongs in the text");
        RenderFailure::new(error, Some(span))
    }

    /// The failure of a message that has it as an attribute.
    pub(crate) fn refused_as_attribute(&self, span: TemplateSpan) -> RenderFailure {
        let message = format!("{} cannot stand in an attribute of a role marker", RichKind::ANY);
        let error =
            Error::new(ErrorKind::Render, message).with_help("print it in the text of the message");
        RenderFailure::new(error, Some(span))
    }
}

/// What a variable that has no value does when a template prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Undefined {
    /// It prints as nothing, as the reference cases have it.
    #[default]
    Empty,
    /// It is an error of kind [`Undefined`](prompty_core::ErrorKind::Undefined).
    Error,
}

/// An error together with where in the template's text it came from, so that whoever knows the
/// source can say the line.
#[derive(Debug)]
#[non_exhaustive]
pub struct RenderFailure {
    /// What went wrong.
    pub error: Error,
    /// Where, in bytes of the template's text.
    pub span: Option<TemplateSpan>,
}

impl RenderFailure {
    /// A failure at a place of the template's text.
    pub fn new(error: Error, span: Option<TemplateSpan>) -> Self {
        Self { error, span }
    }
}

impl From<Error> for RenderFailure {
    fn from(error: Error) -> Self {
        Self { error, span: None }
    }
}
