//! Assembles a Mustache template and its partials into one text before it is parsed.
//!
//! The result is Mustache without the names of files, and every position in it leads back to its
//! file. A partial that includes itself is written once, with tags of our own. This module opens no
//! files: the caller passes a function that looks names up in a closed set.
//!
//! `files` reads all partials, and `write` writes the text.

mod files;
mod write;

use crate::assembly::{AssembledTemplate, FileFindings, Refusal, TemplateFile};
use prompty_core::diagnostic::{SourceSpan, SourceText};

/// Assembles the template in the range `body` of a text. `load` returns the file of a relative
/// name, without `.` and `..` components. `{{> rules}}` names `rules.mustache`; a name with a dot
/// is the name of the file itself.
///
/// A template that cannot be parsed is returned unchanged. The next reader reports the error.
///
/// ```
/// use prompty_core::diagnostic::SourceText;
/// use prompty_template::assembly::TemplateFile;
/// use prompty_template::mustache::assembly::assemble;
///
/// let main = SourceText::new("main", "Rules:\n  {{> rules}}\nBye\n");
/// let rules = SourceText::new("rules.mustache", "- {{first}}\n- Be brief.\n");
/// let assembled = assemble(&main, main.span(), &mut |name| {
///     assert_eq!(name, "rules.mustache");
///     Ok(TemplateFile { source: rules.clone(), body: rules.span() })
/// });
/// assert_eq!(assembled.source.text(), "Rules:\n  - {{first}}\n  - Be brief.\nBye\n");
/// assert_eq!(assembled.source.place(13).to_string(), "rules.mustache:1:5");
/// ```
pub fn assemble(
    source: &SourceText,
    body: SourceSpan,
    load: &mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
) -> AssembledTemplate {
    let main = TemplateFile { source: source.clone(), body };
    let files = match files::read(&main, load) {
        Ok(files) => files,
        Err(template) => return AssembledTemplate::unchanged(&main, template),
    };
    let written = match files.findings.is_empty() {
        true => write::write(&files, &main),
        false => Err(files.findings.clone()),
    };
    let (written, findings) = match written {
        Ok(written) => (Some(written), FileFindings::default()),
        Err(findings) => (None, findings),
    };
    files.assembled(&main, written, findings)
}
