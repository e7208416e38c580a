//! Assembles a template and its files into one text, which is parsed and checked afterwards.
//!
//! This module is shared by the languages. `template_file` has the input types and limits,
//! `library` loads files by name, and `work` limits the work.

pub(crate) mod library;
mod template_file;
pub(crate) mod work;

pub use template_file::{BrokenFile, Reason, Refusal, TemplateFile};
pub(crate) use template_file::{MAX_DEPTH, TAG_WORK};

use crate::Template;
use prompty_core::diagnostic::{Diagnostic, Severity, SourceSpan, SourceText, TemplateSpan};

/// A template and its files, assembled into one text.
#[derive(Debug, Clone)]
pub struct AssembledTemplate {
    /// The complete text, including what precedes the template. If assembly failed, the original
    /// text.
    pub source: SourceText,
    /// The template's span in `source`.
    pub body: SourceSpan,
    /// The diagnostics, with spans in `source`.
    pub findings: Vec<Diagnostic>,
    /// Whether assembly succeeded, so that the text can be parsed and checked.
    pub is_complete: bool,
    /// The tree of the template in `body`, if reading the files produced it.
    pub template: Option<Template>,
}

impl AssembledTemplate {
    /// A template without other files.
    pub(crate) fn unchanged(main: &TemplateFile, template: Option<Template>) -> Self {
        let TemplateFile { source, body } = main.clone();
        Self { source, body, findings: Vec::new(), is_complete: true, template }
    }
}

/// The diagnostics in the files of a template, each with the number of its file.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileFindings(Vec<(usize, Diagnostic)>);

impl FileFindings {
    /// Adds a diagnostic with a span in the template of a file.
    pub(crate) fn push(&mut self, file: usize, finding: Diagnostic<TemplateSpan>) {
        self.0.push((file, finding.in_source(SourceSpan::default())));
    }

    /// Adds a diagnostic in a file whose template cannot be found.
    pub(crate) fn push_broken(&mut self, file: usize, finding: Diagnostic) {
        self.0.push((file, finding));
    }

    pub(crate) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.0.iter().any(|(_, finding)| finding.severity == Severity::Error)
    }
}

/// Converts a span of a file that contains only the template.
pub(crate) fn in_file(span: TemplateSpan) -> SourceSpan {
    span.in_source(SourceSpan::default())
}
