//! From a Mustache template and its partials to one text, before anything else reads the template.
//!
//! What comes out is Mustache without the names of files, and every place in it leads back to the file
//! that it came from. A partial that names itself is written once, in signs of our own. This module opens no
//! file: whoever asks gives a function that looks a name up in a closed set.
//!
//! `files` reads all partials, `write` writes the text.

mod files;
mod write;

use crate::assembly::{Assembled, Refusal, TemplateFile, with_places};
use prompty_core::diagnostic::{SourceSpan, SourceText};

/// Makes one text of the template that stands in the range `body` of a text. `load` gives the file of a
/// name, which is relative, without `.` and `..`: `{{> rules}}` asks for `rules.mustache`, and a name with a
/// dot is that of the file.
///
/// A template that cannot be parsed comes back as it was: whoever reads it next says what is wrong.
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
) -> Assembled {
    let main = TemplateFile { source: source.clone(), body };
    let files = match files::read(&main, load) {
        Ok(files) => files,
        Err(template) => return Assembled::unchanged(&main, template),
    };
    let mut findings = files.findings.clone();
    if findings.is_empty() {
        let (written, found) = write::write(&files, source, body);
        findings.extend(found);
        if let Some(written) = written {
            let body = SourceSpan::new(body.start, written.len());
            let (source, findings) = with_places(written, |file| files.source(file), findings);
            return Assembled { source, body, findings, is_whole: true, template: None };
        }
    }
    Assembled::failed(&main, |file| files.source(file), findings)
}
