//! The messages that were found in a template.

use super::calls::MessageCall;
use crate::SyntaxError;
use crate::role_markers::syntax::Insertion;
use prompty_core::diagnostic::{Diagnostic, Severity, TemplateSpan};
use prompty_core::message::Role;

/// The messages of a template.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Tags {
    /// Whether the template marks no message, so that all of it is one user message.
    pub is_one_message: bool,
    /// The insertions into literal texts, from left to right.
    pub insertions: Vec<Insertion>,
    /// The spans of attributes that contain expressions, from left to right.
    pub attributes: Vec<TemplateSpan>,
    /// The calls that mark messages, in the order of the text.
    pub calls: Vec<MessageCall>,
    /// The spans of the names of all calls that mark messages or are reported not to, from left to
    /// right.
    pub call_names: Vec<TemplateSpan>,
    /// The messages with the spans that open them, in the order of the text.
    pub messages: Vec<(Role, TemplateSpan)>,
    /// The expressions that are printed outside of messages. Only threads may appear there.
    pub outside: Vec<TemplateSpan>,
    /// The diagnostics, with spans in the template's text.
    pub findings: Vec<Diagnostic<TemplateSpan>>,
}

impl Tags {
    /// Returns the first finding that prevents the template from being rendered.
    pub fn error(&self) -> Option<SyntaxError> {
        let mut findings = self.findings.iter();
        let finding = findings.find(|finding| finding.severity == Severity::Error)?;
        let error = SyntaxError::new(finding.span.unwrap_or_default(), finding.message.as_str());
        Some(match finding.help.first() {
            Some(help) => error.with_help(help.as_str()),
            None => error,
        })
    }
}
