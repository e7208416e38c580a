//! The one place that reads files: prompts, what they refer to, chat templates and configurations.
//!
//! Whoever reads a file says where it may lie and how long it may be. Only regular files are read, a
//! pipe or a device never keeps the program waiting, and what counts is the file that was opened: a
//! link that is changed between the check and the opening leads nowhere.

mod identity;
mod open;

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::work::add_steps;

/// Where a file may lie.
#[derive(Debug, Clone, Copy)]
pub enum Within<'r> {
    /// Anywhere: the host names the path.
    AnyFolder,
    /// In one of these folders: somebody else names the path.
    Roots(&'r Roots),
}

/// The folders in which files may be read.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    folders: Vec<PathBuf>,
}

impl Roots {
    /// These folders, their links followed. A folder that is not there allows nothing.
    pub fn new<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Self {
        let folders = folders.into_iter().filter_map(|folder| fs::canonicalize(folder).ok());
        Self { folders: folders.collect() }
    }

    /// Whether a path without links lies in one of the folders.
    fn contain(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// Why a file or a folder is not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The operating system refuses it.
    Io(io::Error),
    /// The file lies outside of the roots, or there is none that this process may open. It is one
    /// variant, so that no message tells the two apart.
    OutsideOrMissing,
    /// The path leads to a folder.
    Folder,
    /// The path leads to a pipe, a device or a socket.
    NotRegular,
    /// The file has more bytes than this limit.
    TooLong(usize),
    /// The bytes are not UTF-8.
    NotText,
    /// The folder has more entries than this limit.
    TooManyEntries(usize),
}

impl ReadError {
    /// Whether the reason is that nothing is there.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io(cause) if cause.kind() == io::ErrorKind::NotFound)
    }

    /// The error of the operating system, if that is the reason.
    pub fn into_io(self) -> Option<io::Error> {
        match self {
            Self::Io(cause) => Some(cause),
            _ => None,
        }
    }
}

impl fmt::Display for ReadError {
    /// The reason, without the path. It has no number of the operating system, so that it is the same
    /// on all systems.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(cause) => match cause.kind() {
                io::ErrorKind::NotFound => f.write_str("there is no such file"),
                kind => write!(f, "{kind}"),
            },
            Self::OutsideOrMissing => f.write_str("it is outside allowed roots, or missing"),
            Self::Folder => f.write_str("it is a folder"),
            Self::NotRegular => f.write_str("it is not a regular file"),
            Self::TooLong(limit) => write!(f, "it is longer than {limit} bytes"),
            Self::NotText => f.write_str("it is not UTF-8"),
            Self::TooManyEntries(limit) => write!(f, "it has more than {limit} entries"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads a text of at most `max_bytes` bytes.
///
/// # Errors
///
/// The path does not lead to a regular file within the allowed folders that this process may read, or
/// the file is too long or not UTF-8. With [`Within::Roots`], whatever is wrong with a file outside
/// of the roots is [`ReadError::OutsideOrMissing`].
pub fn read_text(path: &Path, within: Within<'_>, max_bytes: usize) -> Result<String, ReadError> {
    let opened = match within {
        Within::AnyFolder => open::open(path)?,
        Within::Roots(roots) => open_within(path, roots).ok_or(ReadError::OutsideOrMissing)?,
    };
    let open::Opened { file, metadata } = opened;
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
    // The file may grow while it is read, and some files of the system say that they are empty.
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    add_steps(bytes.len());
    if bytes.len() > max_bytes {
        return Err(ReadError::TooLong(max_bytes));
    }
    String::from_utf8(bytes).map_err(|_| ReadError::NotText)
}

/// Opens a path, if what was opened lies in one of the roots.
fn open_within(path: &Path, roots: &Roots) -> Option<open::Opened> {
    let opened = open::open(path).ok()?;
    let real = identity::real_path(&opened.file, path).ok()?;
    roots.contain(&real).then_some(opened)
}

/// The names of at most `max_entries` entries of a folder, sorted.
///
/// # Errors
///
/// There is no folder that this process may read, or it has more entries.
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
