//! Reads all files: prompts, files that they refer to, chat templates and configurations.
//!
//! The caller sets the allowed folders and the maximum length. Only regular files are read, and a
//! pipe or a device never blocks the program. The checks use the file that was opened, so a link
//! that changes between the check and the opening has no effect.

// A test of the repository rejects `std::fs` in every other module of the libraries.

mod error;
mod identity;
mod open;

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::work::add_steps;

pub use error::ReadError;

/// The folders in which a file may be.
#[derive(Debug, Clone, Copy)]
pub enum Within<'r> {
    /// Any folder: the host chose the path.
    AnyFolder,
    /// One of these folders: the path comes from someone else.
    Roots(&'r Roots),
}

/// The folders in which files may be read.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    folders: Vec<PathBuf>,
}

impl Roots {
    /// These folders, with links resolved. A missing folder is ignored.
    pub fn new<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Self {
        let folders = folders.into_iter().filter_map(|folder| fs::canonicalize(folder).ok());
        Self { folders: folders.collect() }
    }

    /// Whether a path without links is in one of the folders.
    fn contain(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// Reads a text of at most `max_bytes` bytes.
///
/// # Errors
///
/// Returns an error if the path does not lead to a regular file within the allowed folders, if this
/// process may not read the file, or if it is too long or not UTF-8. With [`Within::Roots`], every
/// error about a file outside of the roots is [`ReadError::OutsideOrMissing`].
pub fn read_text(path: &Path, within: Within<'_>, max_bytes: usize) -> Result<String, ReadError> {
    let opened = match within {
        Within::AnyFolder => open::open(path)?,
        Within::Roots(roots) => open_within(path, roots).ok_or(ReadError::OutsideOrMissing)?,
    };
    let open::OpenedFile { file, metadata } = opened;
    if metadata.is_dir() {
        return Err(ReadError::Folder);
    }
    if !metadata.is_file() {
        return Err(ReadError::NotRegular);
    }
    let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX);
    if metadata.len() > limit {
        return Err(ReadError::TooLong(max_bytes));
    }
    // The file may grow during the read, and some system files report a length of zero.
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    add_steps(bytes.len());
    if bytes.len() > max_bytes {
        return Err(ReadError::TooLong(max_bytes));
    }
    String::from_utf8(bytes).map_err(|_| ReadError::NotText)
}

/// Opens a path if the opened file is in one of the roots.
fn open_within(path: &Path, roots: &Roots) -> Option<open::OpenedFile> {
    let opened = open::open(path).ok()?;
    let real = identity::real_path(&opened.file, path).ok()?;
    roots.contain(&real).then_some(opened)
}

/// The names of at most `max_entries` entries of a folder, sorted.
///
/// # Errors
///
/// Returns an error if this process cannot read the folder, or if it has more entries.
pub fn list_folder(folder: &Path, max_entries: usize) -> Result<Vec<OsString>, ReadError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(ReadError::Io)? {
        add_steps(1);
        if names.len() >= max_entries {
            return Err(ReadError::TooManyEntries(max_entries));
        }
        names.push(entry.map_err(ReadError::Io)?.file_name());
    }
    names.sort();
    Ok(names)
}
