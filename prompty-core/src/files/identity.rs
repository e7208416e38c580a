//! Finds the real path of an open file.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The path of an open file, without links. The file was opened by `path`.
///
/// # Errors
///
/// Returns an error if the real path cannot be determined.
pub(super) fn real_path(file: &File, path: &Path) -> io::Result<PathBuf> {
    if let Some(real) = path_of_handle(file) {
        return Ok(real);
    }
    // The path may have changed since the file was opened, so its current target must be that file.
    let real = fs::canonicalize(path)?;
    let now = fs::symlink_metadata(&real)?;
    if is_same(&file.metadata()?, &now) {
        return Ok(real);
    }
    Err(io::Error::other("the file was replaced while it was opened"))
}

/// The path that the operating system reports for an open file.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn path_of_handle(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;

    // The link of a pipe or another object without a path is not an absolute path.
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok().filter(|it| it.is_absolute())
}

/// Other systems do not offer this through the standard library.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn path_of_handle(_: &File) -> Option<PathBuf> {
    None
}

/// Whether two files are the same.
#[cfg(unix)]
fn is_same(left: &Metadata, right: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (left.dev(), left.ino()) == (right.dev(), right.ino())
}

/// Whether two files are the same, as far as the standard library can show.
#[cfg(not(unix))]
fn is_same(left: &Metadata, right: &Metadata) -> bool {
    let facts = |it: &Metadata| (it.len(), it.created().ok(), it.modified().ok());
    facts(left) == facts(right)
}
