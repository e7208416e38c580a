//! Why a file or a folder is not read.

use std::fmt;
use std::io;

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
