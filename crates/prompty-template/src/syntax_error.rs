//! The error of a template's parser.

use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};

/// A syntax error in a template: its place in the template's text, and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyntaxError {
    /// Where it is, in bytes of the template's text.
    pub span: TemplateSpan,
    /// A description of the error, in one line without a full stop.
    pub message: String,
    /// How to fix it, if an instruction is available.
    pub help: Option<String>,
}

impl SyntaxError {
    /// An error at a span.
    pub fn new(span: TemplateSpan, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    /// The error for blocks or sections that are nested more than `limit` levels deep.
    pub(crate) fn nested_too_deep(span: TemplateSpan, what: &str, limit: usize) -> Self {
        Self::new(span, format!("{what} are nested more than {limit} levels deep")).with_help(
            "pass the innermost content as an input, or prepare it outside of the template",
        )
    }

    /// The same error with an instruction that fixes it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Converts the error into a diagnostic.
    pub fn into_finding(self) -> Diagnostic<TemplateSpan> {
        let finding = Diagnostic::new(Code::TemplateSyntax, self.message).with_span(self.span);
        match self.help {
            Some(help) => finding.with_help(help),
            None => finding,
        }
    }
}

/// Describes how far above its end a text begins, which is the same in a template and in its file.
pub(crate) fn distance_in_lines(text: &str) -> String {
    match text.matches('\n').count() {
        0 => "on the same line".to_owned(),
        1 => "one line above".to_owned(),
        lines => format!("{lines} lines above"),
    }
}
