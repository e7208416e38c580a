//! What a template's parser says when it cannot read a text.

use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};

/// A mistake in a template's syntax: where it is in the template's text, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyntaxError {
    /// Where it is, in bytes of the template's text.
    pub span: TemplateSpan,
    /// What is wrong, in one line without a full stop.
    pub message: String,
    /// How to mend it, if there is something to say.
    pub help: Option<String>,
}

impl SyntaxError {
    /// A mistake at a place.
    pub fn new(span: TemplateSpan, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    /// The same mistake with a way to mend it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The mistake as a finding.
    pub fn into_finding(self) -> Diagnostic<TemplateSpan> {
        let finding = Diagnostic::new(Code::TemplateSyntax, self.message).with_span(self.span);
        match self.help {
            Some(help) => finding.with_help(help),
            None => finding,
        }
    }
}
