//! The closed set of files that a template may name: each is read once, and not too many are.

use std::collections::BTreeMap;

use super::given::{BrokenFile, MAX_FILES, MAX_READ, Reason, Refusal, TemplateFile};
use crate::tree::Name;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_core::work::add_steps;

/// Finds files by their names.
pub(crate) struct Library<'l> {
    /// What came of each name that was asked for.
    known: BTreeMap<String, Known>,
    /// Whether it was told that the template has too many files.
    is_full: bool,
    load: &'l mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
}

/// What came of a name.
#[derive(Clone)]
enum Known {
    File(usize),
    Missing(Reason),
    NotRead(Reason),
}

/// A name that a tag asks for: the file, or why there is none.
pub(crate) enum Answer {
    /// The file of this number.
    Known(usize),
    /// A file that was just read. It has the number that was free.
    New {
        /// Its name, without `.` parts.
        name: String,
        file: TemplateFile,
    },
    /// A file without a template, which has the number that was free, too.
    Broken { name: String, file: Box<BrokenFile> },
    /// There is no such file.
    Missing(Reason),
    /// What is wrong where it is named.
    Wrong(Box<Diagnostic<TemplateSpan>>),
    /// What is wrong was reported.
    Reported,
}

impl<'l> Library<'l> {
    pub(crate) fn new(load: &'l mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>) -> Self {
        Self { known: BTreeMap::new(), is_full: false, load }
    }

    /// The file of a name. A new one gets the number `free`; `length` is that of all files so far.
    pub(crate) fn find(&mut self, name: &Name, free: usize, length: usize) -> Answer {
        let path = match within_the_set(name) {
            Ok(path) => path,
            Err(finding) => return Answer::Wrong(finding),
        };
        add_steps(1);
        match self.known.get(&path).cloned() {
            Some(Known::File(index)) => return Answer::Known(index),
            Some(Known::Missing(reason)) => return Answer::Missing(reason),
            Some(Known::NotRead(reason)) => {
                return Answer::Wrong(Box::new(refused(name.span, reason)));
            }
            None => {}
        }
        let too_many = match (self.known.len() >= MAX_FILES, length > MAX_READ) {
            (true, _) => Some(format!("the template asks for more than {MAX_FILES} files")),
            (_, true) => Some(format!("the template's files have more than {MAX_READ} bytes")),
            _ => None,
        };
        if let Some(message) = too_many {
            // Once is enough: nothing is written then.
            if std::mem::replace(&mut self.is_full, true) {
                return Answer::Reported;
            }
            let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(name.span);
            let help = "put files together that are always used together";
            return Answer::Wrong(Box::new(finding.with_help(help)));
        }
        let (known, answer) = match (self.load)(&path) {
            Ok(file) => (Known::File(free), Answer::New { name: path.clone(), file }),
            Err(Refusal::Broken(file)) => {
                (Known::File(free), Answer::Broken { name: path.clone(), file })
            }
            Err(Refusal::Missing(reason)) => {
                (Known::Missing(reason.clone()), Answer::Missing(reason))
            }
            Err(Refusal::NotRead(reason)) => {
                let finding = refused(name.span, reason.clone());
                (Known::NotRead(reason), Answer::Wrong(Box::new(finding)))
            }
        };
        self.known.insert(path, known);
        answer
    }
}

/// What is said where a file is named that cannot be read.
pub(crate) fn refused(span: TemplateSpan, reason: Reason) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::MissingFile, reason.message).with_span(span).with_help(reason.help)
}

/// A name without `.` parts, if it cannot lead out of a folder.
fn within_the_set(name: &Name) -> Result<String, Box<Diagnostic<TemplateSpan>>> {
    let finding = |message: String, help: &str| {
        let finding =
            Diagnostic::new(Code::MissingFile, message).with_span(name.span).with_help(help);
        Err(Box::new(finding.with_label("not in the set of files")))
    };
    let text = name.text.as_str();
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let relative = "names are relative to the folder of the templates, such as `parts/rules.jinja`";
    if text.starts_with('/') || text.contains(':') {
        return finding(format!("`{text}` is an absolute name"), relative);
    }
    if text.contains(['\\', '\0']) {
        return finding(
            format!("`{text}` is not the name of a file"),
            "folders are separated by `/`",
        );
    }
    if parts.contains(&"..") {
        let help = "move the file into the folder of the templates, or name a folder that holds all \
                    of them";
        return finding(format!("`{text}` leads out of the folder of the templates"), help);
    }
    if parts.is_empty() {
        return finding("the name of the file is empty".to_owned(), relative);
    }
    Ok(parts.join("/"))
}
