//! Assembles a template of several files into one text. It resolves `include`, `import`, `extends`
//! and `block`, and applies `trim_blocks` and `lstrip_blocks`, before the template is parsed.
//!
//! The result contains none of these tags, and every position in it leads back to its file. So the
//! checker, the macros and the engine need not know about files. This module opens no files: the
//! caller passes a function that looks names up in a closed set.
//!
//! Jinja2 looks names up while it renders. Here all of them are resolved before, so these are
//! errors: a computed file name, a file that includes itself, and a name that an imported file
//! cannot see. A missing file is one even in a branch that is not taken, unless the tag ignores
//! missing files. The text is otherwise that of Jinja2, with three differences:
//!
//! - If a file with `extends` includes a file outside of its blocks, Jinja2 writes that file before
//!   the text of the extended file. Here it is not written, and a warning says so. The same applies
//!   to a block inside a `with` outside of all blocks.
//! - A file that is included in a loop can read `loop`.
//! - The indentation of a role marker after a trimmed tag is not written.
//!
//! `files` reads all files that the template names. `names` finds the names that each file binds
//! and reads, and `free_names` those that it takes from outside. `modules` chooses names for
//! imported definitions, `blocks` finds the definition of a block, and `dropped_text` finds text
//! that is never written. `macro_order` sorts macros by use. `write` writes the text, with the
//! white-space control that `signs` finds.

mod blocks;
mod dropped_text;
mod files;
mod free_names;
mod macro_order;
mod modules;
mod names;
mod signs;
mod white_space;
mod write;

pub use white_space::WhiteSpace;

use crate::assembly::{AssembledTemplate, Refusal, TemplateFile};
use prompty_core::diagnostic::{SourceSpan, SourceText};

/// Assembles the template in the range `body` of a text. `load` returns the file of a relative
/// name, without `.` and `..` components.
///
/// A template that cannot be parsed is returned unchanged. The next reader reports the error.
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
) -> AssembledTemplate {
    let main = TemplateFile { source: source.clone(), body };
    let files = match files::read(&main, white_space, load) {
        Ok(files) => files,
        Err(template) => return AssembledTemplate::unchanged(&main, template),
    };
    let mut findings = files.findings.clone();
    let mut assembled = None;
    if findings.is_empty() {
        let modules = modules::choose_names(&files);
        findings.extend(modules.findings.clone());
        let (written, found) = write::write(&files, &modules, &main);
        findings.extend(found);
        assembled = written.filter(|_| !findings.has_errors());
    }
    let mut assembled = files.assembled(&main, assembled, findings);
    if assembled.is_complete {
        // The assembled text may equal the template's text.
        let text = assembled.body.text_in(assembled.source.text());
        let read = files.list.into_iter().next().filter(|main| Some(main.source.text()) == text);
        assembled.template = read.map(|main| main.content.template);
    }
    assembled
}
