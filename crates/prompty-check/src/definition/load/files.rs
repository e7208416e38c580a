//! Reads the files that prompts refer to, if the host allows them.
//!
//! A path that leads outside of the allowed folders and a missing file give the same error, without
//! a cause. Otherwise a prompt could find out which files exist on the host. The specification asks
//! for a `FileNotFoundError` here. Ours is only for the prompt's own file, which the host names.

use std::path::Path;

use super::options::{FileAccess, LoadOptions};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::files::{ReadError, Roots, Within, read_text};

/// The files that one prompt may refer to.
pub(super) struct ReferencedFiles<'o> {
    options: &'o LoadOptions,
    folder: Option<&'o Path>,
    /// The prompt's folder and the allowed folders. They are set at the first reference.
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
    /// Returns an error if file references are not allowed, or if the path is not a regular text
    /// file in an allowed folder, or is too long. For a path outside of these folders, the error
    /// does not depend on whether the file exists.
    pub(super) fn read(&mut self, path: &str) -> Result<String, Error> {
        if self.options.files == FileAccess::Refused {
            return Err(error(format!(
                "the file reference `{path}` is refused, because the host does not allow files"
            ))
            .with_help(
                "write the content in the prompt, or load it without `LoadOptions::without_files`",
            ));
        }
        let Some(folder) = self.folder else {
            return Err(error(format!(
                "the file reference `{path}` has no base folder, because this prompt is loaded from text"
            ))
            .with_help(
                "load the prompt from its path, or set `LoadOptions::with_base_directory`",
            ));
        };
        let allowed = &self.options.roots;
        let roots = self.roots.get_or_insert_with(|| {
            Roots::new(std::iter::once(folder).chain(allowed.iter().map(AsRef::as_ref)))
        });
        let limit = self.options.max_file_bytes;
        read_text(&folder.join(path), Within::Roots(roots), limit)
            .map_err(|cause| read_error(path, &cause))
    }
}

/// The error about a referenced file. It does not reveal whether a file outside of the allowed
/// folders exists.
fn read_error(path: &str, cause: &ReadError) -> Error {
    match cause {
        ReadError::TooLong(limit) => {
            let message = format!("the referenced file `{path}` is longer than {limit} bytes");
            Error::new(ErrorKind::Limit, message)
                .with_help("shorten it, or raise `LoadOptions::with_max_file_bytes`")
        }
        ReadError::NotText => error(format!("the referenced file `{path}` is not UTF-8 text"))
            .with_help("save it as UTF-8"),
        ReadError::Folder => error(format!("`{path}` is not a file"))
            .with_help("write the path of a file, not of a folder"),
        ReadError::Io(_) => error(format!("cannot read the referenced file `{path}`: {cause}"))
            .with_help("check that the program may read it"),
        _ => error(format!("the file reference `{path}` is outside allowed roots, or missing"))
            .with_help(
                "refer to a regular file in the prompt's folder, or allow its folder with \
                 `LoadOptions::with_root`",
            ),
    }
}

fn error(message: String) -> Error {
    Error::new(ErrorKind::FileReference, message)
}
