//! From a template of several files to one text: `include`, `import`, `extends` and `block` are carried out
//! before anything else reads the template, and so are `trim_blocks` and `lstrip_blocks`.
//!
//! What comes out has no such tag, and every place in it leads back to the file that it came from. So the
//! checker, the macros and the engine know nothing of files. This module opens none: whoever asks gives a
//! function that looks a name up in a closed set.
//!
//! `files` reads all that the template names; `names` says what each binds and reads, and `free` what it takes from
//! outside; `modules` finds names for what is imported, `blocks` what fills a block, `dropped` what is never written,
//! and `order` in which order macros stand; `write` writes the text, with the signs of white-space control that
//! `signs` finds.

mod blocks;
mod dropped;
mod files;
mod free;
mod modules;
mod names;
mod order;
mod signs;
mod white_space;
mod write;

pub use white_space::WhiteSpace;

use crate::assembly::{Assembled, Refusal, TemplateFile, with_places};
use prompty_core::diagnostic::{SourceSpan, SourceText};

/// Makes one text of the template that stands in the range `body` of a text. `load` gives the file of a name,
/// which is relative, without `.` and `..`.
///
/// A template that cannot be parsed comes back as it was: whoever reads it next says what is wrong.
///
/// ```
/// use prompty_core::diagnostic::SourceText;
/// use prompty_template::jinja::assembly::{WhiteSpace, assemble};
/// use prompty_template::assembly::TemplateFile;
///
/// let main = SourceText::new("main", "Hello {% include 'who' %}!");
/// let who = SourceText::new("who", "{{ name }}\n");
/// let assembled = assemble(&main, main.span(), WhiteSpace::default(), &mut |_| {
///     Ok(TemplateFile { source: who.clone(), body: who.span() })
/// });
/// assert_eq!(assembled.source.text(), "Hello {% with -%}\n{{ name }}{% endwith %}!");
/// assert_eq!(assembled.source.place(20).to_string(), "who:1:3");
/// ```
pub fn assemble(
    source: &SourceText,
    body: SourceSpan,
    white_space: WhiteSpace,
    load: &mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
) -> Assembled {
    let main = TemplateFile { source: source.clone(), body };
    let mut files = match files::read(&main, white_space, load) {
        Ok(files) => files,
        Err(template) => return Assembled::unchanged(&main, template),
    };
    let has_errors = !files.findings.is_empty();
    let mut findings = files.findings.clone();
    if !has_errors {
        let modules = modules::name(&files);
        findings.extend(modules.findings.clone());
        let (written, found) = write::write(&files, &modules, source, body);
        findings.extend(found);
        if let (Some(written), false) = (written, findings.has_errors()) {
            let body = SourceSpan::new(body.start, written.len());
            let (source, findings) = with_places(written, |file| source_of(&files, file), findings);
            let template = files.take_template(source.text().get(body.start..body.end));
            return Assembled { source, body, findings, is_whole: true, template };
        }
    }
    Assembled::failed(&main, |file| source_of(&files, file), findings)
}

fn source_of(files: &files::Files, file: usize) -> Option<&SourceText> {
    files.list.get(file).map(|file| &file.source)
}
