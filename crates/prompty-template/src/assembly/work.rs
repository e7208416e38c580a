//! What writing a template and its files as one text may cost, in every language.

use super::given::{MAX_LENGTH, MAX_WORK};
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_core::work::add_steps;

/// How many bytes of files were gone through.
#[derive(Debug, Default)]
pub(crate) struct Work {
    spent: usize,
}

impl Work {
    /// Pays for going through so many bytes because of the tag at `place`.
    pub(crate) fn spend(
        &mut self,
        work: usize,
        place: TemplateSpan,
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

/// Refuses a text that has become too long with what stands at `place`.
pub(crate) fn check_length(
    length: usize,
    place: TemplateSpan,
) -> Result<(), Box<Diagnostic<TemplateSpan>>> {
    if length <= MAX_LENGTH {
        return Ok(());
    }
    let message = "the template with all its files is longer than 1 MiB";
    let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(place);
    Err(Box::new(finding.with_help("give long texts to the template as inputs")))
}
