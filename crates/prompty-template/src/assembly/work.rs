//! Limits the work of writing a template and its files as one text, for every language.

use super::FileFindings;
use super::template_file::{MAX_LENGTH, MAX_WORK};
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_core::work::add_steps;

/// The text cannot be written. The reason is among the diagnostics.
pub(crate) struct ReportedError;

/// The result of writing a part of a template.
pub(crate) type WriteResult = Result<(), ReportedError>;

/// The work done so far for writing a template, and the diagnostics in its files.
#[derive(Debug, Default)]
pub(crate) struct WorkAccount {
    /// The number of bytes of files that were visited.
    spent: usize,
    pub(crate) findings: FileFindings,
}

impl WorkAccount {
    /// Counts `work` bytes for the tag at `span` in a file, and reports an error above the limit.
    pub(crate) fn spend(&mut self, file: usize, span: TemplateSpan, work: usize) -> WriteResult {
        self.try_spend(span, work).map_err(|finding| self.report(file, *finding))
    }

    /// Reports an error if the text is too long after writing the part at `span` of a file.
    pub(crate) fn check_length(
        &mut self,
        file: usize,
        span: TemplateSpan,
        length: usize,
    ) -> WriteResult {
        if length <= MAX_LENGTH {
            return Ok(());
        }
        let message = "the template with all its files is longer than 1 MiB";
        let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(span);
        Err(self.report(file, finding.with_help("pass long texts to the template as inputs")))
    }

    pub(crate) fn report(
        &mut self,
        file: usize,
        finding: Diagnostic<TemplateSpan>,
    ) -> ReportedError {
        self.findings.push(file, finding);
        ReportedError
    }

    /// Reports that a file contains something at `span` that is not supported there.
    pub(crate) fn unsupported(
        &mut self,
        file: usize,
        span: TemplateSpan,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ReportedError {
        let finding = Diagnostic::new(Code::UnsupportedConstruct, message).with_span(span);
        self.report(file, finding.with_help(help))
    }

    /// Like [`WorkAccount::spend`], but returns the diagnostic instead of reporting it.
    pub(crate) fn try_spend(
        &mut self,
        place: TemplateSpan,
        work: usize,
    ) -> Result<(), Box<Diagnostic<TemplateSpan>>> {
        add_steps(work);
        self.spent = self.spent.saturating_add(work);
        if self.spent <= MAX_WORK {
            return Ok(());
        }
        let message = format!(
            "the files of the template include each other too often: assembling them takes more \
             than {MAX_WORK} steps"
        );
        let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(place);
        Err(Box::new(finding.with_help("merge files that are always used together")))
    }
}
