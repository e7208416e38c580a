//! Opens a path for reading without blocking and without activating a device.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use super::error::ReadError;

/// An open file and its metadata.
#[derive(Debug)]
pub(super) struct OpenedFile {
    pub(super) file: File,
    pub(super) metadata: Metadata,
}

/// Opens a regular file or a folder. The caller checks the metadata of the opened file.
pub(super) fn open(path: &Path) -> Result<OpenedFile, ReadError> {
    // Opening a device can activate it, so the path is checked first. If it changes afterwards, the
    // flags for opening prevent blocking.
    let seen = fs::metadata(path).map_err(ReadError::Io)?;
    if !seen.is_file() && !seen.is_dir() {
        return Err(ReadError::NotRegular);
    }
    // Windows cannot open a folder like a file; Unix can, and the caller then rejects it.
    open_without_waiting(path)
        .map_err(|cause| if seen.is_dir() { ReadError::Folder } else { ReadError::Io(cause) })
}

/// Opens a path without waiting for the other end of a pipe.
fn open_without_waiting(path: &Path) -> io::Result<OpenedFile> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, O_NONBLOCK);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    Ok(OpenedFile { file, metadata })
}

/// The flag `O_NONBLOCK`, which the standard library does not export.
#[cfg(unix)]
const O_NONBLOCK: i32 = if cfg!(any(target_os = "linux", target_os = "android")) {
    if cfg!(any(target_arch = "mips", target_arch = "mips64")) {
        0x80
    } else if cfg!(any(target_arch = "sparc", target_arch = "sparc64")) {
        0x4000
    } else {
        0x800
    }
} else if cfg!(any(
    target_vendor = "apple",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd",
    target_os = "dragonfly"
)) {
    0x4
} else if cfg!(any(target_os = "illumos", target_os = "solaris")) {
    0x80
} else {
    // On other systems, only the check of the path protects.
    0
};

#[cfg(all(test, any(target_os = "linux", target_vendor = "apple")))]
mod tests {
    use super::open_without_waiting;
    use std::process::Command;

    /// This happens if a file becomes a pipe after the check of its path.
    #[test]
    fn a_pipe_is_opened_without_waiting_for_its_other_end() {
        let pipe = std::env::temp_dir().join(format!("prompty-open-{}", std::process::id()));
        let _ = std::fs::remove_file(&pipe);
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let is_file = open_without_waiting(&pipe).unwrap().metadata.is_file();
        std::fs::remove_file(&pipe).unwrap();
        assert!(!is_file);
    }
}
