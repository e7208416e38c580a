//! Finds the files of partials, for the languages that have them.

use super::library::{Answer, Library};
use crate::tree::Name;
use prompty_core::diagnostic::SourceText;

/// Finds a partial beside the files that are read; its file has an ending where its name has none.
pub(crate) fn find<'f>(
    library: &mut Library<'_>,
    name: &Name,
    ending: &str,
    files: impl ExactSizeIterator<Item = &'f SourceText>,
) -> Answer {
    let mut asked = name.clone();
    if !asked.text.rsplit('/').next().is_some_and(|last| last.contains('.')) {
        asked.text.push_str(ending);
    }
    let free = files.len();
    let length = files.map(|file| file.text().len()).sum();
    library.find(&asked, free, length)
}
