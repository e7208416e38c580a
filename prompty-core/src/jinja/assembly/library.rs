//! The closed set of files that a template may name: each is read once, and not too many are.

use std::collections::BTreeMap;

use super::given::{MAX_FILES, MAX_READ, Refusal, TemplateFile};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::jinja::tree::Name;
use crate::work::add_steps;

/// Finds files by their names.
pub(crate) struct Library<'l> {
    /// What came of each name that was asked for.
    known: BTreeMap<String, Result<usize, Refusal>>,
    /// Whether it was told that the template has too many files.
    is_full: bool,
    load: &'l mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
}

/// A name that a tag asks for: the file, or why there is none.
pub(crate) enum Found {
    /// The file of this number.
    Known(usize),
    /// A file that was just read. It has the number that was free.
    New {
        /// Its name, without `.` parts.
        name: String,
        file: TemplateFile,
    },
    Missing(Refusal),
    Wrong(Box<Diagnostic>),
    /// What is wrong was told.
    Told,
}

impl<'l> Library<'l> {
    pub(crate) fn new(load: &'l mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>) -> Self {
        Self { known: BTreeMap::new(), is_full: false, load }
    }

    /// The file of a name. A new one gets the number `free`; `length` is that of all files so far.
    pub(crate) fn find(&mut self, name: &Name, free: usize, length: usize) -> Found {
        let path = match within_the_set(name) {
            Ok(path) => path,
            Err(finding) => return Found::Wrong(finding),
        };
        add_steps(1);
        if let Some(known) = self.known.get(&path) {
            return known.clone().map_or_else(Found::Missing, Found::Known);
        }
        let too_many = match (self.known.len() >= MAX_FILES, length > MAX_READ) {
            (true, _) => Some(format!("the template asks for more than {MAX_FILES} files")),
            (_, true) => Some(format!("the template's files have more than {MAX_READ} bytes")),
            _ => None,
        };
        if let Some(message) = too_many {
            // Once is enough: nothing is written then.
            if std::mem::replace(&mut self.is_full, true) {
                return Found::Told;
            }
            let finding = Diagnostic::new(Code::TemplateSyntax, message).at(name.span);
            let help = "put files together that are always used together";
            return Found::Wrong(Box::new(finding.help(help)));
        }
        match (self.load)(&path) {
            Ok(file) => {
                self.known.insert(path.clone(), Ok(free));
                Found::New { name: path, file }
            }
            Err(refusal) => {
                self.known.insert(path, Err(refusal.clone()));
                Found::Missing(refusal)
            }
        }
    }
}

/// What is said where a file is named that cannot be read.
pub(crate) fn refused(span: Span, refusal: Refusal) -> Diagnostic {
    Diagnostic::new(Code::MissingFile, refusal.message).at(span).help(refusal.help)
}

/// A name without `.` parts, if it cannot lead out of a folder.
fn within_the_set(name: &Name) -> Result<String, Box<Diagnostic>> {
    let finding = |message: String, help: &str| {
        let finding = Diagnostic::new(Code::MissingFile, message).at(name.span).help(help);
        Err(Box::new(finding.label("not in the set of files")))
    };
    let text = name.text.as_str();
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let relative = "names are relative to the folder of the templates, such as `parts/rules.jinja`";
    if text.starts_with('/') || text.contains(':') {
        return finding(format!("`{text}` is an absolute name"), relative);
    }
    if text.contains(['\\', '\0']) {
        return finding(format!("`{text}` is no name of a file"), "folders are separated by `/`");
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
