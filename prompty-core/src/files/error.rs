//! Why a file or a folder cannot be read.

use std::fmt;
use std::io;

/// Why a file or a folder cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The operating system returned an error.
    Io(io::Error),
    /// The file is outside of the roots, or it does not exist, or it cannot be opened. A single
    /// variant ensures that no message reveals which of them it is.
    OutsideOrMissing,
    /// The path is a folder.
    Folder,
    /// The path is a pipe, a device or a socket.
    NotRegular,
    /// The file is longer than this number of bytes.
    TooLong(usize),
    /// The bytes are not UTF-8.
    NotText,
    /// The folder has more entries than this limit.
    TooManyEntries(usize),
}

impl ReadError {
    /// Whether the file or folder does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io(cause) if cause.kind() == io::ErrorKind::NotFound)
    }

    /// The error of the operating system, if it is the cause.
    pub fn into_io(self) -> Option<io::Error> {
        match self {
            Self::Io(cause) => Some(cause),
            _ => None,
        }
    }
}

impl fmt::Display for ReadError {
    /// The reason, without the path. It omits the operating system's error number, so that it is
    /// the same on all systems.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(cause) => match cause.kind() {
                io::ErrorKind::NotFound => f.write_str("file not found"),
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
