//! Where an open file lies.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The path of an open file, without links. `path` is the one by which it was opened.
///
/// # Errors
///
/// It is not known where the file lies.
pub(super) fn real_path(file: &File, path: &Path) -> io::Result<PathBuf> {
    if let Some(real) = path_of_handle(file) {
        return Ok(real);
    }
    // The path may have changed since, so what it leads to now must be the file that is open.
    let real = fs::canonicalize(path)?;
    let now = fs::symlink_metadata(&real)?;
    if is_same(&file.metadata()?, &now) {
        return Ok(real);
    }
    Err(io::Error::other("the path leads to another file than before"))
}

/// What the system itself says of an open file.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn path_of_handle(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;

    // What is no file of a folder, such as a pipe, has a link that is no path.
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok().filter(|it| it.is_absolute())
}

/// Other systems do not tell it through the standard library.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn path_of_handle(_: &File) -> Option<PathBuf> {
    None
}

/// Whether two files are one.
#[cfg(unix)]
fn is_same(left: &Metadata, right: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (left.dev(), left.ino()) == (right.dev(), right.ino())
}

/// Whether two files are one, as far as the standard library tells it.
#[cfg(not(unix))]
fn is_same(left: &Metadata, right: &Metadata) -> bool {
    let facts = |it: &Metadata| (it.len(), it.created().ok(), it.modified().ok());
    facts(left) == facts(right)
}
