//! Reads the files to which prompts refer, if the host allows them.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::options::{FileAccess, LoadOptions};
use prompty_core::error::{Error, ErrorKind};

/// Reads the text of a referenced file.
///
/// # Errors
///
/// File references are refused or have no base folder; the path leads out of the prompt's folder
/// and the allowed roots; or the file is missing, not a regular file, too large or not UTF-8.
pub(super) fn read(
    path: &str,
    options: &LoadOptions,
    folder: Option<&Path>,
) -> Result<String, Error> {
    if options.files == FileAccess::Refused {
        return Err(error(format!("file reference '{path}' refused: the host allows none")));
    }
    let Some(folder) = folder else {
        return Err(error(format!(
            "file reference '{path}' has no folder to start from: this prompt is loaded from text"
        ))
        .with_help("load the prompt from its path, or set `LoadOptions::base_directory`"));
    };
    let file = locate(path, options, folder)?;
    read_bounded(&file, options.max_file_bytes).map_err(|problem| match problem {
        Problem::Io(cause) => {
            error(format!("referenced file '{path}' cannot be read: {cause}")).with_source(cause)
        }
        Problem::TooLarge(limit) => {
            let message = format!("referenced file '{path}' is longer than {limit} bytes");
            Error::new(ErrorKind::Limit, message)
                .with_help("shorten it, or raise `LoadOptions::max_file_bytes`")
        }
        Problem::NotText => error(format!("referenced file '{path}' is not UTF-8 text")),
        Problem::NoFile => error(format!("'{path}' is not a file")),
    })
}

/// The canonical path of a file that is allowed. The error for a path outside the allowed folders
/// does not reveal whether the file exists.
fn locate(path: &str, options: &LoadOptions, folder: &Path) -> Result<PathBuf, Error> {
    // The parent folder of the path `hi.prompty` is the empty path.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let folder = fs::canonicalize(folder)
        .map_err(|cause| error(format!("the prompt's folder cannot be read: {cause}")))?;
    let mut roots = vec![folder.clone()];
    roots.extend(options.roots.iter().filter_map(|root| fs::canonicalize(root).ok()));
    let allowed = |path: &Path| roots.iter().any(|root| path.starts_with(root));
    let wanted = folder.join(path);
    match fs::canonicalize(&wanted) {
        Ok(real) if allowed(&real) => Ok(real),
        Err(cause) if allowed(&without_dots(&wanted)) => {
            Err(error(format!("referenced file '{path}' not found: {cause}")).with_source(cause))
        }
        _ => Err(error(format!("file reference '{path}' is outside allowed roots"))
            .with_help("move the file into the prompt's folder, or allow its folder with `LoadOptions::allow_root`")),
    }
}

/// Removes `.` and `..` from a path without access to the file system.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// Why the text of a file cannot be read.
pub(super) enum Problem {
    Io(std::io::Error),
    TooLarge(usize),
    NotText,
    NoFile,
}

/// Reads a file of at most `limit` bytes. It never waits for a pipe and never reads more than that.
pub(super) fn read_bounded(path: &Path, limit: usize) -> Result<String, Problem> {
    if !fs::metadata(path).map_err(Problem::Io)?.is_file() {
        return Err(Problem::NoFile);
    }
    let file = File::open(path).map_err(Problem::Io)?;
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    file.take(most).read_to_end(&mut bytes).map_err(Problem::Io)?;
    if bytes.len() > limit {
        return Err(Problem::TooLarge(limit));
    }
    String::from_utf8(bytes).map_err(|_| Problem::NotText)
}

fn error(message: String) -> Error {
    Error::new(ErrorKind::FileReference, message)
}
