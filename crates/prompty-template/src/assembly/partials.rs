//! Finds the files of partials.

use super::library::{FileLibrary, FileLookup};
use crate::tree::Name;
use prompty_core::diagnostic::SourceText;

/// Looks up the file of a partial. `ending` is appended to a name without an extension. `files` are
/// those that were read so far.
pub(crate) fn find<'f>(
    library: &mut FileLibrary<'_>,
    name: &Name,
    ending: &str,
    files: impl ExactSizeIterator<Item = &'f SourceText>,
) -> FileLookup {
    let mut requested = name.clone();
    if !requested.text.rsplit('/').next().is_some_and(|last| last.contains('.')) {
        requested.text.push_str(ending);
    }
    let free = files.len();
    let length = files.map(|file| file.text().len()).sum();
    library.find(&requested, free, length)
}
