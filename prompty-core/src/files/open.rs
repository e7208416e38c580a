//! Opens a path for reading without waiting and without waking a device.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use super::error::ReadError;

/// A file that is open, and what the operating system says of the open file.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) metadata: Metadata,
}

/// Opens a regular file or a folder. The caller looks at the metadata, which are those of what was
/// opened.
pub(super) fn open(path: &Path) -> Result<Opened, ReadError> {
    // To open a device can set it going, so the path is looked at first. It may lead elsewhere a
    // moment later; then the flags of the opening hold.
    let seen = fs::metadata(path).map_err(ReadError::Io)?;
    if !seen.is_file() && !seen.is_dir() {
        return Err(ReadError::NotRegular);
    }
    open_at_once(path)
        .map_err(|cause| if seen.is_dir() { ReadError::Folder } else { ReadError::Io(cause) })
}

/// Opens whatever is there, and does not wait for the other end of a pipe.
fn open_at_once(path: &Path) -> io::Result<Opened> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, NO_WAITING);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    Ok(Opened { file, metadata })
}

/// The flag `O_NONBLOCK`, which the standard library does not name.
#[cfg(unix)]
const NO_WAITING: i32 = if cfg!(any(target_os = "linux", target_os = "android")) {
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
    // Another system: only the look at the path protects.
    0
};

#[cfg(all(test, any(target_os = "linux", target_vendor = "apple")))]
mod tests {
    use super::open_at_once;
    use std::process::Command;

    /// As when a file becomes a pipe behind the look at its path.
    #[test]
    fn a_pipe_is_opened_without_waiting_for_its_other_end() {
        let pipe = std::env::temp_dir().join(format!("prompty-open-{}", std::process::id()));
        let _ = std::fs::remove_file(&pipe);
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let is_file = open_at_once(&pipe).unwrap().metadata.is_file();
        std::fs::remove_file(&pipe).unwrap();
        assert!(!is_file);
    }
}
