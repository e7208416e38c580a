//! Reads the files to which prompts refer, if the host allows them.

use std::path::Path;

use super::options::{FileAccess, LoadOptions};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::files::{ReadError, Roots, Within, read_text};

/// The files to which one prompt may refer.
pub(super) struct ReferencedFiles<'o> {
    options: &'o LoadOptions,
    folder: Option<&'o Path>,
    /// The prompt's folder and the folders that the host allows, once a reference needs them.
    roots: Option<Roots>,
}

impl<'o> ReferencedFiles<'o> {
    pub(super) fn new(options: &'o LoadOptions, folder: Option<&'o Path>) -> Self {
        // The parent folder of the path `hi.prompty` is the empty path.
        let folder = folder.map(|it| if it.as_os_str().is_empty() { Path::new(".") } else { it });
        Self { options, folder, roots: None }
    }

    /// Reads the text of a referenced file.
    ///
    /// # Errors
    ///
    /// File references are refused or have no base folder; the path leads to no regular file in the
    /// prompt's folder and the allowed roots; or the file is too long or not UTF-8. An error about a
    /// path that leads outside is the same whatever is there.
    pub(super) fn read(&mut self, path: &str) -> Result<String, Error> {
        if self.options.files == FileAccess::Refused {
            return Err(error(format!("file reference '{path}' refused: the host allows none")));
        }
        let Some(folder) = self.folder else {
            return Err(error(format!(
                "file reference '{path}' has no folder to start from: this prompt is loaded from text"
            ))
            .with_help("load the prompt from its path, or set `LoadOptions::with_base_directory`"));
        };
        let allowed = &self.options.roots;
        let roots = self.roots.get_or_insert_with(|| {
            Roots::new(std::iter::once(folder).chain(allowed.iter().map(AsRef::as_ref)))
        });
        let limit = self.options.max_file_bytes;
        read_text(&folder.join(path), Within::Roots(roots), limit)
            .map_err(|cause| refused(path, &cause))
    }
}

fn refused(path: &str, cause: &ReadError) -> Error {
    match cause {
        ReadError::TooLong(limit) => {
            let message = format!("referenced file '{path}' is longer than {limit} bytes");
            Error::new(ErrorKind::Limit, message)
                .with_help("shorten it, or raise `LoadOptions::with_max_file_bytes`")
        }
        ReadError::NotText => error(format!("referenced file '{path}' is not UTF-8 text")),
        ReadError::Folder => error(format!("'{path}' is not a file")),
        ReadError::Io(_) => error(format!("referenced file '{path}' cannot be read: {cause}")),
        _ => error(format!("file reference '{path}' is outside allowed roots, or missing"))
            .with_help(
                "a reference leads to a regular file in the prompt's folder, or in a folder that \
                 the host allows with `LoadOptions::with_root`",
            ),
    }
}

fn error(message: String) -> Error {
    Error::new(ErrorKind::FileReference, message)
}
