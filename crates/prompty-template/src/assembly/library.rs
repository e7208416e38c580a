//! The set of files that a template may name. Each file is loaded once, and their number is
//! limited.

use std::collections::BTreeMap;

use super::template_file::{BrokenFile, MAX_FILES, MAX_READ, Reason, Refusal, TemplateFile};
use crate::tree::Name;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_core::work::add_steps;

/// Finds files by their names.
///
/// The caller keeps the list of files, and passes its length as `free`. A loaded file gets this
/// number, so the caller must add a file for each [`FileLookup::New`] and [`FileLookup::Broken`].
pub(crate) struct FileLibrary<'l> {
    /// The result for each requested name.
    known: BTreeMap<String, KnownFile>,
    /// Whether the error for too many files has been reported.
    is_full: bool,
    load: &'l mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
}

/// The cached result of loading a name.
#[derive(Clone)]
enum KnownFile {
    File(usize),
    Missing(Reason),
    NotRead(Reason),
}

/// The result of looking up a file name in a tag.
pub(crate) enum FileLookup {
    /// A file that was loaded before, by its number.
    Known(usize),
    /// A newly loaded file. Its number is the `free` one that the caller passed.
    New {
        /// Its name, without `.` components.
        name: String,
        file: TemplateFile,
    },
    /// A newly loaded file without a valid template. It also has the `free` number.
    Broken { name: String, file: Box<BrokenFile> },
    /// The file does not exist.
    Missing(Reason),
    /// The error to report at the name.
    Invalid(Box<Diagnostic<TemplateSpan>>),
    /// The error was already reported.
    Reported,
}

impl<'l> FileLibrary<'l> {
    pub(crate) fn new(load: &'l mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>) -> Self {
        Self { known: BTreeMap::new(), is_full: false, load }
    }

    /// Looks up a file. A newly loaded one gets the number `free`. `length` is the total length of
    /// the files so far.
    pub(crate) fn find(&mut self, name: &Name, free: usize, length: usize) -> FileLookup {
        let path = match relative_path(name) {
            Ok(path) => path,
            Err(finding) => return FileLookup::Invalid(finding),
        };
        add_steps(1);
        match self.known.get(&path).cloned() {
            Some(KnownFile::File(index)) => return FileLookup::Known(index),
            Some(KnownFile::Missing(reason)) => return FileLookup::Missing(reason),
            Some(KnownFile::NotRead(reason)) => {
                return FileLookup::Invalid(Box::new(refusal_finding(name.span, reason)));
            }
            None => {}
        }
        if self.known.len() >= MAX_FILES {
            let message = format!("the template refers to more than {MAX_FILES} files");
            return self.too_many(name, message);
        }
        if length > MAX_READ {
            let message = format!("the template's files have more than {MAX_READ} bytes");
            return self.too_many(name, message);
        }
        let (known, answer) = match (self.load)(&path) {
            Ok(file) => (KnownFile::File(free), FileLookup::New { name: path.clone(), file }),
            Err(Refusal::Broken(file)) => {
                (KnownFile::File(free), FileLookup::Broken { name: path.clone(), file })
            }
            Err(Refusal::Missing(reason)) => {
                (KnownFile::Missing(reason.clone()), FileLookup::Missing(reason))
            }
            Err(Refusal::NotRead(reason)) => {
                let finding = refusal_finding(name.span, reason.clone());
                (KnownFile::NotRead(reason), FileLookup::Invalid(Box::new(finding)))
            }
        };
        self.known.insert(path, known);
        answer
    }

    /// Returns the error for a limit. One report is enough, because the template is not written
    /// then.
    fn too_many(&mut self, name: &Name, message: String) -> FileLookup {
        if std::mem::replace(&mut self.is_full, true) {
            return FileLookup::Reported;
        }
        let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(name.span);
        let help = "merge files that are always used together";
        FileLookup::Invalid(Box::new(finding.with_help(help)))
    }
}

/// Returns the diagnostic for the name of a file that cannot be read.
pub(crate) fn refusal_finding(span: TemplateSpan, reason: Reason) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::MissingFile, reason.message).with_span(span).with_help(reason.help)
}

/// Returns a name without `.` components, or an error if it could lead out of the folder:
/// `./parts//rules.jinja` becomes `parts/rules.jinja`, and `../rules.jinja` is an error.
fn relative_path(name: &Name) -> Result<String, Box<Diagnostic<TemplateSpan>>> {
    let finding = |message: String, help: &str| {
        let finding =
            Diagnostic::new(Code::MissingFile, message).with_span(name.span).with_help(help);
        Err(Box::new(finding.with_label("not in the set of files")))
    };
    let text = name.text.as_str();
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let relative =
        "write a name relative to the folder of the templates, such as `parts/rules.jinja`";
    // A colon is in URLs, and in Windows' absolute names.
    if text.starts_with('/') || text.contains(':') {
        return finding(format!("`{text}` is an absolute name"), relative);
    }
    if text.contains(['\\', '\0']) {
        return finding(format!("`{text}` is not a file name"), "separate folders with `/`");
    }
    if parts.contains(&"..") {
        let help = "move the file into the folder of the templates, or name a folder that holds \
                    all of them";
        return finding(format!("`{text}` is outside of the folder of the templates"), help);
    }
    if parts.is_empty() {
        return finding("empty file name".to_owned(), relative);
    }
    Ok(parts.join("/"))
}
