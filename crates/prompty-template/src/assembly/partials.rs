//! Finds the files of partials, for the languages that have them.

use super::given::{BrokenFile, TemplateFile};
use super::library::{Answer, Library, refused};
use crate::tree::Name;
use prompty_core::diagnostic::{Diagnostic, SourceText, TemplateSpan};

/// What the name of a partial stands for.
pub(crate) enum Partial {
    /// The file of this number.
    Known(usize),
    /// A file that was just read, whose number comes next.
    New(TemplateFile),
    /// A file without a template, whose number comes next.
    Broken(Box<BrokenFile>),
    /// There is no such file.
    Missing(Diagnostic<TemplateSpan>),
    /// What is wrong where it is named.
    Wrong(Diagnostic<TemplateSpan>),
    /// What is wrong was reported.
    Reported,
}

/// Finds a partial beside the files that are read; its file has an ending where its name has none.
pub(crate) fn find<'f>(
    library: &mut Library<'_>,
    name: &Name,
    ending: &str,
    files: impl ExactSizeIterator<Item = &'f SourceText>,
) -> Partial {
    let mut asked = name.clone();
    if !asked.text.rsplit('/').next().is_some_and(|last| last.contains('.')) {
        asked.text.push_str(ending);
    }
    let free = files.len();
    let length = files.map(|file| file.text().len()).sum();
    match library.find(&asked, free, length) {
        Answer::Known(index) => Partial::Known(index),
        Answer::New { file, .. } => Partial::New(file),
        Answer::Broken { file, .. } => Partial::Broken(file),
        Answer::Missing(reason) => Partial::Missing(refused(name.span, reason)),
        Answer::NotRead(reason) => Partial::Wrong(refused(name.span, reason)),
        Answer::Wrong(finding) => Partial::Wrong(*finding),
        Answer::Reported => Partial::Reported,
    }
}
