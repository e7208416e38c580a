//! What writing a template and its files as one text may cost, in every language.

use super::FileFindings;
use super::given::{MAX_LENGTH, MAX_WORK};
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_core::work::add_steps;

/// The text cannot be written; what is wrong is among the findings.
pub(crate) struct Reported;

/// What writing a part of a template gives.
pub(crate) type Written = Result<(), Reported>;

/// What writing a template has cost, and what is wrong with its files.
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// How many bytes of files were gone through.
    spent: usize,
    pub(crate) findings: FileFindings,
}

impl Account {
    /// Pays for going through so many bytes because of the tag at `span` in a file.
    pub(crate) fn spend(&mut self, file: usize, span: TemplateSpan, work: usize) -> Written {
        self.try_spend(span, work).map_err(|finding| self.report(file, *finding))
    }

    /// Refuses a text that has become too long with the part at `span` of a file.
    pub(crate) fn check_length(
        &mut self,
        file: usize,
        span: TemplateSpan,
        length: usize,
    ) -> Written {
        if length <= MAX_LENGTH {
            return Ok(());
        }
        let message = "the template with all its files is longer than 1 MiB";
        let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(span);
        Err(self.report(file, finding.with_help("give long texts to the template as inputs")))
    }

    pub(crate) fn report(&mut self, file: usize, finding: Diagnostic<TemplateSpan>) -> Reported {
        self.findings.push(file, finding);
        Reported
    }

    /// Reports what a file holds at `span` and cannot be used there.
    pub(crate) fn unsupported(
        &mut self,
        file: usize,
        span: TemplateSpan,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Reported {
        let finding = Diagnostic::new(Code::UnsupportedConstruct, message).with_span(span);
        self.report(file, finding.with_help(help))
    }

    /// Pays as [`Account::spend`] does, and reports nothing.
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
        let message = "the files of the template name each other too often";
        let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(place);
        Err(Box::new(finding.with_help("put files together that are always used together")))
    }
}
